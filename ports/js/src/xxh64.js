/**
 * XXH64 (SD-HASH-1, appendix A) in 32-bit arithmetic.
 *
 * A 64-bit integer is stored as two unsigned halves. `acc` is the accumulator of the small functions below. It is a
 * typed array because engines keep its elements unboxed.
 */

const P1H = 0x9e3779b1, P1L = 0x85ebca87;
const P2H = 0xc2b2ae3d, P2L = 0x27d4eb4f;
const P3H = 0x165667b1, P3L = 0x9e3779f9;
const P4H = 0x85ebca77, P4L = 0xc2b2ae63;
const P5H = 0x27d4eb2f, P5L = 0x165667c5;

const HIGH = 0;
const LOW = 1;
const acc = new Uint32Array(2);

/** The lanes v1 to v4 of step 1, as high and low halves. */
const lanes = new Uint32Array(8);

/** acc = (high, low) */
function set(high, low) {
  acc[HIGH] = high;
  acc[LOW] = low;
}

/** acc = acc + (high, low) */
function add(high, low) {
  const sum = acc[LOW] + low;
  acc[LOW] = sum;
  acc[HIGH] = acc[HIGH] + high + (sum > 0xffffffff ? 1 : 0);
}

/** acc = acc xor (high, low) */
function xor(high, low) {
  acc[HIGH] ^= high;
  acc[LOW] ^= low;
}

/** acc = rotl(acc, r), for 0 < r < 32 */
function rotl(r) {
  const high = acc[HIGH], low = acc[LOW];
  acc[HIGH] = (high << r) | (low >>> (32 - r));
  acc[LOW] = (low << r) | (high >>> (32 - r));
}

/** acc = acc * (high, low). The low halves are multiplied in pieces of 16 bits, so that no product exceeds 2^32. */
function mul(high, low) {
  const a0 = acc[LOW] & 0xffff, a1 = acc[LOW] >>> 16;
  const b0 = low & 0xffff, b1 = low >>> 16;
  const p00 = a0 * b0, p01 = a0 * b1, p10 = a1 * b0, p11 = a1 * b1;
  const middle = (p00 >>> 16) + (p01 & 0xffff) + (p10 & 0xffff);
  const carried = p11 + (p01 >>> 16) + (p10 >>> 16) + (middle >>> 16);
  acc[HIGH] = carried + Math.imul(acc[HIGH], low) + Math.imul(acc[LOW], high);
  acc[LOW] = (middle << 16) | (p00 & 0xffff);
}

/** The 32 bits at `at` in little-endian order. */
function word32(bytes, at) {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0;
}

/** acc = round((high, low), lane): rotl((high, low) + lane * P2, 31) * P1 */
function round(high, low, laneHigh, laneLow) {
  set(laneHigh, laneLow);
  mul(P2H, P2L);
  add(high, low);
  rotl(31);
  mul(P1H, P1L);
}

/** Lane k = acc */
function store(k) {
  lanes[2 * k] = acc[HIGH];
  lanes[2 * k + 1] = acc[LOW];
}

/** Step 1 for inputs of 32 bytes or more; returns the position after the last complete block. */
function blocks(bytes, length, seed) {
  set(P1H, P1L); add(P2H, P2L); add(0, seed); store(0);
  set(P2H, P2L); add(0, seed); store(1);
  set(0, seed); store(2);
  set(~P1H, ~P1L); add(0, 1); add(0, seed); store(3);
  let at = 0;
  for (; at + 32 <= length; at += 32) {
    for (let k = 0; k < 4; k++) {
      round(lanes[2 * k], lanes[2 * k + 1], word32(bytes, at + 8 * k + 4), word32(bytes, at + 8 * k));
      store(k);
    }
  }
  let high = 0, low = 0;
  [1, 7, 12, 18].forEach((r, k) => {
    set(lanes[2 * k], lanes[2 * k + 1]);
    rotl(r);
    add(high, low);
    high = acc[HIGH];
    low = acc[LOW];
  });
  for (let k = 0; k < 4; k++) {
    round(0, 0, lanes[2 * k], lanes[2 * k + 1]);
    xor(high, low);
    mul(P1H, P1L);
    add(P4H, P4L);
    high = acc[HIGH];
    low = acc[LOW];
  }
  return at;
}

/**
 * The hash of the first `length` bytes.
 *
 * @param {Uint8Array} bytes
 * @param {number} [length]
 * @param {number} [seed] an integer from 0 to 2^32 - 1
 * @returns {[number, number]} the high and the low 32 bits
 */
export function xxh64(bytes, length = bytes.length, seed = 0) {
  let at = 0;
  if (length < 32) {
    set(P5H, P5L);
    add(0, seed);
  } else {
    at = blocks(bytes, length, seed);
  }
  add(0, length);
  for (; at + 8 <= length; at += 8) {
    const high = acc[HIGH], low = acc[LOW];
    round(0, 0, word32(bytes, at + 4), word32(bytes, at));
    xor(high, low);
    rotl(27);
    mul(P1H, P1L);
    add(P4H, P4L);
  }
  if (at + 4 <= length) {
    const high = acc[HIGH], low = acc[LOW];
    set(0, word32(bytes, at));
    mul(P1H, P1L);
    xor(high, low);
    rotl(23);
    mul(P2H, P2L);
    add(P3H, P3L);
    at += 4;
  }
  for (; at < length; at++) {
    const high = acc[HIGH], low = acc[LOW];
    set(0, bytes[at]);
    mul(P5H, P5L);
    xor(high, low);
    rotl(11);
    mul(P1H, P1L);
  }
  // Step 4: a shift right by 33, 29 and 32 bits.
  xor(0, acc[HIGH] >>> 1);
  mul(P2H, P2L);
  xor(acc[HIGH] >>> 29, (acc[HIGH] << 3) | (acc[LOW] >>> 29));
  mul(P3H, P3L);
  xor(0, acc[HIGH]);
  return [acc[HIGH], acc[LOW]];
}
