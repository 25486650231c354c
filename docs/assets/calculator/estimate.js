/**
 * Estimates how many unrelated documents a query finds, and which share of edited texts it finds, from measured rates.
 *
 * @typedef {{ hits: Record<string, Record<string, { rate: number[], low: number[], high: number[] }>>,
 *   recall: Record<string, { shares: number[], found: Record<string, number[][]> }>, sizes: number[],
 *   recommended: Record<string, Record<string, number[]>> }} Rates
 *   `hits`: the rate of one pair by length, rule and distance. `recall`: the found share by length, rule, share of
 *   replaced words, and distance. `recommended`: the distance by length, rule and size, -1 where there is none.
 */

/**
 * Return the expected unrelated documents in the answer to one query, and the ends of their 95 % interval.
 *
 * They are those of the nearest measured length on each side, whichever is greater. Beyond the longest, the longest counts.
 *
 * @param {Rates} rates
 * @param {{ size: number, length: number, rule: string, distance: number }} asked
 */
export function expectedHits({ hits }, { size, length, rule, distance }) {
  const [highest] = around(hits, length)
    .map((measured) => hits[measured][rule])
    .sort((a, b) => b.rate[distance] - a.rate[distance]);
  return { hits: size * highest.rate[distance], low: size * highest.low[distance], high: size * highest.high[distance] };
}

/**
 * Return the share of texts that are still found after a share of their words was replaced.
 *
 * It lies on the straight line between the nearest measured shares, and on that between the nearest lengths, on a
 * logarithmic scale of lengths.
 *
 * @param {Rates} rates
 * @param {{ length: number, rule: string, distance: number }} asked
 * @param {number} replaced
 */
export function recall({ recall: measured }, { length, rule, distance }, replaced) {
  const [shorter, longer] = around(measured, length);
  const [low, high] = [shorter, longer].map((at) => {
    const { shares, found } = measured[at];
    return between([0, ...shares], [1, ...found[rule].map((row) => row[distance])], replaced);
  });
  return between([Math.log(shorter), Math.log(longer)], [low, high], Math.log(length));
}

/**
 * Return the recommended distance, or null if there is none: the answer of `threshold_for` in Python.
 *
 * @param {Rates} rates
 * @param {{ size: number, length: number, rule: string }} asked
 */
export function recommended({ recommended: measured, sizes }, { size, length, rule }) {
  const lengths = Object.keys(measured).map(Number);
  const column = sizes.findIndex((at) => size <= at);
  if (column === -1 || length < Math.min(...lengths)) return null;
  const compared = Math.min(length, Math.max(...lengths));
  const similar = lengths.filter((at) => compared <= 2 * at && at <= 2 * compared);
  const distance = Math.min(...similar.map((at) => measured[at][rule][column]));
  return distance < 0 ? null : distance;
}

/** Return the measured lengths on both sides of a length; twice the last one beyond it. */
function around(byLength, length) {
  const lengths = Object.keys(byLength).map(Number).sort((a, b) => a - b);
  const longer = lengths.find((at) => at >= length) ?? lengths.at(-1);
  const shorter = lengths.findLast((at) => at <= length) ?? lengths[0];
  return [shorter, longer];
}

/** Return the value at x of the line through points; beyond its ends, that of the end. */
function between(xs, ys, x) {
  const after = xs.findIndex((at) => at >= x);
  if (after === -1) return ys.at(-1);
  if (after === 0 || xs[after] === xs[after - 1]) return ys[after];
  return ys[after - 1] + (ys[after] - ys[after - 1]) * (x - xs[after - 1]) / (xs[after] - xs[after - 1]);
}
