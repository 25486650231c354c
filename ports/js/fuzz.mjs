/**
 * Checks properties of the steps on generated texts, adds texts and bytes in pieces, and reads text forms, with fast-check:
 * SECONDS=600 node fuzz.mjs [SEED]
 *
 * An input that fails is shrunk and printed with the seed; the exit status is then 1.
 */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Accumulator } from './src/accumulator.js';
import {
  SCHEMES, SimhashDocError, buckets, decode, decodeUtf8, encode, fold, removeLinks, trace,
} from './src/index.js';
import { APPENDIX_B } from './test/specification.js';

/** Parts of texts at the borders of folding, links and tokens. */
const FRAGMENTS = [
  ' ', '.', '-', '_', '@', ':', '://', '/', '+', '%', '\n', 'a', 'e1f0', 'Z', '1', '10.', '1000', 'http://', 'www.', 'doi:', 'urn:',
  'mailto:', 'hdl:1', 'arxiv:', 'ann@example.org', '10.1000/182', '123e4567-e89b-12d3-a456-426614174000',
  'd41d8cd98f00b204e9800998ecf8427e', 'the ', 'ß', 'ﬁ', 'İ', 'É', 'Ω', '\u0301', '\u0316', '\u0345', '\u0344', '\u0323',
  '\u0301'.repeat(15), '\u0316'.repeat(29), '\u0f73', '\u0958', '\u1ea5', '가', '각', '\u1100', '\u1161', '\u11a8', '\u09c7',
  '\u09be', '\u0dd9', '\u0dcf', '\u0dca', '東', '京', 'カ', '\u3099', 'ー', '\u3007', 'ไ', '\u0e31', '\u203f', '\u00ad', '\u200d',
  '\ufeff', '\u0378', '\ufdfa', '\u{1d165}', '\u{10ffff}', '\ud800', '\udc00',
];

const SECONDS = Number(process.env.SECONDS ?? 5);
const seed = process.argv[2] === undefined ? Date.now() : Number(process.argv[2]);

const part = fc.oneof(fc.constantFrom(...FRAGMENTS), fc.string({ unit: 'binary', maxLength: 4 }));
const repeated = fc.tuple(part, fc.integer({ min: 1, max: 12 })).map(([text, count]) => text.repeat(count));
const texts = fc.array(fc.oneof(part, part, repeated), { maxLength: 24 }).map((parts) => parts.join(''));

const LINKS = APPENDIX_B();

/** All steps of a text, of the folded text, and of its UTF-8 bytes. */
function check(text) {
  const folded = fold(text);
  assert.equal(folded, folded.normalize('NFC'));
  assert.equal(fold(folded), folded);
  assert.equal(removeLinks(folded), folded.replace(LINKS, ' '));
  assert.deepEqual(outcome(() => trace(folded).tokens), outcome(() => trace(text).tokens));
  const expected = outcome(() => buckets(text, 'sd128'));
  assert.deepEqual(outcome(() => buckets(folded, 'sd128')), expected);
  const bytes = new TextEncoder().encode(text);
  assert.deepEqual(outcome(() => buckets(bytes, 'sd128')), expected);
  assert.equal(decodeUtf8(bytes), text.replace(/[\ud800-\udfff]/gu, '\ufffd').replace(/^\ufeff/u, ''));
}

/** The buckets, or the name of the error. */
function outcome(step) {
  try {
    return step();
  } catch (error) {
    assert.ok(error instanceof SimhashDocError, error);
    return error.name;
  }
}

const fragmentBytes = texts.map((text) => new TextEncoder().encode(text));
const documents = fc.oneof(texts, fragmentBytes, fc.uint8Array({ maxLength: 64 }));
const parts = fc.array(fc.tuple(documents, fc.integer({ min: 1, max: 9 })), { maxLength: 4 });
const blocks = fc.integer({ min: 1, max: 300 });

/** A document of repeated parts, complete and in pieces of up to `block` code units or bytes. */
function checkPieces(repeatedParts, asText, block, sizes) {
  const bytes = Buffer.concat(repeatedParts.flatMap(([part, count]) => new Array(count).fill(Buffer.from(part))));
  const document = asText ? repeatedParts.map(([part, count]) => String(part).repeat(count)).join('') : bytes;
  const accumulator = new Accumulator(block);
  for (let at = 0, number = 0; at < document.length; number++) {
    const end = at + sizes[number % sizes.length];
    accumulator.update(document.slice(at, end));
    at = end;
  }
  assert.deepEqual(outcome(() => accumulator.buckets()), outcome(() => buckets(document)));
}

const sizes = fc.array(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 8 });

const prefixes = fc.constantFrom('', ...[...SCHEMES.keys()].flatMap((id) => [`${id}:`, `${id.toUpperCase()}+Custom:`]), 'sd65:');
const digits = fc.string({ unit: fc.constantFrom(...'aeimq26A'), minLength: 12, maxLength: 13 });
const zeros = fc.constantFrom(0, 13, 39, 90).map((count) => 'a'.repeat(count));
const faults = fc.constantFrom('', '', '', 'b', '=', '1', '\u212a');
const textForms = fc.tuple(prefixes, zeros, digits, faults).map((parts) => parts.join(''));

/** A text form is refused with a named error, or can be written and read again. */
function checkTextForm(text) {
  let read;
  try {
    read = decode(text);
  } catch (error) {
    assert.ok(error instanceof SimhashDocError, error);
    return;
  }
  const written = encode(read.bytes, read.scheme, read.canonical);
  assert.deepEqual(decode(written, read.scheme), read);
  assert.ok(written.endsWith(text.slice(text.indexOf(':') + 1).toLowerCase()));
}

const properties = [
  fc.property(texts, check),
  fc.property(parts, fc.boolean(), blocks, sizes, checkPieces),
  fc.property(textForms, checkTextForm),
];
const begun = performance.now();
let runs = 0;
for (let round = 0; performance.now() - begun < 1000 * SECONDS; round++) {
  for (const property of properties) {
    const details = fc.check(property, { seed: (seed + round) | 0, numRuns: 200 });
    runs += details.numRuns;
    if (details.failed) {
      console.error(await fc.defaultReportMessage(details));
      process.exit(1);
    }
  }
}
console.log(`${runs} generated inputs passed (seed ${seed})`);
