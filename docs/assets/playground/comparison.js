/**
 * Compares two texts: distance, verdict, and the tokens that moved the bits. Runs in the worker.
 */
import { CAP, hashToken } from '../simhash-doc/buckets.js';
import { distance, similarity } from '../simhash-doc/compare.js';
import { SCHEMES } from '../simhash-doc/tables.js';

/** Number of tokens that are listed. */
const LISTED = 20;

/**
 * @typedef {{ token: string, a: number, b: number, moved: number }} Mover `moved` is the number of differing bits whose
 *   buckets the token pushed from the first text's sign to the second's
 * @typedef {{ distance: number, similarity: number, verdict: string, differing: number[], movers: Mover[] }} Comparison
 */

/**
 * @param {{ analysis: import('./analysis.js').Analysis, counts: Map<string, number> }} a
 * @param {{ analysis: import('./analysis.js').Analysis, counts: Map<string, number> }} b
 * @param {string} scheme
 * @returns {Comparison}
 */
export function compare(a, b, scheme) {
  const bits = distance(a.analysis.fingerprint, b.analysis.fingerprint);
  const differing = a.analysis.buckets.flatMap((bucket, number) => (
    bucket > 0 === b.analysis.buckets[number] > 0 ? [] : [number]
  ));
  return {
    distance: bits,
    similarity: similarity(a.analysis.fingerprint, b.analysis.fingerprint),
    verdict: verdict(bits, SCHEMES.get(scheme)),
    differing,
    movers: movers(a, b, differing),
  };
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
