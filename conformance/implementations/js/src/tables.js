/**
 * The Unicode data of the specification (SD-UNI-1) as tables, and the registry of schemes.
 */
import {
  ALPHABETIC, ASSIGNED, CONNECTOR, CONTINUA, FOLDING, NONSTARTER, WORD, SCHEMES as REGISTRY,
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
  const to = value === '' ? [] : value.split('.').map((digits) => parseInt(digits, 36));
  FOLD_MAP.set(codePoint, String.fromCodePoint(...to));
});
