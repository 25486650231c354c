/** All cases of the conformance suite except those of the class extract, without its runner. */
import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { answer } from '../adapter/operations.js';
import { VECTORS } from './specification.js';

const DOCUMENT = ['text', 'bytes', 'utf16', 'recipe'];

const sorted = (list) => list.map((item) => JSON.stringify(item)).sort();

/** The result with the lists sorted whose order is free, or the error. */
function outcome(op, { result, error }) {
  if (error !== undefined) return { error };
  if (op === 'tokens' && Array.isArray(result)) return sorted(result);
  if (op === 'trace') return { ...result, tokens: sorted(result.tokens) };
  if (op === 'query') return result.map(sorted);
  if (op === 'update') return result.map((step) => step.map(sorted));
  if (op === 'find_all') return sorted(result.map((pair) => [...pair].sort()));
  return result;
}

function check({ id, op, flags, input, expected, same = [] }) {
  const given = answer({ op, ...input });
  if (flags.includes('huge') && given.error === 'over-limit') return;
  if (Object.keys(expected).length > 0) assert.deepEqual(outcome(op, given), outcome(op, expected), id);
  const rest = Object.fromEntries(Object.entries(input).filter(([name]) => !DOCUMENT.includes(name)));
  for (const document of same) {
    assert.deepEqual(outcome(op, answer({ op, ...rest, ...document })), outcome(op, given), id);
  }
}

// The runner generates the entries of the sizes.
for (const name of readdirSync(VECTORS).filter((file) => /^cases-(?!index-sizes).*\.json$/.test(file))) {
  const cases = JSON.parse(readFileSync(join(VECTORS, name), 'utf8')).cases.filter(({ op }) => op !== 'extract');
  if (cases.length > 0) test(`${name}: ${cases.length} cases`, () => cases.forEach(check));
}
