/** Folding, and normalization with the tables of the specification against that of the platform, for code points of Unicode 15.0. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fold } from '../src/fold.js';
import { decomposition, nfc } from '../src/normalize.js';
import { COMBINING_CLASSES, COMPOSITIONS, DECOMPOSITIONS, FLAGS, IS_ASSIGNED } from '../src/tables.js';
import { generator } from './generator.js';

const text = (...codePoints) => String.fromCodePoint(...codePoints);

test('every code point', () => {
  for (let codePoint = 0; codePoint < 0x110000; codePoint++) {
    if (!(FLAGS[codePoint] & IS_ASSIGNED)) continue;
    const alone = text(codePoint);
    assert.equal(text(...decomposition(codePoint)), alone.normalize('NFD'), codePoint.toString(16));
    assert.equal(nfc(`a${alone}b`), `a${alone}b`.normalize('NFC'), codePoint.toString(16));
  }
});

test('every pair that composes, also with a mark between', () => {
  for (const [pair, composite] of COMPOSITIONS) {
    const first = Math.floor(pair / 0x110000), second = pair % 0x110000;
    assert.equal(nfc(text(first, second)), text(composite));
    for (const mark of [0x334, 0x316, 0x301, 0x345]) {
      const between = text(first, mark, second);
      assert.equal(nfc(between), between.normalize('NFC'), pair.toString(16));
    }
  }
});

test('random sequences of what normalization changes', () => {
  const random = generator(9);
  const marks = [];
  COMBINING_CLASSES.forEach((value, codePoint) => value !== 0 && marks.push(codePoint));
  const pools = [
    marks,
    [...DECOMPOSITIONS.keys()],
    [...COMPOSITIONS.keys()].map((pair) => Math.floor(pair / 0x110000)),
    [...COMPOSITIONS.keys()].map((pair) => pair % 0x110000),
    Array.from({ length: 0x100 }, (_, number) => 0x1100 + number),
    Array.from({ length: 11172 }, (_, number) => 0xac00 + number),
    [0x20, 0x61, 0x65, 0x4e00, 0xfffd, 0x1f600],
  ];
  for (let round = 0; round < 20_000; round++) {
    const drawn = Array.from({ length: 1 + random(9) }, () => {
      const pool = pools[random(pools.length)];
      return pool[random(pool.length)];
    }).filter((codePoint) => FLAGS[codePoint] & IS_ASSIGNED);
    assert.equal(nfc(text(...drawn)), text(...drawn).normalize('NFC'), drawn.map((c) => c.toString(16)).join(' '));
  }
});

test('folding each code point gives NFC, and folding it again changes nothing', () => {
  for (let point = 0; point < 0x110000; point++) {
    const text = String.fromCodePoint(point);
    assert.equal(fold(text), fold(text).normalize('NFC'), `U+${point.toString(16)}`);
    assert.equal(fold(fold(text)), fold(text), `U+${point.toString(16)}`);
  }
});
