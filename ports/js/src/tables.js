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

/** The flags above of each code point. One byte each takes 1.1 MB and no search. */
export const FLAGS = new Uint8Array(0x110000);

/** The lines of nfkc_casefold.txt: code point to replacement. @type {Map<number, string>} */
export const FOLD_MAP = new Map();

/** The schemes of the registry by short id. @type {Map<string, Readonly<import('./index.js').Scheme>>} */
export const SCHEMES = new Map(REGISTRY.map((scheme) => [scheme.id, Object.freeze(scheme)]));

/** The values of decomposition.txt as code points. @type {Map<number, number[]>} */
export const DECOMPOSITIONS = new Map();

/** The lines of composition.txt: 0x110000 times the first code point plus the second to their composite. @type {Map<number, number>} */
export const COMPOSITIONS = new Map();

/** The values of combining_class.txt; 0 for all other code points. */
export const COMBINING_CLASSES = new Uint8Array(0x110000);

/**
 * Calls `visit` with each code point of a packed table and the value of its line. build-data.mjs documents the packing.
 *
 * @param {string} packed
 * @param {(codePoint: number, value: string) => void} visit
 */
function unpack(packed, visit) {
  let next = 0;
  for (const line of packed.split(',')) {
    const [range, value = ''] = line.split(':');
    const [distance, further = '0'] = range.split('-');
    const first = next + parseInt(distance, 36);
    next = first + parseInt(further, 36) + 1;
    for (let codePoint = first; codePoint < next; codePoint++) visit(codePoint, value);
  }
}

/** The code points of a packed value. */
function codePoints(value) {
  return value === '' ? [] : value.split('.').map((digits) => parseInt(digits, 36));
}

/** The key of COMPOSITIONS for two code points. */
export function pairOf(first, second) {
  return 0x110000 * first + second;
}

/** @type {[string, number][]} */
const tables = [
  [WORD, IS_WORD],
  [CONNECTOR, IS_CONNECTOR],
  [ALPHABETIC, IS_ALPHABETIC],
  [CONTINUA, IS_CONTINUA],
  [NONSTARTER, IS_NONSTARTER],
  [ASSIGNED, IS_ASSIGNED],
];
for (const [packed, flag] of tables) {
  unpack(packed, (codePoint) => {
    FLAGS[codePoint] |= flag;
  });
}
unpack(FOLDING, (codePoint, value) => {
  FLAGS[codePoint] |= IS_FOLDED;
  FOLD_MAP.set(codePoint, String.fromCodePoint(...codePoints(value)));
});
unpack(CLASSES, (codePoint, value) => {
  COMBINING_CLASSES[codePoint] = Number(value);
});
unpack(DECOMPOSED, (codePoint, value) => DECOMPOSITIONS.set(codePoint, codePoints(value)));
unpack(COMPOSED, (codePoint, value) => {
  const [first, second] = codePoints(value);
  COMPOSITIONS.set(pairOf(first, second), codePoint);
});
