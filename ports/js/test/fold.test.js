import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeUtf8, fold } from '../src/index.js';

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
