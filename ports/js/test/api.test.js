/** What the vectors do not show: the interface of JavaScript to text forms and the index. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Index, SimhashDocError, decode, encode, narrow } from '../src/index.js';

const ZERO = 'sd64:aaaaaaaaaaaaa';

const fails = (step, name) => assert.throws(step, (error) => {
  assert.ok(error instanceof SimhashDocError);
  assert.equal(error.name, name);
  return true;
});

test('unsuitable arguments', () => {
  assert.throws(() => encode(/** @type {any} */ ('00')), TypeError);
  assert.throws(() => decode(/** @type {any} */ (null)), TypeError);
  fails(() => encode(new Uint8Array(7)), 'bad-length');
  fails(() => narrow(ZERO, /** @type {any} */ (undefined)), 'unknown-scheme');
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
