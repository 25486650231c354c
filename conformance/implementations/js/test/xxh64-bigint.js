/** XXH64 literally by appendix A with BigInt: slow and simple, to test the fast one against it. */

const P1 = 0x9e3779b185ebca87n, P2 = 0xc2b2ae3d27d4eb4fn, P3 = 0x165667b19e3779f9n;
const P4 = 0x85ebca77c2b2ae63n, P5 = 0x27d4eb2f165667c5n;

const u64 = (x) => BigInt.asUintN(64, x);
const rotl = (x, r) => u64((x << r) | (x >> (64n - r)));
const round = (acc, lane) => u64(rotl(u64(acc + lane * P2), 31n) * P1);
const merge = (acc, v) => u64((acc ^ round(0n, v)) * P1 + P4);

/**
 * @param {Uint8Array} bytes
 * @param {bigint} [s] the seed
 * @returns {bigint}
 */
export function xxh64(bytes, s = 0n) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const n = bytes.length;
  let at = 0;
  let acc = u64(s + P5);
  if (n >= 32) {
    const v = [u64(s + P1 + P2), u64(s + P2), s, u64(s - P1)];
    for (; at + 32 <= n; at += 32) {
      for (let k = 0; k < 4; k++) v[k] = round(v[k], view.getBigUint64(at + 8 * k, true));
    }
    acc = u64(rotl(v[0], 1n) + rotl(v[1], 7n) + rotl(v[2], 12n) + rotl(v[3], 18n));
    for (const lane of v) acc = merge(acc, lane);
  }
  acc = u64(acc + BigInt(n));
  for (; at + 8 <= n; at += 8) acc = u64(rotl(acc ^ round(0n, view.getBigUint64(at, true)), 27n) * P1 + P4);
  if (at + 4 <= n) {
    acc = u64(rotl(acc ^ u64(BigInt(view.getUint32(at, true)) * P1), 23n) * P2 + P3);
    at += 4;
  }
  for (; at < n; at++) acc = u64(rotl(acc ^ u64(BigInt(bytes[at]) * P5), 11n) * P1);
  acc = u64((acc ^ (acc >> 33n)) * P2);
  acc = u64((acc ^ (acc >> 29n)) * P3);
  return acc ^ (acc >> 32n);
}
