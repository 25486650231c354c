/** Documents in pieces (SD-PIECE-1). Small blocks make short texts pass the borders of blocks. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Accumulator } from '../src/accumulator.js';
import { MAX_LENGTH, buckets, fingerprint } from '../src/index.js';
import { VECTORS } from './specification.js';

const encoder = new TextEncoder();

/** The result, or the name of the error. */
const outcome = (step) => {
  try {
    return step();
  } catch (error) {
    return error.name;
  }
};

const added = (pieces, block) => {
  const accumulator = new Accumulator(block);
  for (const piece of pieces) accumulator.update(piece);
  return accumulator;
};

const check = (document, pieces, block) => {
  const expected = outcome(() => buckets(document));
  assert.deepEqual(outcome(() => added(pieces, block).buckets()), expected, `${JSON.stringify(pieces)}, block ${block}`);
};

const cut = (document, size) => Array.from({ length: Math.ceil(document.length / size) }, (_, number) => (
  document.slice(number * size, (number + 1) * size)
));

test('short texts of the vectors, split everywhere', () => {
  const { cases } = JSON.parse(readFileSync(join(VECTORS, 'core/cases-core.json'), 'utf8'));
  const texts = cases.filter(({ op }) => op === 'fingerprint').map(({ input }) => input.text);
  const inputs = texts.filter((text) => text?.length < 100);
  assert.ok(inputs.length > 20);
  for (const input of inputs) {
    for (const document of [input, encoder.encode(input)]) {
      for (let at = 0; at <= document.length; at++) check(document, [document.slice(0, at), document.slice(at)]);
      for (const block of [1, 150]) check(document, cut(document, 1), block);
    }
  }
});

test('links and runs that are longer than a block', () => {
  const label = (length) => 'b'.repeat(length);
  const repeated = {
    links: ['http://a.b/', 'www.a.', 'doi:1', '10.1000/1', 'x.y://'].map((start) => start + 'a.b-1'.repeat(300)),
    'links without full stops': ['http://', 'urn:a'].map((start) => start + 'a'.repeat(1500)),
    addresses: [1, 62, 63].map((length) => `mailto:a@b${`.${label(length)}`.repeat(40)}`),
    'last labels': [62, 63, 64, 65].map((length) => `a@b${'.c'.repeat(400)}.${label(length)}`),
    'a long local part': [63, 64, 65].map((length) => `${label(length)}@c${'.d'.repeat(400)}.`),
    marks: [`a${'\u0301'.repeat(2000)}`, `é${'\u0316\u0301'.repeat(1000)}`, `1${'\u00ad'.repeat(2000)}\u0301`],
    jamo: ['\u1100\u1161\u11a8', '\u1161', '\u11a8', '\u09c7\u09be'].map((text) => text.repeat(500)),
    words: ['a', '東', '1', '\u{20000}', '_'].map((text) => text.repeat(2000)),
    bytes: ['a'.repeat(31), 'a'.repeat(128), '123e4567-e89b-12d3-a456-426614174000'].map((text) => `${text}.`.repeat(30)),
  };
  for (const [name, texts] of Object.entries(repeated)) {
    for (const text of texts.flatMap((start) => [start, `x ${start} y`, `${start}@c.d é`, `${start}_10.1000/1`])) {
      for (const size of [1, 7, 150, 700]) {
        const pieces = cut(text, size);
        const found = outcome(() => added(pieces, size).buckets());
        assert.deepEqual(found, outcome(() => buckets(text)), `${name}: ${text.slice(0, 40)}, pieces of ${size}`);
      }
    }
  }
});

test('ill-formed bytes across pieces (SD-INPUT-2)', () => {
  const hard = [
    'c3', 'c3a9', 'e282', 'e282ac', 'f09f98', 'f09f9880', 'eda080', 'f4908080', 'c0af', 'ff', '80808080', 'efbbbf', 'f0', 'e0',
  ].map((hex) => Buffer.from(hex, 'hex'));
  for (const first of hard) {
    for (const second of hard) {
      const bytes = Buffer.concat([Buffer.from('a'), first, second, Buffer.from('b')]);
      for (let from = 1; from <= bytes.length; from++) {
        const document = bytes.subarray(0, from);
        check(document, Array.from(document, (byte) => Uint8Array.of(byte)));
      }
    }
  }
});

test('text and bytes in one document: each sequence and pair ends with its kind of piece', () => {
  const pieces = [encoder.encode('on'), 'e tw', Uint8Array.of(0x6f, 0xc3), '\u00a9 thr\ud83d', encoder.encode('ee'), '\ude00é'];
  assert.equal(added(pieces).fingerprint(), fingerprint('one two\ufffd\u00a9 thr\ufffdee\ufffdé'));
});

test('a buffer can be used again for the next piece', () => {
  const accumulator = new Accumulator();
  const buffer = Buffer.alloc(1);
  for (const byte of encoder.encode('été 東京')) {
    buffer[0] = byte;
    accumulator.update(buffer);
  }
  assert.equal(accumulator.fingerprint(), fingerprint('été 東京'));
});

test('results can be asked for between pieces', () => {
  const text = 'Cafe\u0301 http://a.example/b 東京 \ud83d\ude00 un\u0301i';
  for (const document of [text, encoder.encode(text)]) {
    const accumulator = new Accumulator(1);
    for (let at = 0; at < document.length; at++) {
      accumulator.update(document.slice(at, at + 1));
      const part = document.slice(0, at + 1);
      for (const id of ['sd64', 'sd512']) {
        assert.equal(outcome(() => accumulator.fingerprint(id)), outcome(() => fingerprint(part, id)));
        assert.deepEqual(outcome(() => accumulator.buckets(id)), outcome(() => buckets(part, id)));
      }
    }
  }
});

test('documents without tokens and unsuitable arguments', () => {
  assert.throws(() => new Accumulator().fingerprint(), { name: 'no-token' });
  assert.throws(() => new Accumulator().update('').update('1 2').buckets(), { name: 'no-token' });
  assert.throws(() => new Accumulator().fingerprint('sd65'), { name: 'unknown-scheme' });
  assert.throws(() => new Accumulator().buckets('SD64'), { name: 'unknown-scheme' });
  const accumulator = new Accumulator().update('a');
  assert.throws(() => accumulator.update(/** @type {any} */ ([97])), TypeError);
  assert.equal(accumulator.fingerprint(), fingerprint('a'));
});

test('the limit is that of a complete document, and no later call gives a result (SD-SEC-1)', () => {
  const piece = ' '.repeat(MAX_LENGTH / 100);
  const bytes = encoder.encode(piece);
  for (const [start, fill, end] of [['a', piece, ' '], [Uint8Array.of(0xef, 0xbb, 0xbf, 0x61), bytes, Uint8Array.of(0xc3)]]) {
    const accumulator = added([start, ...new Array(99).fill(fill), fill.slice(1)]);
    assert.equal(accumulator.fingerprint(), fingerprint('a'));
    outcome(() => accumulator.update(end));
    for (const call of [() => accumulator.fingerprint(), () => accumulator.update('b'), () => accumulator.buckets()]) {
      assert.throws(call, { name: 'over-limit' });
    }
  }
});

test('memory does not grow with the text', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc');
  const long = (number) => `long-token-${'x'.repeat(20)}${number}`;
  for (const [name, start, piece] of [
    ['a link', 'a http://', () => 'a'.repeat(50_000)],
    ['labels', 'b a@b', () => '.c'.repeat(25_000)],
    ['marks', 'a', () => '\u0301'.repeat(50_000)],
    ['ignored', 'a', () => '\u00ad'.repeat(50_000)],
    ['full stops', 'a', () => '.'.repeat(50_000)],
    ['one long token per piece', 'a', (number) => `${long(number)} ${'.'.repeat(50_000)}`],
  ]) {
    collect();
    const before = process.memoryUsage().heapUsed;
    const accumulator = added([start]);
    for (let number = 0; number < 100; number++) accumulator.update(piece(number));
    collect();
    const grown = process.memoryUsage().heapUsed - before;
    assert.ok(grown < 1_500_000, `${name}: ${grown} bytes`);
    assert.equal(typeof accumulator.fingerprint(), 'string');
  }
});
