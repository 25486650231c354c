/** The worked examples of the specification, read from its text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  SCHEMES, decode, decodeUtf8, distance, encode, findAll, fingerprint, fold, hashToken, narrow, queryAll, removeLinks,
  similarity, tokens, trace,
} from '../src/index.js';
import { generator } from './generator.js';
import { APPENDIX_B, documents, specification } from './specification.js';

const fromHex = (hex) => Uint8Array.from(hex.match(/[0-9a-f]{2}/gi), (pair) => parseInt(pair, 16));

/** The result as in an example, or the error of section 14. */
const outcome = (step) => {
  try {
    return { output: step() };
  } catch (error) {
    return { error: error.name };
  }
};

const fromCodeUnits = (units) => String.fromCharCode(...units.split(' ').map((unit) => parseInt(unit, 16)));

/** The text of an example: from a string, from bytes, or from UTF-16 code units. */
const textOf = ({ input, input_hex: hex, input_utf16: units }) => {
  if (hex !== undefined) return decodeUtf8(fromHex(hex.replaceAll(' ', '')));
  return units === undefined ? input : fromCodeUnits(units);
};

/** Per kind of example (section 1), a function from its members to its output. */
const kinds = {
  trace: ({ input }) => trace(input),
  fold: (example) => fold(textOf(example)),
  remove_links: ({ input }) => removeLinks(input),
  tokens: (example) => tokens(removeLinks(fold(textOf(example)))),
  hash_tokens: ({ input }) => input.map((token) => hashToken(token)),
  buckets: ({ input }) => trace(input).buckets,
  fingerprint: ({ scheme, input }) => fingerprint(input, scheme),
  encode: ({ hex, scheme, canonical }) => encode(fromHex(hex), scheme, canonical),
  decode: ({ text, scheme: expected }) => {
    const { scheme, hex, canonical } = decode(text, expected);
    return { scheme, hex, canonical };
  },
  distance: ({ a, b }) => ({ distance: distance(a, b), similarity: similarity(a, b) }),
  narrow: ({ text, scheme }) => narrow(text, scheme),
  query: ({ entries, queries, distance: radius }) => queryAll(entries, queries, radius),
  find_all: ({ entries, distance: radius }) => findAll(entries, radius),
};

/** The output of an example. A trace has its steps as separate members. */
const expectedOutcome = ({ example, input, output, error, ...steps }) => {
  if (error) return { error };
  return { output: example === 'trace' ? steps : output };
};

const blocks = documents().flatMap((text) => [...text.matchAll(/^```json\n(.*?)^```$/gms)]);

test('the specification has examples', () => {
  assert.ok(blocks.length > 0);
});

for (const [index, [, block]] of blocks.entries()) {
  const data = JSON.parse(block);
  test(`example ${index + 1}: ${data.example}`, () => {
    assert.ok(kinds[data.example], `this suite does not know examples of the kind "${data.example}"`);
    assert.deepEqual(outcome(() => kinds[data.example](data)), expectedOutcome(data));
  });
}

test('the links of appendix B are those of section 5', () => {
  const random = generator(1);
  const parts = ['http://', 'www.', 'mailto:', 'doi:', 'urn:', 'arxiv:', 'hdl:', '10.', '1000', '/', '@', '.', '-', '_', ':',
    'a', 'z', '9', 'é', ' ', '東', '+', '%', '0123456789abcdef', 'deadbeef', '-4a4b', '-0123456789ab', 'a'.repeat(31),
    'b'.repeat(62)];
  for (let round = 0; round < 20_000; round++) {
    const text = Array.from({ length: 1 + random(14) }, () => parts[random(parts.length)]).join('');
    assert.equal(removeLinks(text), text.replace(APPENDIX_B(), ' '), JSON.stringify(text));
  }
});

test('the table of schemes is that of section 12', () => {
  const rows = [...specification().matchAll(/^\| (simhash-doc-\d+)[^|]*\| `(\w+)` \| (\d+) \| \d+ \| (\d+) \|/gm)];
  const found = rows.map(([, name, id, bits, characters]) => ({ name, id, bits: +bits, characters: +characters }));
  const registry = [...SCHEMES.values()].map(({ name, id, bits, characters }) => ({ name, id, bits, characters }));
  assert.deepEqual(registry, found);
});
