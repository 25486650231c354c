import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  Index, SCHEMES, SimhashDocError, decode, distance, encode, fingerprint, narrow, similarity,
} from '../src/index.js';

const ZERO = 'sd64:aaaaaaaaaaaaa';

const fails = (step, name) => assert.throws(step, (error) => {
  assert.ok(error instanceof SimhashDocError);
  assert.equal(error.name, name);
  return true;
});

test('every scheme round-trips', () => {
  for (const { id, bits, characters } of SCHEMES.values()) {
    const bytes = Uint8Array.from({ length: bits / 8 }, (_, index) => 255 - 37 * index);
    const text = encode(bytes, id);
    assert.equal(text.length, id.length + 1 + characters);
    assert.deepEqual(decode(text).bytes, bytes);
    assert.deepEqual(decode(encode(bytes)), decode(text), 'the scheme follows from the number of characters');
    assert.deepEqual(decode(text.toUpperCase()), decode(text));
  }
});

test('each error of decoding', () => {
  for (const [text, name] of [
    ['sd65:aaaaaaaaaaaaa', 'unknown-scheme'],
    [':aaaaaaaaaaaaa', 'unknown-scheme'],
    ['sd64+other:aaaaaaaaaaaaa', 'unknown-scheme'],
    ['sd64 :aaaaaaaaaaaaa', 'unknown-scheme'],
    ['simhash-doc-64:aaaaaaaaaaaaa', 'unknown-scheme'],
    ['sd64:aaaaaaaaaaaaa===', 'padding'],
    ['sd64: aaaaaaaaaaaaa', 'bad-character'],
    ['sd64:aaaaaaaaaaaa\n', 'bad-character'],
    ['sd64:sd64:aaaaaaaaaaaaa', 'bad-character'],
    ['sd64:aaaaaaaaaaaa0', 'bad-character'],
    ['sd64:aaaaaaaaaaaa\u212a', 'bad-character'],
    ['sd64:aaaaaaaaaaaa\uff41', 'bad-character'],
    ['sd64:aaaaaaaaaaaa\ud800', 'bad-character'],
    ['sd64:aaaaaaaaaaaa', 'bad-length'],
    ['sd64:', 'bad-length'],
    ['', 'bad-length'],
    ['sd128:aaaaaaaaaaaaa', 'bad-length'],
    ['sd64:aaaaaaaaaaaab', 'spare-bits'],
    [`sd128:${'a'.repeat(25)}d`, 'spare-bits'],
    [`sd256:${'a'.repeat(51)}i`, 'spare-bits'],
    [`sd512:${'a'.repeat(102)}e`, 'spare-bits'],
  ]) {
    fails(() => decode(text), name);
  }
});

test('the first error in the order of SD-TEXT-4', () => {
  fails(() => decode('sd65:=1'), 'unknown-scheme');
  fails(() => decode('sd32:=', 'sd64'), 'unknown-scheme');
  for (const digits of ['=', '1', 'a', 'aaaaaaaaaaaab']) {
    fails(() => decode(`sd64:${digits}`, 'sd128'), 'scheme-mismatch');
  }
  fails(() => decode('sd64:1='), 'padding');
  fails(() => decode('sd64:1'), 'bad-character');
  fails(() => decode('sd64:aab'), 'bad-length');
});

test('an expected scheme', () => {
  assert.equal(decode('aaaaaaaaaaaaa', 'sd64').scheme, 'sd64');
  fails(() => decode('aaaaaaaaaaaaa', 'sd128'), 'bad-length');
  fails(() => decode(ZERO, 'sd128'), 'scheme-mismatch');
  assert.equal(decode('SD64:aaaaaaaaaaaaa', 'sd64').scheme, 'sd64');
  assert.equal(decode('sd64+custom:aaaaaaaaaaaaa', 'sd64').canonical, false);
  for (const name of ['sd1', 'SD64', 'sd64+custom', 'simhash-doc-64', '']) {
    fails(() => decode(ZERO, name), 'unknown-scheme');
    fails(() => decode('aaaaaaaaaaaaa', name), 'unknown-scheme');
    fails(() => encode(new Uint8Array(8), name), 'unknown-scheme');
    fails(() => fingerprint('a', name), 'unknown-scheme');
  }
});

test('customised fingerprints', () => {
  assert.equal(encode(new Uint8Array(8), 'sd64', false), 'sd64+custom:aaaaaaaaaaaaa');
  assert.equal(decode('SD64+CUSTOM:aaaaaaaaaaaaa').canonical, false);
  assert.equal(decode(ZERO).canonical, true);
  assert.equal(distance('sd64+custom:aaaaaaaaaaaae', ZERO), 1);
  fails(() => fingerprint('a', 'sd64+custom'), 'unknown-scheme');
});

test('encoding rejects bytes of a wrong length', () => {
  fails(() => encode(new Uint8Array(7)), 'bad-length');
  fails(() => encode(new Uint8Array(16), 'sd64'), 'bad-length');
  fails(() => encode(new Uint8Array(8), 'sd63'), 'unknown-scheme');
  assert.throws(() => encode(/** @type {any} */ ('00')), TypeError);
  assert.throws(() => decode(/** @type {any} */ (null)), TypeError);
});

test('distance and similarity', () => {
  assert.equal(distance(ZERO, 'sd64:7777777777776'), 64);
  assert.equal(similarity(ZERO, 'sd64:7777777777776'), 0);
  assert.equal(similarity(ZERO, ZERO), 1);
  assert.equal(similarity(`sd128:${'a'.repeat(26)}`, `sd128:${'a'.repeat(25)}e`), 1 - 1 / 128);
  fails(() => distance(ZERO, `sd128:${'a'.repeat(26)}`), 'scheme-mismatch');
});

test('narrowing keeps the first bytes (SD-NARROW-1, SD-NARROW-2)', () => {
  const bytes = Uint8Array.from({ length: 64 }, (_, index) => 255 - 37 * index);
  const schemes = [...SCHEMES.values()];
  const first = ({ id, bits }, canonical) => encode(bytes.slice(0, bits / 8), id, canonical);
  for (const [from, to] of schemes.flatMap((scheme) => schemes.map((other) => [scheme, other]))) {
    for (const canonical of [true, false]) {
      const narrowed = () => narrow(first(from, canonical), to.id);
      if (to.bits <= from.bits) assert.equal(narrowed(), first(to, canonical));
      else fails(narrowed, 'scheme-mismatch');
    }
  }
  assert.equal(narrow('7'.repeat(25) + 'Y', 'sd64'), 'sd64:7777777777776', 'not the first 13 characters');
});

test('the errors of narrowing, in their order (SD-NARROW-2)', () => {
  for (const name of ['sd65', 'SD64', 'sd64+custom', 'simhash-doc-64', undefined]) {
    fails(() => narrow('sd65:=', /** @type {any} */ (name)), 'unknown-scheme');
  }
  fails(() => narrow('sd65:=1', 'sd128'), 'unknown-scheme');
  fails(() => narrow('sd64:1=', 'sd128'), 'padding');
  fails(() => narrow('sd64:1', 'sd128'), 'bad-character');
  fails(() => narrow('sd64:aab', 'sd128'), 'bad-length');
  fails(() => narrow('aaaaaaaaaaaab', 'sd128'), 'spare-bits');
  fails(() => narrow('sd64+custom:aaaaaaaaaaaaa', 'sd128'), 'scheme-mismatch');
});

test('search', () => {
  const index = new Index();
  for (const [id, text] of [['x', ZERO], ['y', 'sd64:aaaaaaaaaaaao'], ['z', ZERO]]) index.insert(id, text);
  assert.deepEqual(index.query(ZERO, 0), ['x', 'z']);
  assert.deepEqual(index.query(ZERO, 1000), ['x', 'y', 'z']);
  assert.deepEqual(index.findAll(0), [['x', 'z']]);
  assert.deepEqual(index.findAll(3), [['x', 'y'], ['x', 'z'], ['y', 'z']]);
  index.remove('x');
  assert.deepEqual([index.query(ZERO, 3), index.size], [['y', 'z'], 2]);
  index.insert('x', 'sd64:7777777777776');
  assert.deepEqual(index.findAll(64).length, 3);
  assert.deepEqual(new Index('sd128').query(`sd128:${'a'.repeat(26)}`, 3), []);
});

test('what an index refuses', () => {
  const index = new Index();
  index.insert('x', ZERO);
  assert.throws(() => index.insert('x', ZERO), RangeError);
  assert.throws(() => index.remove('y'), RangeError);
  assert.throws(() => index.query(ZERO, -1), RangeError);
  assert.throws(() => index.findAll(1.5), RangeError);
  fails(() => index.insert('y', 'sd64:1'), 'bad-character');
  fails(() => index.insert('y', `sd128:${'a'.repeat(26)}`), 'scheme-mismatch');
  fails(() => index.query('a'.repeat(26), 3), 'scheme-mismatch');
  fails(() => new Index('sd65'), 'unknown-scheme');
  assert.equal(index.size, 1);
});
