/**
 * Section 10, distance and similarity, and search (search.md), by comparing every entry.
 */
import { SimhashDocError } from './errors.js';
import { SCHEMES } from './tables.js';
import { decode } from './textform.js';

/** The number of set bits of each byte. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** SD-DIST-2 and SD-LOOK-4: decoded fingerprints must be of one scheme. */
function checkSchemes(fingerprints) {
  const other = fingerprints.find(({ scheme }) => scheme !== fingerprints[0].scheme);
  if (other) {
    throw new SimhashDocError('scheme-mismatch', `a fingerprint of ${fingerprints[0].scheme} cannot be compared with `
      + `one of ${other.scheme}: compute both with the same scheme`);
  }
}

/** SD-DIST-1, for decoded fingerprints of one scheme. */
function decodedDistance(a, b) {
  let distance = 0;
  for (let at = 0; at < a.bytes.length; at++) distance += ONES[a.bytes[at] ^ b.bytes[at]];
  return distance;
}

/**
 * The number of bits in which two fingerprints differ (SD-DIST-1).
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function distance(a, b) {
  const decoded = [decode(a), decode(b)];
  checkSchemes(decoded);
  return decodedDistance(decoded[0], decoded[1]);
}

/**
 * 1 for equal fingerprints, 0 for opposite ones (SD-DIST-3).
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function similarity(a, b) {
  return 1 - distance(a, b) / SCHEMES.get(decode(a).scheme).bits;
}

/** The entries with decoded fingerprints. The error for a malformed one names the entry. */
function decodeEntries(entries) {
  const pairs = Symbol.iterator in entries ? [...entries] : Object.entries(entries);
  return pairs.map(([id, text]) => {
    try {
      return { id, fingerprint: decode(text) };
    } catch (error) {
      if (!(error instanceof SimhashDocError)) throw error;
      throw new SimhashDocError(error.name, `entry ${JSON.stringify(id)}: ${error.message}`);
    }
  });
}

function checkRadius(radius) {
  if (!Number.isInteger(radius) || radius < 0) {
    throw new RangeError(`the distance ${radius} is not an integer of 0 or more`);
  }
}

/**
 * The ids of all entries within `radius` of a fingerprint, in the order of the entries (SD-LOOK-1, SD-LOOK-2).
 *
 * @param {import('./index.js').Entries} entries
 * @param {string} text
 * @param {number} radius
 * @returns {string[]}
 */
export function query(entries, text, radius) {
  return queryAll(entries, [text], radius)[0];
}

/**
 * The answers to several queries. The entries are checked first, then the queries (SD-TEXT-9), then their schemes.
 *
 * @param {import('./index.js').Entries} entries
 * @param {string[]} texts
 * @param {number} radius
 * @returns {string[][]}
 */
export function queryAll(entries, texts, radius) {
  checkRadius(radius);
  const decoded = decodeEntries(entries);
  const queries = texts.map((text) => decode(text));
  checkSchemes([...decoded.map(({ fingerprint }) => fingerprint), ...queries]);
  return queries.map((wanted) => decoded
    .filter(({ fingerprint }) => decodedDistance(wanted, fingerprint) <= radius)
    .map(({ id }) => id));
}

/**
 * The ids of all pairs of different entries within `radius` of each other (SD-LOOK-3). The time grows with the
 * square of the number of entries.
 *
 * @param {import('./index.js').Entries} entries
 * @param {number} radius
 * @returns {[string, string][]}
 */
export function findAll(entries, radius) {
  checkRadius(radius);
  const decoded = decodeEntries(entries);
  checkSchemes(decoded.map(({ fingerprint }) => fingerprint));
  return decoded.flatMap((first, index) => decoded.slice(index + 1)
    .filter((second) => decodedDistance(first.fingerprint, second.fingerprint) <= radius)
    .map((second) => /** @type {[string, string]} */ ([first.id, second.id])));
}
