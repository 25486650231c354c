/** The operations of the adapter that are not functions of the library. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answer } from '../adapter/operations.js';

test('hash_tokens reports an unknown scheme instead of failing', () => {
  const request = { id: 1, op: 'hash_tokens', tokens: ['one'], scheme: 'sd65' };
  assert.deepEqual(answer(request, '0'), { id: 1, error: 'unknown-scheme' });
});
