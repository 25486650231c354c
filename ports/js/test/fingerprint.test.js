import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  MAX_LENGTH, SCHEMES, decode, fingerprint, removeLinks, tokens, trace,
} from '../src/index.js';
import { generator } from './generator.js';
import { xxh64 } from '../src/xxh64.js';

test('bytes and text give the same fingerprint', () => {
  const text = '\ufeffAn É, \ud83d\ude00 and 東京';
  assert.equal(fingerprint(new TextEncoder().encode(text)), fingerprint(text));
});

test('the order of words does not matter', () => {
  assert.equal(fingerprint('one two three'), fingerprint('three\n"One" (two)'));
});

test('a token counts eight times at most (SD-CAP-1)', () => {
  const times = (count) => trace('word '.repeat(count)).buckets;
  assert.deepEqual(times(9), times(8));
  assert.notDeepEqual(times(8), times(7));
  assert.equal(trace('word '.repeat(9)).tokens.length, 9);
});

test('sums are clamped once, at the end (SD-SUM-1, SD-BUCKET-1)', () => {
  const many = trace(Array.from({ length: 40_000 }, (_, index) => `w${index}`).join(' ')).buckets;
  assert.ok(many.includes(127) && many.includes(-127));
  assert.ok(many.every((bucket) => Math.abs(bucket) <= 127));
});

test('wide fingerprints begin with the narrow ones (SD-WIDE-3)', () => {
  const hexes = [...SCHEMES.keys()].map((id) => decode(fingerprint('one two three', id)).hex);
  hexes.forEach((hex, index) => assert.ok(hexes.at(-1).startsWith(hex), `scheme ${index + 1}`));
  const wide = trace('one two three', 'sd512');
  assert.equal(wide.buckets.length, 512);
  assert.equal(wide.hashes.length, 24);
});

test('lane j of a document of one token is its hash with seed j (SD-WIDE-2, SD-WIDE-3)', () => {
  const hashes = Array.from({ length: 8 }, (_, seed) => xxh64(new TextEncoder().encode('word'), 4, seed));
  const expected = hashes.map((halves) => halves.map((half) => half.toString(16).padStart(8, '0')).join(''));
  const { hex, hashes: traced } = trace('word', 'sd512');
  assert.equal(hex, expected.join(''));
  assert.deepEqual(traced, expected);
});

test('texts without tokens have no fingerprint (SD-SUM-2)', () => {
  for (const text of ['', ' \n', '42 ___ 2024', '\u0301', 'http://example.org/', '\u200b', '\u17e2\u17e0', '😀']) {
    assert.throws(() => fingerprint(text), { name: 'no-token' }, JSON.stringify(text));
    assert.throws(() => trace(text), { name: 'no-token' }, JSON.stringify(text));
  }
});

test('unsuitable arguments', () => {
  assert.throws(() => fingerprint('a', 'sd32'), { name: 'unknown-scheme' });
  assert.throws(() => fingerprint(/** @type {any} */ (undefined)), TypeError);
  assert.throws(() => fingerprint('a '.repeat(MAX_LENGTH / 2 + 1)), { name: 'over-limit' });
  assert.throws(() => fingerprint(new Uint8Array(3 * MAX_LENGTH + 4)), { name: 'over-limit' });
});

test('tokens at the borders of section 6', () => {
  assert.deepEqual(tokens('__a__ _ a_b_ ‿x⁀'), ['a', 'a_b', 'x']);
  assert.deepEqual(tokens('東1京'), ['京', '東'], 'a digit ends a stretch');
  assert.deepEqual(tokens('東_京都_'), ['京都', '東'], 'so does a connector');
  assert.deepEqual(tokens('\u{20000}\u{20001}\u{20002}'), ['\u{20000}\u{20001}', '\u{20001}\u{20002}']);
  assert.deepEqual(tokens('\u{10428} \uffdc'), ['\uffdc', '\u{10428}'], 'in the order of UTF-8');
});

test('links at the borders of section 5', () => {
  for (const [text, expected] of [
    [`${'a'.repeat(32)}://x y`, '  y'],
    [`g${'a'.repeat(32)}://x y`, `g${'a'.repeat(32)}://x y`],
    ['éhttp://x y', 'é  y'],
    ['www.a', 'www.a'],
    ['www.a. b', '  b'],
    ['mailto:a@b.c_d', ' _d'],
    ['a@b.c.', ' .'],
    ['a@b..c', 'a@b..c'],
    ['10.123/x', '10.123/x'],
    ['10.1234.5.6.7/x', ' '],
    ['10.1234.5.6.7.8/x', '10.1234.5.6.7.8/x'],
    ['10.1234/ x', '10.1234/ x'],
    ['urn:.', 'urn:.'],
    ['0'.repeat(128), ' '],
    ['0'.repeat(129), '0'.repeat(129)],
    [`${'0'.repeat(32)}é`, ' é'],
    [`${'0'.repeat(32)}g`, `${'0'.repeat(32)}g`],
    ['', ''],
  ]) {
    assert.equal(removeLinks(text), expected, text);
  }
});

test('large malicious documents', async (t) => {
  const random = generator(4);
  const ideographs = Uint16Array.from({ length: 350_000 }, () => 0x4e00 + random(20_000));
  for (const [name, text] of Object.entries({
    'one long word': 'a'.repeat(10_000_000),
    'a million marks': `a${'\u0301'.repeat(1_000_000)}`,
    'a million marks out of order': `a${'\u0301\u0316'.repeat(500_000)}`,
    'no spaces': Array.from(ideographs, (unit) => String.fromCharCode(unit)).join(''),
    hyphens: 'a-'.repeat(1_000_000),
    'hyphens after an at sign': `${'a-'.repeat(31)}a@${'a-'.repeat(1_000_000)}`,
    'at signs': `a ${'@ '.repeat(1_000_000)}`,
    digits: `a ${'1'.repeat(10_000_000)}`,
    'full stops': 'a.'.repeat(1_000_000),
    'an address with many labels': `b a@${'a.'.repeat(7_500_000)}`,
    'a long address': `b http://${'a'.repeat(15_000_000)}`,
    expansion: '\ufdfa'.repeat(1_000_000),
    'long words that begin alike': Array.from({ length: 50 }, (_, index) => 'a'.repeat(20_000) + index).join(' '),
  })) {
    await t.test(name, () => {
      assert.match(fingerprint(text), /^sd64:[a-z2-7]{13}$/);
    });
  }
});
