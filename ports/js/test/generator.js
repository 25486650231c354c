/**
 * Reproducible random numbers: random(n) is an integer from 0 to n - 1.
 *
 * @param {number} seed
 */
export function generator(seed) {
  let state = seed;
  return (n) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * n);
  };
}
