/**
 * The pipeline of section 2.
 */
import { bucketsOf, hashToken, signs } from './buckets.js';
import { SimhashDocError } from './errors.js';
import { decodeUtf8, fold } from './fold.js';
import { removeLinks } from './links.js';
import { encode, findScheme, toHex } from './textform.js';
import { countTokens, tokens } from './tokens.js';

/**
 * The longest document, in UTF-16 code units (section 17, "Limits"). It keeps the folded text within the longest string,
 * and the distinct tokens within the largest Map, of every current engine.
 */
export const MAX_LENGTH = 16_000_000;

/** The most bytes of a document of MAX_LENGTH: three per code unit, and a byte order mark. */
const MAX_BYTES = 3 * MAX_LENGTH + 3;

/** The text of a document (section 3); `over-limit` if it exceeds the limit. */
function textOf(document) {
  const isText = typeof document === 'string';
  if (!isText && !(document instanceof Uint8Array)) {
    throw new TypeError('a document must be a string or a Uint8Array');
  }
  if (!isText && document.length > MAX_BYTES) throw overLimit(`${document.length} bytes`);
  const text = isText ? document : decodeUtf8(document);
  if (text.length > MAX_LENGTH) throw overLimit(`${text.length} UTF-16 code units`);
  return text;
}

/** The error for a document of a size, such as "5 bytes". */
export function overLimit(size) {
  return new SimhashDocError('over-limit', `the document has ${size}; the limit is ${MAX_LENGTH} UTF-16 code units`);
}

/** The buckets of counted tokens; `no-token` if there are none (SD-SUM-2). */
export function measure(counts, scheme) {
  if (counts.size === 0) {
    throw new SimhashDocError('no-token', 'the document has no token, so it has no fingerprint');
  }
  return bucketsOf(counts, scheme.bits / 64);
}

const countsOf = (document) => countTokens(removeLinks(fold(textOf(document))));

/**
 * The fingerprint of a document, with its scheme, such as "sd64:raeidodvqipge".
 *
 * @param {string | Uint8Array} document a text, or its UTF-8 bytes
 * @param {string} [id] the short id of the scheme
 * @returns {string}
 */
export function fingerprint(document, id = 'sd64') {
  const scheme = findScheme(id);
  return encode(signs(measure(countsOf(document), scheme)), scheme.id);
}

/**
 * The buckets of a document, lane by lane (SD-BUCKET-1).
 *
 * @param {string | Uint8Array} document
 * @param {string} [id]
 * @returns {number[]} integers from -127 to 127
 */
export function buckets(document, id = 'sd64') {
  const scheme = findScheme(id);
  return Array.from(measure(countsOf(document), scheme));
}

/**
 * The result of each step, to find the step in which two implementations differ.
 *
 * @param {string | Uint8Array} document
 * @param {string} [id]
 * @returns {import('./index.js').Trace}
 */
export function trace(document, id = 'sd64') {
  const scheme = findScheme(id);
  const folded = fold(textOf(document));
  const prepared = removeLinks(folded);
  const measured = measure(countTokens(prepared), scheme);
  const bytes = signs(measured);
  const listed = tokens(prepared);
  const lanes = Array.from({ length: scheme.bits / 64 }, (_, lane) => lane);
  return {
    folded,
    prepared,
    tokens: listed,
    hashes: lanes.flatMap((lane) => listed.map((token) => hashToken(token, lane))),
    buckets: Array.from(measured),
    hex: toHex(bytes),
    fingerprint: encode(bytes, scheme.id),
  };
}
