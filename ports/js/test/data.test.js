/** The generated tables against the files of the specification. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import * as tables from '../src/tables.js';
import { SPECIFICATION } from './specification.js';

const DATA = join(dirname(SPECIFICATION), 'data');

function* lines(name) {
  for (const line of readFileSync(join(DATA, name), 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [range, value = ''] = line.split(';').map((part) => part.trim());
    const [first, last = first] = range.split('..').map((hex) => parseInt(hex, 16));
    for (let codePoint = first; codePoint <= last; codePoint++) yield [codePoint, value];
  }
}

test('src/unicode-data.js is the output of build-data.mjs', () => {
  const script = fileURLToPath(new URL('../build-data.mjs', import.meta.url));
  execFileSync(process.execPath, [script, '--check', DATA]);
});

test('the flags are those of the files', () => {
  const expected = new Uint8Array(0x110000);
  for (const [name, flag] of [
    ['word.txt', tables.IS_WORD],
    ['alphabetic.txt', tables.IS_ALPHABETIC],
    ['continua.txt', tables.IS_CONTINUA],
    ['nonstarter.txt', tables.IS_NONSTARTER],
    ['assigned.txt', tables.IS_ASSIGNED],
    ['nfkc_casefold.txt', tables.IS_FOLDED],
  ]) {
    for (const [codePoint] of lines(name)) expected[codePoint] |= flag;
  }
  for (const [codePoint, value] of lines('word.txt')) {
    if (value === 'Pc') expected[codePoint] |= tables.IS_CONNECTOR;
  }
  assert.equal(Buffer.compare(Buffer.from(tables.FLAGS), Buffer.from(expected)), 0);
});

test('the folding map is that of the file', () => {
  let count = 0;
  for (const [codePoint, value] of lines('nfkc_casefold.txt')) {
    const to = value.split(' ').filter(Boolean).map((hex) => parseInt(hex, 16));
    assert.equal(tables.FOLD_MAP.get(codePoint), String.fromCodePoint(...to));
    count++;
  }
  assert.equal(tables.FOLD_MAP.size, count);
});

test('connectors are in the Basic Multilingual Plane, as trimming assumes', () => {
  const beyond = tables.FLAGS.subarray(0x10000).some((flags) => flags & tables.IS_CONNECTOR);
  assert.equal(beyond, false);
});
