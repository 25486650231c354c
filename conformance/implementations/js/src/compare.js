/**
 * Section 10, distance and similarity, and section 13, look-up, by looking at every entry.
 */
import { SimhashDocError } from './errors.js';
import { SCHEMES } from './pinned.js';
import { decode } from './textform.js';

/** Number of bits that are 1, for each byte. */
const ONES = Uint8Array.from({ length: 256 }, (_, byte) => byte.toString(2).replaceAll('0', '').length);

/** SD-DIST-1 and SD-DIST-2, for decoded fingerprints. */
function decodedDistance(a, b) {
  if (a.scheme !== b.scheme) {
    throw new SimhashDocError('scheme-mismatch', `a fingerprint of ${a.scheme} cannot be compared with one of `
      + `${b.scheme}: make both with one scheme`);
  }
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
  return decodedDistance(decode(a), decode(b));
}

/**
 * 1 for equal fingerprints, 0 for opposite ones (SD-DIST-3).
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function similarity(a, b) {
  const decoded = decode(a);
  return 1 - decodedDistance(decoded, decode(b)) / SCHEMES.get(decoded.scheme).bits;
}

/** The entries with decoded fingerprints, and an error that names the entry if one cannot be read. */
function decodeEntries(entries) {
  const pairs = entries instanceof Map ? [...entries] : Object.entries(entries);
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
    throw new RangeError(`the distance has to be an integer that is 0 or more, and is ${radius}`);
  }
}

/**
 * The ids of all entries at `radius` or less from a fingerprint, in the order of the entries (SD-LOOK-1, SD-LOOK-2).
 *
 * @param {Map<string, string> | Record<string, string>} entries
 * @param {string} text
 * @param {number} radius
 * @returns {string[]}
 */
export function query(entries, text, radius) {
  checkRadius(radius);
  const wanted = decode(text);
  return decodeEntries(entries)
    .filter(({ fingerprint }) => decodedDistance(wanted, fingerprint) <= radius)
    .map(({ id }) => id);
}

/**
 * The ids of all pairs of different entries at `radius` or less from each other (SD-LOOK-3). The time grows with the
 * square of the number of entries.
 *
 * @param {Map<string, string> | Record<string, string>} entries
 * @param {number} radius
 * @returns {[string, string][]}
 */
export function findAll(entries, radius) {
  checkRadius(radius);
  const decoded = decodeEntries(entries);
  return decoded.flatMap((first, index) => decoded.slice(index + 1)
    .filter((second) => decodedDistance(first.fingerprint, second.fingerprint) <= radius)
    .map((second) => /** @type {[string, string]} */ ([first.id, second.id])));
}
