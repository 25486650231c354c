/**
 * Prints the speed of `fingerprint`: node benchmark.mjs [SIZE] FILE...
 *
 * Each file is cut into documents of SIZE bytes (default: one document). Several passes go over all documents; the best
 * time of each document counts, so that other work of the machine does not. The environment variable SECONDS is the
 * time for each file and scheme (default: 2).
 */
import { readFileSync } from 'node:fs';
import { SCHEMES, fingerprint } from 'simhash-doc';

const SECONDS = Number(process.env.SECONDS ?? 2);

/** The sum of the best times of all documents, in seconds. */
function bestTime(documents, scheme) {
  const best = documents.map(() => Infinity);
  for (const begun = performance.now(); performance.now() - begun < 1000 * SECONDS;) {
    documents.forEach((document, number) => {
      const start = performance.now();
      try {
        fingerprint(document, scheme);
      } catch (error) {
        if (error.name !== 'no-token') throw error;
      }
      best[number] = Math.min(best[number], performance.now() - start);
    });
  }
  return best.reduce((a, b) => a + b) / 1000;
}

const names = process.argv.slice(2);
const size = /^[1-9][0-9]*$/.test(names[0]) ? Number(names.shift()) : Infinity;
for (const name of names) {
  const bytes = readFileSync(name);
  const documents = [];
  for (let at = 0; at < bytes.length; at += size) documents.push(bytes.subarray(at, Math.min(bytes.length, at + size)));
  const speeds = [...SCHEMES.keys()].map((id) => `  ${id} ${(bytes.length / bestTime(documents, id) / 1e6).toFixed(1)} MB/s`);
  console.log(`${name}:${speeds.join('')}`);
}
