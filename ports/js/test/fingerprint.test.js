/** What the vectors do not show: arguments of other types, the members of a trace, and large documents. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_LENGTH, fingerprint, trace } from '../src/index.js';
import { generator } from './generator.js';
import { xxh64 } from '../src/xxh64.js';

test('lane j of a document of one token is its hash with seed j (SD-WIDE-2, SD-WIDE-3)', () => {
  const hashes = Array.from({ length: 8 }, (_, seed) => xxh64(new TextEncoder().encode('word'), 4, seed));
  const expected = hashes.map((halves) => halves.map((half) => half.toString(16).padStart(8, '0')).join(''));
  const { hex, hashes: traced } = trace('word', 'sd512');
  assert.equal(hex, expected.join(''));
  assert.deepEqual(traced, expected);
});

test('unsuitable arguments', () => {
  assert.throws(() => fingerprint('a', 'sd32'), { name: 'unknown-scheme' });
  assert.throws(() => fingerprint(/** @type {any} */ (undefined)), TypeError);
  assert.throws(() => fingerprint('a '.repeat(MAX_LENGTH / 2 + 1)), { name: 'over-limit' });
  assert.throws(() => fingerprint(new Uint8Array(3 * MAX_LENGTH + 4)), { name: 'over-limit' });
});

test('large malicious documents', async (t) => {
  const random = generator(4);
  const ideographs = Uint16Array.from({ length: 350_000 }, () => 0x4e00 + random(20_000));
  for (const [name, text] of Object.entries({
    'one long word': 'a'.repeat(10_000_000),
    'a million marks': `a${'\u0301'.repeat(1_000_000)}`,
    'a million marks out of order': `a${'\u0301\u0316'.repeat(500_000)}`,
    'no spaces': Array.from(ideographs, (unit) => String.fromCharCode(unit)).join(''),
    hyphens: 'a-'.repeat(1_000_000),
    'hyphens after an at sign': `${'a-'.repeat(31)}a@${'a-'.repeat(1_000_000)}`,
    'at signs': `a ${'@ '.repeat(1_000_000)}`,
    digits: `a ${'1'.repeat(10_000_000)}`,
    'full stops': 'a.'.repeat(1_000_000),
    'an address with many labels': `b a@${'a.'.repeat(7_500_000)}`,
    'a long address': `b http://${'a'.repeat(15_000_000)}`,
    expansion: '\ufdfa'.repeat(1_000_000),
    'long words that begin alike': Array.from({ length: 50 }, (_, index) => 'a'.repeat(20_000) + index).join(' '),
  })) {
    await t.test(name, () => {
      assert.match(fingerprint(text), /^sd64:[a-z2-7]{13}$/);
    });
  }
});
