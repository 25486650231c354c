/**
 * The Unicode data of the specification (SD-UNI-1) as tables, and the registry of schemes.
 */
import {
  ALPHABETIC, ASSIGNED, COMBINING_CLASSES as CLASSES, COMPOSITIONS as COMPOSED, CONNECTOR, CONTINUA,
  DECOMPOSITIONS as DECOMPOSED, FOLDING, NONSTARTER, WORD, SCHEMES as REGISTRY,
} from './unicode-data.js';

/** In word.txt. */
export const IS_WORD = 1;
/** In word.txt with the value Pc. */
export const IS_CONNECTOR = 2;
/** In alphabetic.txt. */
export const IS_ALPHABETIC = 4;
/** In continua.txt. */
export const IS_CONTINUA = 8;
/** In nonstarter.txt. */
export const IS_NONSTARTER = 16;
/** In assigned.txt. */
export const IS_ASSIGNED = 32;
/** In nfkc_casefold.txt. */
export const IS_FOLDED = 64;

/** The schemes of the registry by short id. @type {Map<string, Readonly<import('./index.js').Scheme>>} */
export const SCHEMES = new Map(REGISTRY.map((scheme) => [scheme.id, Object.freeze(scheme)]));

/**
 * The lines of a packed table: the first code point, the one after the last, and the value. build-data.mjs documents the
 * packing.
 *
 * @param {string} packed
 * @returns {[number, number, string][]}
 */
function unpack(packed) {
  let end = 0;
  return packed.split(',').map((line) => {
    const [range, value = ''] = line.split(':');
    const [distance, further = '0'] = range.split('-');
    const first = end + parseInt(distance, 36);
    end = first + parseInt(further, 36) + 1;
    return [first, end, value];
  });
}

/** The code points of a packed value. */
function codePoints(value) {
  return value === '' ? [] : value.split('.').map((digits) => parseInt(digits, 36));
}

/** The key of COMPOSITIONS for two code points. */
export function pairOf(first, second) {
  return 0x110000 * first + second;
}

/** A byte for each code point: `valueOf` gives what each line adds. */
function bytesOf(tables, valueOf) {
  const bytes = new Uint8Array(0x110000);
  tables.forEach((packed, number) => {
    for (const [first, end, value] of unpack(packed)) {
      const added = valueOf(value, number);
      for (let codePoint = first; codePoint < end; codePoint++) bytes[codePoint] |= added;
    }
  });
  return bytes;
}

/** An entry for each code point of a packed table. */
function mapOf(packed, entryOf) {
  const map = new Map();
  for (const [first, end, value] of unpack(packed)) {
    for (let codePoint = first; codePoint < end; codePoint++) map.set(...entryOf(codePoint, codePoints(value)));
  }
  return map;
}

// A bundler leaves out the tables that a page does not use: the calls are marked as free of side effects.

/** The flags above of each code point, in the order of their bits. One byte each takes 1.1 MB and no search. */
export const FLAGS = /* @__PURE__ */ bytesOf(
  [WORD, CONNECTOR, ALPHABETIC, CONTINUA, NONSTARTER, ASSIGNED, FOLDING],
  (_, number) => 1 << number,
);

/** The lines of nfkc_casefold.txt: code point to replacement. @type {Map<number, string>} */
export const FOLD_MAP = /* @__PURE__ */ mapOf(FOLDING, (codePoint, to) => [codePoint, String.fromCodePoint(...to)]);

/** The values of combining_class.txt; 0 for all other code points. */
export const COMBINING_CLASSES = /* @__PURE__ */ bytesOf([CLASSES], Number);

/** The values of decomposition.txt as code points. @type {Map<number, number[]>} */
export const DECOMPOSITIONS = /* @__PURE__ */ mapOf(DECOMPOSED, (codePoint, to) => [codePoint, to]);

/** The lines of composition.txt: 0x110000 times the first code point plus the second to their composite. @type {Map<number, number>} */
export const COMPOSITIONS = /* @__PURE__ */ mapOf(COMPOSED, (codePoint, pair) => [pairOf(...pair), codePoint]);
