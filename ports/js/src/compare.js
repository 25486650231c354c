/**
 * Section 10, distance and similarity, and search (search.md), by comparing every entry.
 */
import { SimhashDocError } from './errors.js';
import { SCHEMES } from './tables.js';
import { decode, findScheme } from './textform.js';

/** The bits of a decoded fingerprint, which must be of the scheme `id` (SD-DIST-2, SD-LOOK-4). */
function wordsOf({ scheme, bytes }, id) {
  if (scheme !== id) {
    throw new SimhashDocError('scheme-mismatch', `a fingerprint of ${scheme} cannot be compared with one of ${id}: `
      + 'compute both with the same scheme');
  }
  return new Uint32Array(bytes.buffer);
}

/** The number of bits that are 1 among 32. */
function countOnes(word) {
  const pairs = word - ((word >>> 1) & 0x55555555);
  const nibbles = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((nibbles + (nibbles >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** SD-DIST-1 */
function differingBits(a, b) {
  let bits = 0;
  for (let at = 0; at < a.length; at++) bits += countOnes(a[at] ^ b[at]);
  return bits;
}

/**
 * The number of bits in which two fingerprints differ (SD-DIST-1).
 *
 * @param {string} a
 * @param {string} b
 * @returns {number}
 */
export function distance(a, b) {
  const first = decode(a);
  return differingBits(wordsOf(decode(b), first.scheme), wordsOf(first, first.scheme));
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

function checkRadius(radius) {
  if (!Number.isInteger(radius) || radius < 0) {
    throw new RangeError(`the distance ${radius} is not an integer of 0 or more`);
  }
}

/** The documentation of the public names is in index.d.ts. */
export class Index {
  #scheme;
  #entries = new Map();

  constructor(scheme = 'sd64') {
    this.#scheme = findScheme(scheme).id;
  }

  get size() {
    return this.#entries.size;
  }

  insert(id, text) {
    const words = wordsOf(decode(text), this.#scheme);
    if (this.#entries.has(id)) throw new RangeError(`the id ${JSON.stringify(id)} is in the index already: remove it first`);
    this.#entries.set(id, words);
  }

  remove(id) {
    if (!this.#entries.delete(id)) throw new RangeError(`the id ${JSON.stringify(id)} is not in the index`);
  }

  /** SD-LOOK-1, SD-LOOK-2 */
  query(text, radius) {
    checkRadius(radius);
    const wanted = wordsOf(decode(text), this.#scheme);
    const found = [];
    for (const [id, words] of this.#entries) {
      if (differingBits(wanted, words) <= radius) found.push(id);
    }
    return found;
  }

  /** SD-LOOK-3 */
  findAll(radius) {
    checkRadius(radius);
    const ids = [...this.#entries.keys()];
    const width = SCHEMES.get(this.#scheme).bits / 32;
    const words = new Uint32Array(ids.length * width); // of all entries: an array for each would take several times as long
    [...this.#entries.values()].forEach((entry, at) => words.set(entry, at * width));
    const pairs = [];
    for (let first = 0; first < ids.length; first++) {
      for (let second = first + 1; second < ids.length; second++) {
        let bits = 0;
        for (let at = 0; at < width && bits <= radius; at++) {
          bits += countOnes(words[first * width + at] ^ words[second * width + at]);
        }
        if (bits <= radius) pairs.push([ids[first], ids[second]]);
      }
    }
    return pairs;
  }
}
