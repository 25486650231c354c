/**
 * Sections 7 and 8: from counted tokens to buckets and bits.
 */
import { xxh64 } from './xxh64.js';

/** SD-CAP-1 */
export const CAP = 8;

/** SD-BUCKET-1 */
export const LIMIT = 127;

const encoder = new TextEncoder();
const shortBuffer = new Uint8Array(1024);

/** The UTF-8 bytes of a token, in a buffer that the next call may overwrite. Lone surrogates become U+FFFD. */
function utf8(token) {
  if (token.length * 3 > shortBuffer.length) {
    const bytes = encoder.encode(token);
    return { bytes, length: bytes.length };
  }
  return { bytes: shortBuffer, length: encoder.encodeInto(token, shortBuffer).written };
}

/**
 * The hash of a token (SD-HASH-1), for one lane of a wide scheme (SD-WIDE-2), as 16 hexadecimal digits.
 *
 * @param {string} token
 * @param {number} [lane]
 * @returns {string}
 */
export function hashToken(token, lane = 0) {
  const { bytes, length } = utf8(token);
  return xxh64(bytes, length, lane).map((half) => half.toString(16).padStart(8, '0')).join('');
}

/** The greatest sum of weights that a byte holds. */
const BYTE = 255;

/**
 * Adds the weight to those of 32 sums whose bit in one half of a hash is 1. Byte j of the integer at `first + k` is the
 * sum of bit 8 j + k, so an addition serves four sums.
 */
function addBits(packed, first, half, weight) {
  for (let k = 0; k < 8; k++) {
    packed[first + k] += Math.imul((half >>> k) & 0x01010101, weight);
  }
}

/** Adds the bytes of the packed sums to the sums, and clears them. */
function unpack(packed, sums) {
  for (let at = 0; at < packed.length; at++) {
    const first = 32 * (at >>> 3) + (at & 7);
    for (let j = 0; j < 4; j++) sums[first + 8 * j] += (packed[at] >>> (8 * j)) & 0xff;
  }
  packed.fill(0);
}

/**
 * The buckets, lane by lane (SD-CAP-1, SD-HASH-1, SD-SUM-1, SD-BUCKET-1, SD-WIDE-2).
 *
 * The sums are exact in 32 bits: no sum exceeds the number of tokens, and no string has 2^31 characters.
 *
 * @param {Map<string, number>} counts
 * @param {number} lanes
 * @returns {Int8Array}
 */
export function bucketsOf(counts, lanes) {
  // A bit of 1 adds the weight, one of 0 subtracts it (SD-SUM-1): twice the weights of 1 less all weights.
  const sums = new Int32Array(64 * lanes);
  const packed = new Int32Array(16 * lanes);
  let total = 0;
  let inBytes = 0;
  for (const [token, count] of counts) {
    const weight = Math.min(count, CAP);
    total += weight;
    inBytes += weight;
    if (inBytes > BYTE) {
      unpack(packed, sums);
      inBytes = weight;
    }
    const { bytes, length } = utf8(token);
    for (let lane = 0; lane < lanes; lane++) {
      const [high, low] = xxh64(bytes, length, lane);
      addBits(packed, 16 * lane, low, weight);
      addBits(packed, 16 * lane + 8, high, weight);
    }
  }
  unpack(packed, sums);
  return Int8Array.from(sums, (sum) => Math.max(-LIMIT, Math.min(LIMIT, 2 * sum - total)));
}

/**
 * The fingerprint as bytes: bit i of lane j is 1 if bucket 64 j + i is positive (SD-SIGN-1). The lanes follow each
 * other, most significant byte first (SD-TEXT-1, SD-WIDE-3).
 *
 * @param {Int8Array} buckets
 * @returns {Uint8Array}
 */
export function signs(buckets) {
  const bytes = new Uint8Array(buckets.length / 8);
  buckets.forEach((bucket, number) => {
    if (bucket <= 0) return;
    const lane = number >>> 6;
    const bit = number & 63;
    bytes[8 * lane + 7 - (bit >>> 3)] |= 1 << (bit & 7);
  });
  return bytes;
}
