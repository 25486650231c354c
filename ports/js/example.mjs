/** Print the distance of two files, read in pieces, with Node.js, Deno or Bun: node example.mjs FILE FILE */
import { createReadStream } from 'node:fs';
import { argv } from 'node:process';
import { Accumulator, distance } from 'simhash-doc';

async function fingerprintOf(path) {
  const accumulator = new Accumulator();
  for await (const piece of createReadStream(path)) accumulator.update(piece);
  return accumulator.fingerprint();
}

console.log(distance(await fingerprintOf(argv[2]), await fingerprintOf(argv[3])));
