import assert from 'node:assert/strict';
import { test } from 'node:test';
import { xxh64 } from '../src/xxh64.js';

const hex = (halves) => halves.map((half) => half.toString(16).padStart(8, '0')).join('');
const bytes = (text) => new TextEncoder().encode(text);

/** The generator of xxHash's own test vectors. */
function sanityBuffer(length) {
  const buffer = new Uint8Array(length);
  let state = 2654435761n;
  for (let at = 0; at < length; at++) {
    buffer[at] = Number(state >> 56n);
    state = BigInt.asUintN(64, state * 11400714785074694797n);
  }
  return buffer;
}

test('the values of appendix A', () => {
  assert.equal(hex(xxh64(bytes(''))), 'ef46db3751d8e999');
  assert.equal(hex(xxh64(bytes('a'))), 'd24ec4f1a98c6e5b');
  assert.equal(hex(xxh64(bytes('abc'))), '44bc2cf5ad770999');
});

test('published vectors of the xxHash project', () => {
  const vectors = [
    [0, 0, 'ef46db3751d8e999'],
    [0, 0x9e3779b1, 'ac75fda2929b17ef'],
    [1, 0, 'e934a84adb052768'],
    [1, 0x9e3779b1, '5014607643a9b4c3'],
    [4, 0, '9136a0dca57457ee'],
    [14, 0, '8282dcc4994e35c8'],
    [14, 0x9e3779b1, 'c3bd6bf63deb6df0'],
    [222, 0, 'b641ae8cb691c174'],
    [222, 0x9e3779b1, '20cb8ab7ae10c14a'],
  ];
  for (const [length, seed, expected] of vectors) {
    assert.equal(hex(xxh64(sanityBuffer(length), length, seed)), expected, `${length} bytes, seed ${seed}`);
  }
});

test('only the given length counts', () => {
  assert.deepEqual(xxh64(bytes('abcdef'), 3), xxh64(bytes('abc')));
});
