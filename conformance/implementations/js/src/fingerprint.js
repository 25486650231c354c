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
 * The longest document, in UTF-16 code units (section 17, "Limits"). It keeps the folded text under the longest string,
 * and the distinct tokens under the largest Map, of every current engine.
 */
export const MAX_LENGTH = 16_000_000;

/** The bytes of a document of MAX_LENGTH: at most three for each code unit, and a byte order mark. */
const MAX_BYTES = 3 * MAX_LENGTH + 3;

/** The text of a document (section 3), if it is not over the limit. */
function textOf(document) {
  const isText = typeof document === 'string';
  if (!isText && !(document instanceof Uint8Array)) {
    throw new TypeError('a document is a string or a Uint8Array');
  }
  if (!isText && document.length > MAX_BYTES) throw tooLarge(`${document.length} bytes`);
  const text = isText ? document : decodeUtf8(document);
  if (text.length > MAX_LENGTH) throw tooLarge(`${text.length} UTF-16 code units`);
  return text;
}

function tooLarge(size) {
  return new SimhashDocError('too-large', `the document has ${size}, and ${MAX_LENGTH} code units are the most`);
}

/** The scheme of a canonical fingerprint: what this module makes is never customised (SD-CUSTOM-1). */
function canonicalScheme(id) {
  const { scheme, canonical } = findScheme(id);
  if (!canonical) {
    throw new SimhashDocError('unknown-scheme', `"${id}" is for customised fingerprints; did you mean "${scheme.id}"?`);
  }
  return scheme;
}

/** Buckets and bytes of a prepared text; `no-token` if there is nothing to make them from (SD-SUM-2). */
function measure(prepared, scheme) {
  const counts = countTokens(prepared);
  if (counts.size === 0) {
    throw new SimhashDocError('no-token', 'the document holds no word, and so it has no fingerprint');
  }
  const buckets = bucketsOf(counts, scheme.bits / 64);
  return { buckets, bytes: signs(buckets) };
}

/**
 * The fingerprint of a document, with its scheme, such as "sd64:raeidodvqipge".
 *
 * @param {string | Uint8Array} document a text, or its UTF-8 bytes
 * @param {string} [id] the short id of the scheme
 * @returns {string}
 */
export function fingerprint(document, id = 'sd64') {
  const scheme = canonicalScheme(id);
  const { bytes } = measure(removeLinks(fold(textOf(document))), scheme);
  return encode(bytes, scheme.id);
}

/**
 * The result of each step, for looking for the step in which two implementations differ.
 *
 * @param {string | Uint8Array} document
 * @param {string} [id]
 * @returns {import('./index.js').Trace}
 */
export function trace(document, id = 'sd64') {
  const scheme = canonicalScheme(id);
  const folded = fold(textOf(document));
  const prepared = removeLinks(folded);
  const { buckets, bytes } = measure(prepared, scheme);
  const listed = tokens(prepared);
  const words = Array.from({ length: scheme.bits / 64 }, (_, word) => word);
  return {
    folded,
    prepared,
    tokens: listed,
    hashes: words.flatMap((word) => listed.map((token) => hashToken(token, word))),
    buckets: Array.from(buckets),
    hex: toHex(bytes),
    fingerprint: encode(bytes, scheme.id),
  };
}
