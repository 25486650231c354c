/** The operations of the adapter that are not functions of the library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../adapter/operations.js';

const implementation = { name: 'simhash-doc-js', version: '0' };

test('hash_tokens reports an unknown scheme instead of failing', () => {
  const request = { id: 1, op: 'hash_tokens', tokens: ['one'], scheme: 'sd65' };
  assert.deepEqual(answer(request, implementation), { id: 1, error: 'unknown-scheme' });
});
