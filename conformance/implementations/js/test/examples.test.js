/** The worked examples of the specification, read out of its text. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  SCHEMES, decode, decodeUtf8, distance, encode, fingerprint, fold, hashToken, query, removeLinks, tokens, trace,
} from '../src/index.js';
import { APPENDIX_B, generator, specification } from './helpers.js';

const fromHex = (hex) => Uint8Array.from(hex.match(/[0-9a-f]{2}/gi), (pair) => parseInt(pair, 16));

/** Gives the error's name if there is an error of section 14. */
const outcome = (step) => {
  try {
    return { output: step() };
  } catch (error) {
    return { error: error.name };
  }
};

const checks = {
  trace({ input, ...expected }) {
    const { fingerprint: text, ...found } = trace(input);
    const fields = Object.fromEntries(Object.entries(found).filter(([field]) => field in expected));
    assert.deepEqual({ ...fields, fingerprint: text.split(':')[1] }, expected);
  },
  fold({ input, input_hex: hex, output }) {
    assert.equal(fold(hex === undefined ? input : decodeUtf8(fromHex(hex.replaceAll(' ', '')))), output);
  },
  remove_links({ input, output }) {
    assert.equal(removeLinks(input), output);
  },
  tokens({ input, output }) {
    assert.deepEqual(tokens(input), output);
  },
  hash_tokens({ input, output }) {
    assert.deepEqual(input.map((token) => hashToken(token)), output);
  },
  buckets({ input, output }) {
    assert.deepEqual(trace(input).buckets, output);
  },
  encode({ input, output }) {
    assert.equal(encode(fromHex(input)), output);
  },
  decode({ input, output, error, canonical }) {
    assert.deepEqual(outcome(() => decode(input).hex), error ? { error } : { output });
    if (canonical !== undefined) assert.equal(decode(input).canonical, canonical);
  },
  distance({ a, b, output }) {
    assert.equal(distance(a, b), output);
  },
  fingerprint({ scheme, input, output }) {
    assert.equal(fingerprint(input, scheme), output);
  },
  query({ entries, input, distance: radius, output }) {
    assert.deepEqual(query(entries, input, radius), output);
  },
};

const blocks = [...specification().matchAll(/^```json\n(.*?)^```$/gms)];

test('the specification has examples', () => {
  assert.ok(blocks.length > 0);
});

for (const [index, [, block]] of blocks.entries()) {
  const { example, ...data } = JSON.parse(block);
  test(`example ${index + 1}: ${example}`, () => {
    assert.ok(checks[example], `this suite does not know examples of the kind "${example}"`);
    checks[example](data);
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
