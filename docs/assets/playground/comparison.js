/**
 * Compares two texts or fingerprints: distance, verdict, and the tokens that moved the bits. Runs in the worker.
 */
import { CAP } from '../simhash-doc/buckets.js';
import { SCHEMES, distance, hashToken, similarity } from '../simhash-doc/index.js';

/** Number of tokens that are listed. */
const LISTED = 20;

/** Below this number of tokens, a close pair is only a candidate (section 2 of the document on search). */
const SHORT = 200;

/**
 * @typedef {{ token: string, a: number, b: number, moved: number }} Mover `moved` is the number of differing bits whose
 *   buckets the token pushed from the first text's sign to the second's
 * @typedef {{ distance: number, similarity: number, verdict: string, differing: number[], movers: Mover[],
 *   short: number[] | null }} Comparison `short` has the numbers of tokens if a text is short
 */

/**
 * @typedef {{ analysis: import('./analysis.js').Analysis | import('./given.js').Given, counts?: Map<string, number> }} Side
 * @param {Side} a
 * @param {Side} b
 * @param {string} scheme
 * @returns {Comparison}
 */
export function compare(a, b, scheme) {
  const bits = distance(a.analysis.fingerprint, b.analysis.fingerprint);
  const differing = differingBits(a.analysis.hex, b.analysis.hex);
  const totals = [a, b].flatMap(({ analysis }) => (analysis.given ? [] : [analysis.total]));
  return {
    distance: bits,
    similarity: similarity(a.analysis.fingerprint, b.analysis.fingerprint),
    verdict: verdict(bits, SCHEMES.get(scheme)),
    differing,
    movers: a.counts && b.counts ? movers(a, b, differing) : [],
    short: totals.some((total) => total < SHORT) ? totals : null,
  };
}

/** Return the numbers of the buckets whose bits differ. In each lane, the most significant bit comes first. */
function differingBits(a, b) {
  return Array.from(a).flatMap((digit, at) => {
    const changed = parseInt(digit, 16) ^ parseInt(b[at], 16);
    return [0, 1, 2, 3]
      .filter((position) => changed & (8 >> position))
      .map((position) => 64 * Math.floor(at / 16) + 63 - ((4 * at + position) % 64));
  });
}

function verdict(bits, { close, loose }) {
  if (bits <= close) return 'close';
  return bits <= loose ? 'loose' : 'distinct';
}

/** Return the tokens whose weights differ, those that pushed most of the differing bits first. */
function movers(a, b, differing) {
  const weight = (counts, token) => Math.min(CAP, counts.get(token) ?? 0);
  return [...new Set([...a.counts.keys(), ...b.counts.keys()])]
    .map((token) => ({ token, a: weight(a.counts, token), b: weight(b.counts, token) }))
    .filter((row) => row.a !== row.b)
    .map((row) => ({ ...row, moved: pushes(row, b.analysis.buckets, differing) }))
    .filter(({ moved }) => moved > 0)
    .sort((x, y) => y.moved * Math.abs(y.b - y.a) - x.moved * Math.abs(x.b - x.a))
    .slice(0, LISTED);
}

/** Return the number of differing bits whose bucket a token's change of weight moved to the second text's sign. */
function pushes({ token, a, b }, bucketsOfB, differing) {
  const hashes = [];
  return differing.filter((number) => {
    const lane = number >> 6;
    hashes[lane] ??= BigInt(`0x${hashToken(token, lane)}`);
    const isUp = ((hashes[lane] >> BigInt(number & 63)) & 1n) === 1n;
    return (b > a) === (isUp === bucketsOfB[number] > 0);
  }).length;
}
