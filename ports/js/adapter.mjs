/**
 * Answer requests of the conformance suite on standard input, one JSON object per line (conformance/PROTOCOL.md):
 *
 *     simhash-doc conformance run -- node ports/js/adapter.mjs
 */
import { createRequire } from 'node:module';
import { answer } from './adapter/operations.js';

const NEWLINE = 0x0a;
const { version } = createRequire(import.meta.url)('simhash-doc/package.json');

/** The parts of a line that is not complete yet. */
let parts = [];

function answerLine(line) {
  process.stdout.write(`${JSON.stringify(answer(JSON.parse(line), version))}\n`);
}

// Lines are split by bytes: node:readline also ends them at U+2028, which JSON strings may contain.
process.stdin.on('data', (chunk) => {
  let start = 0;
  for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
    answerLine(Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8'));
    parts = [];
    start = end + 1;
  }
  if (start < chunk.length) parts.push(chunk.subarray(start));
});
