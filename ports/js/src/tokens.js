/**
 * Section 6, tokens, and the counts of section 7.
 */
import { FLAGS, IS_ALPHABETIC, IS_CONNECTOR, IS_CONTINUA, IS_WORD } from './tables.js';

const size = (codePoint) => (codePoint > 0xffff ? 2 : 1);

/**
 * The number of occurrences of each token in the link-free text. The cap of SD-CAP-1 is applied later.
 *
 * The author of a text may choose tokens that collide in this map. JavaScript engines protect strings with a seeded
 * hash. The exception in some engines, strings of digits alone, cannot be tokens (SD-FILTER-2).
 *
 * @param {string} linkFree
 * @returns {Map<string, number>}
 */
export function countTokens(linkFree) {
  const counts = new Map();
  visitTokens(linkFree, (start, end) => {
    const token = linkFree.slice(start, end);
    counts.set(token, (counts.get(token) ?? 0) + 1);
  });
  return counts;
}

/**
 * Calls `visit` with the start of each token and the position after its end, from left to right. Bigrams overlap.
 *
 * @param {string} linkFree
 * @param {(start: number, end: number) => void} visit
 */
export function visitTokens(linkFree, visit) {
  /** SD-FILTER-1 and SD-FILTER-2 for the candidate from `start` to `end`. */
  const candidate = (start, end) => {
    const [from, to] = trim(linkFree, start, end);
    if (hasAlphabetic(linkFree, from, to)) visit(from, to);
  };
  for (let at = 0; at < linkFree.length;) {
    const codePoint = linkFree.codePointAt(at);
    const kind = FLAGS[codePoint] & (IS_WORD | IS_CONTINUA);
    if (!(kind & IS_WORD)) {
      at += size(codePoint);
      continue;
    }
    const end = stretchEnd(linkFree, at, kind);
    if (kind & IS_CONTINUA) bigrams(linkFree, at, end, candidate);
    else candidate(at, end);
    at = end;
  }
}

/** SD-RUN-1 and SD-SPLIT-1: the end of the stretch of word characters that agree in being in continua.txt or not. */
function stretchEnd(text, at, kind) {
  while (at < text.length) {
    const codePoint = text.codePointAt(at);
    if ((FLAGS[codePoint] & (IS_WORD | IS_CONTINUA)) !== kind) break;
    at += size(codePoint);
  }
  return at;
}

/** SD-SPLIT-2 and SD-SPLIT-3 */
function bigrams(text, start, end, candidate) {
  let middle = start + size(text.codePointAt(start));
  if (middle === end) {
    candidate(start, end);
    return;
  }
  while (middle < end) {
    const after = middle + size(text.codePointAt(middle));
    candidate(start, after);
    start = middle;
    middle = after;
  }
}

/** SD-FILTER-1. All code points of General_Category Pc are in the Basic Multilingual Plane. */
function trim(text, start, end) {
  while (start < end && FLAGS[text.charCodeAt(start)] & IS_CONNECTOR) start++;
  while (start < end && FLAGS[text.charCodeAt(end - 1)] & IS_CONNECTOR) end--;
  return [start, end];
}

/** SD-FILTER-2 */
function hasAlphabetic(text, at, end) {
  while (at < end) {
    const codePoint = text.codePointAt(at);
    if (FLAGS[codePoint] & IS_ALPHABETIC) return true;
    at += size(codePoint);
  }
  return false;
}

/**
 * The tokens of a link-free text as the specification lists them: in the order of their UTF-8 bytes, repeated ones
 * repeated.
 *
 * @param {string} linkFree
 * @returns {string[]}
 */
export function tokens(linkFree) {
  const counts = [...countTokens(linkFree)].sort(([a], [b]) => compareUtf8(a, b));
  return counts.flatMap(([token, count]) => new Array(count).fill(token));
}

/** The order of UTF-8 is that of code points: unlike in UTF-16, surrogate pairs come after U+E000 to U+FFFF. */
function compareUtf8(a, b) {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at);
    const y = b.charCodeAt(at);
    if (x === y) continue;
    const xIsPair = x >= 0xd800 && x <= 0xdfff;
    const yIsPair = y >= 0xd800 && y <= 0xdfff;
    return xIsPair === yIsPair ? x - y : Number(xIsPair) - Number(yIsPair);
  }
  return a.length - b.length;
}
