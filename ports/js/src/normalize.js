/**
 * Appendix C, normalization, with the tables of the specification.
 */
import { COMBINING_CLASSES, COMPOSITIONS, DECOMPOSITIONS, pairOf } from './tables.js';

// Hangul: the first syllable, consonant, vowel, and the code point before the first trailing consonant.
const S = 0xac00, L = 0x1100, V = 0x1161, T = 0x11a7;
const SYLLABLES = 11172, CONSONANTS = 19, VOWELS = 21, TRAILING = 28;

// The kinds of code points in a text that NFC may change.
/** Nothing before it changes it, and alone it is its own NFC. */
const STABLE = 0;
/** Nothing before it changes it, but it is not its own NFC. */
const CHANGING = 1;
/** It may be reordered, or may compose with a code point before it. */
const CONTINUING = 2;

const KINDS = new Uint8Array(0x110000);
for (const pair of COMPOSITIONS.keys()) KINDS[pair % 0x110000] = CONTINUING;
COMBINING_CLASSES.forEach((value, codePoint) => {
  if (value !== 0) KINDS[codePoint] = CONTINUING;
});
KINDS.fill(CONTINUING, V, V + VOWELS);
KINDS.fill(CONTINUING, T + 1, T + TRAILING);
for (const [codePoint, parts] of DECOMPOSITIONS) {
  if (KINDS[parts[0]] === CONTINUING) KINDS[codePoint] = CONTINUING;
  else if (composed(parts.slice()).join() !== String(codePoint)) KINDS[codePoint] = CHANGING;
}

/**
 * True if a text can be normalized in two parts, cut before this code point (appendix C, segments).
 *
 * @param {number} codePoint of a text after SD-FOLD-2
 */
export const startsSegment = (codePoint) => KINDS[codePoint] !== CONTINUING;

const size = (codePoint) => (codePoint > 0xffff ? 2 : 1);

/**
 * The canonical decomposition of a code point.
 *
 * @param {number} codePoint
 * @returns {number[]}
 */
export function decomposition(codePoint) {
  const syllable = codePoint - S;
  if (syllable < 0 || syllable >= SYLLABLES) return DECOMPOSITIONS.get(codePoint) ?? [codePoint];
  const trailing = syllable % TRAILING;
  const pair = [
    L + Math.floor(syllable / (VOWELS * TRAILING)),
    V + Math.floor((syllable % (VOWELS * TRAILING)) / TRAILING),
  ];
  return trailing === 0 ? pair : [...pair, T + trailing];
}

/**
 * The NFC of a text without lone surrogates. Parts that are their own NFC are copied.
 *
 * @param {string} text
 * @returns {string}
 */
export function nfc(text) {
  const pieces = [];
  let copied = 0;
  let start = 0; // of the segment at which the loop is
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at);
    const kind = KINDS[codePoint];
    if (kind !== CONTINUING) start = at;
    at += size(codePoint);
    if (kind === STABLE) continue;
    at = segmentEnd(text, at);
    pieces.push(text.slice(copied, start), segment(text.slice(start, at)));
    copied = at;
    start = at;
  }
  return copied === 0 ? text : pieces.join('') + text.slice(copied);
}

/** The position of the next code point that nothing before it changes. */
function segmentEnd(text, at) {
  while (at < text.length) {
    const codePoint = text.codePointAt(at);
    if (KINDS[codePoint] !== CONTINUING) break;
    at += size(codePoint);
  }
  return at;
}

/** The NFC of one segment. */
function segment(text) {
  const decomposed = [];
  for (const character of text) decomposed.push(...decomposition(character.codePointAt(0)));
  let folded = '';
  for (const codePoint of composed(ordered(decomposed))) folded += String.fromCodePoint(codePoint);
  return folded;
}

/** Step 2: each run of code points with a class, sorted by class. */
function ordered(codePoints) {
  for (let at = 0; at < codePoints.length; at++) {
    if (COMBINING_CLASSES[codePoints[at]] === 0) continue;
    const start = at;
    while (COMBINING_CLASSES[codePoints[at]]) at++;
    const run = codePoints.slice(start, at).sort((a, b) => COMBINING_CLASSES[a] - COMBINING_CLASSES[b]);
    run.forEach((codePoint, number) => {
      codePoints[start + number] = codePoint;
    });
  }
  return codePoints;
}

/** Step 4: the canonical composition of a decomposed text, in place. */
function composed(codePoints) {
  let length = 0;
  let base = -1; // position of the last code point of class 0
  for (const codePoint of codePoints) {
    const value = COMBINING_CLASSES[codePoint];
    const blocked = base < 0 || (length > base + 1 && COMBINING_CLASSES[codePoints[length - 1]] >= value);
    const composite = blocked ? undefined : compositeOf(codePoints[base], codePoint);
    if (composite !== undefined) {
      codePoints[base] = composite;
      continue;
    }
    if (value === 0) base = length;
    codePoints[length++] = codePoint;
  }
  codePoints.length = length;
  return codePoints;
}

/** The composite of two code points; undefined if there is none. */
function compositeOf(first, second) {
  const consonant = first - L, vowel = second - V;
  if (consonant >= 0 && consonant < CONSONANTS && vowel >= 0 && vowel < VOWELS) {
    return S + (consonant * VOWELS + vowel) * TRAILING;
  }
  const syllable = first - S, trailing = second - T;
  if (syllable >= 0 && syllable < SYLLABLES && syllable % TRAILING === 0 && trailing > 0 && trailing < TRAILING) {
    return first + trailing;
  }
  return COMPOSITIONS.get(pairOf(first, second));
}
