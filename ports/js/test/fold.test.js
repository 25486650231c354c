import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeUtf8, fold } from '../src/index.js';
import { generator } from './generator.js';

test('folding near the bound gives NFC, and folding it again changes nothing', () => {
  const random = generator(3);
  const starters = ['a', 'A', '\u1e09', '\u1f02', '\u1f82', '\u01d5', '\uac00', '\u0378', '\u{1e030}', ' ', '\u1100', '\u1161'];
  const marks = ['\u0301', '\u0316', '\u0344', '\u0345', '\u0f73', '\u0340', '\u200d', '\u{10efd}', '\u{1d165}', '\u3099'];
  for (let round = 0; round < 3000; round++) {
    const text = Array.from({ length: 1 + random(3) }, () => (
      starters[random(starters.length)]
      + Array.from({ length: 24 + random(10) }, () => marks[random(random(2) ? marks.length : 2)]).join('')
    )).join('');
    assert.equal(fold(text), fold(text).normalize('NFC'), JSON.stringify(text));
    assert.equal(fold(fold(text)), fold(text), JSON.stringify(text));
  }
});

test('folding each code point gives NFC, and folding it again changes nothing', () => {
  for (let point = 0; point < 0x110000; point++) {
    const text = String.fromCodePoint(point);
    assert.equal(fold(text), fold(text).normalize('NFC'), `U+${point.toString(16)}`);
    assert.equal(fold(fold(text)), fold(text), `U+${point.toString(16)}`);
  }
});

test('all of ASCII', () => {
  const ascii = String.fromCodePoint(...Array(128).keys());
  assert.equal(fold(ascii), ascii.toLowerCase());
});

test('lone surrogates count as U+FFFD (SD-INPUT-3)', () => {
  assert.equal(fold('a\ud800b\udc00'), 'a\ufffdb\ufffd');
  assert.equal(fold('\ud800\ud801\udc28'), '\ufffd\u{10428}');
});

test('bytes (SD-INPUT-1, SD-INPUT-2)', () => {
  assert.equal(decodeUtf8(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), 'a');
  assert.equal(decodeUtf8(Uint8Array.of(0xed, 0xa0, 0x80)), '\ufffd\ufffd\ufffd', 'an encoded surrogate');
  assert.equal(decodeUtf8(Uint8Array.of(0xf0, 0x9f, 0x98, 0x61)), '\ufffda', 'a truncated sequence');
  assert.equal(decodeUtf8(Uint8Array.of(0xf4, 0x90, 0x80, 0x80)), '\ufffd\ufffd\ufffd\ufffd', 'over U+10FFFF');
});
