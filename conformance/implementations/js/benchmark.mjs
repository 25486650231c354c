/**
 * Prints the table of times in README.md: node benchmark.mjs
 */
import { fingerprint } from './src/index.js';
import { xxh64 } from './src/xxh64.js';
import { generator } from './test/generator.js';
import { xxh64 as bigint } from './test/xxh64-bigint.js';

const random = generator(1);
const pick = (count, choose) => Array.from({ length: count }, choose);
const LETTERS = 'etaoinshrdlucmfwypvbgkjqxz';

/** Words of one to twelve letters, common ones more often. */
const vocabulary = pick(20_000, () => pick(1 + random(12), () => LETTERS[random(LETTERS.length)]).join(''));
const english = (size) => {
  const words = pick(size / 7, () => vocabulary[Math.floor((random(1000) / 1000) ** 3 * vocabulary.length)]);
  return words.join(' ').padEnd(size, ' the end').slice(0, size);
};
const chinese = (count) => pick(count, () => String.fromCharCode(0x4e00 + random(20_000))).join('');

function time(name, task) {
  const start = performance.now();
  task();
  console.log(`| ${name} | ${((performance.now() - start) / 1000).toPrecision(2)} s |`);
}

console.log('| Case | Time |\n|---|---|');
for (const [name, text] of [
  ['1 MB of English-like text, 20,000 different words at most', english(1_000_000)],
  ['10 MB of it', english(10_000_000)],
  ['1 MB of random Chinese characters (333,333)', chinese(333_333)],
  ['one word of 10 MB', 'a'.repeat(10_000_000)],
  ['`a` and 1,000,000 combining marks, out of order', `a${'\u0301\u0316'.repeat(500_000)}`],
  ['10 MB of `@ `', `a ${'@ '.repeat(5_000_000)}`],
  ['10 MB of digits', `a ${'1'.repeat(10_000_000)}`],
  ['10 MB of `a-a-a-`', 'a-'.repeat(5_000_000)],
  ['10 MB of `a.a.a.`', 'a.'.repeat(5_000_000)],
]) time(name, () => fingerprint(text));

const encoder = new TextEncoder();
const tokens = pick(200_000, () => encoder.encode(`${vocabulary[random(vocabulary.length)]}${random(1000)}`));
const long = encoder.encode('a'.repeat(10_000_000));
for (const [name, hash] of [['32-bit halves', (bytes) => xxh64(bytes)], ['BigInt', (bytes) => bigint(bytes, 0n)]]) {
  time(`XXH64 in ${name}: 200,000 words`, () => tokens.forEach(hash));
  time(`XXH64 in ${name}: one word of 10 MB`, () => hash(long));
}
