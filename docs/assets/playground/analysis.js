/**
 * The analysis of a text as plain data: computed in the worker, shown by steps.js.
 */
import { bucketsOf, signs } from '../simhash-doc/buckets.js';
import { SCHEMES, encode, fold, hashToken, removeLinks } from '../simhash-doc/index.js';
import { linkRanges } from '../simhash-doc/links.js';
import { FLAGS, FOLD_MAP, IS_ASSIGNED, IS_FOLDED } from '../simhash-doc/tables.js';
import { toHex } from '../simhash-doc/textform.js';
import { countTokens, visitTokens } from '../simhash-doc/tokens.js';

/** The marked views show at most this number of UTF-16 code units. */
export const SHOWN = 5_000;

/** Number of distinct tokens that are listed. */
const LISTED = 100;

/**
 * A part of a text as the views mark it. `note` explains the mark.
 *
 * @typedef {{ kind: 'kept' | 'removed' | 'changed' | 'link' | 'token', text: string, note?: string, hue?: number }} Piece
 * @typedef {{ token: string, count: number, hash: string }} CountedToken
 * @typedef {{ length: number, typed: Piece[], folded: Piece[], tokens: CountedToken[], distinct: number, total: number,
 *   buckets: number[], hex: string, fingerprint: string }} Analysis
 */

/**
 * @param {string} text
 * @param {string} scheme
 * @returns {{ analysis: Analysis, counts: Map<string, number> }} the analysis, and all tokens for a comparison
 */
export function analyse(text, scheme) {
  const folded = fold(text);
  const counts = countTokens(removeLinks(folded));
  const buckets = bucketsOf(counts, SCHEMES.get(scheme).bits / 64);
  const bytes = signs(buckets);
  const analysis = {
    length: text.length,
    typed: foldingPieces(beginning(text)),
    folded: tokenPieces(beginning(folded)),
    tokens: mostFrequent(counts),
    distinct: counts.size,
    total: [...counts.values()].reduce((sum, count) => sum + count, 0),
    buckets: Array.from(buckets),
    hex: toHex(bytes),
    // A text without tokens has no fingerprint (SD-SUM-2).
    fingerprint: counts.size > 0 ? encode(bytes, scheme) : '',
  };
  return { analysis, counts };
}

/** Return the first code points of a text, as many as are shown. */
export function beginning(text) {
  return text.length <= SHOWN ? text : text.slice(0, SHOWN).replace(/[\ud800-\udbff]$/, '');
}

/** Return the hexadecimal name of each code point. */
const names = (text) => Array.from(text, (character) => (
  `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, '0')}`
)).join(' ');

/** Return the effect of SD-FOLD-1 and SD-FOLD-2 on each code point; adjacent code points that are kept are joined. */
function foldingPieces(text) {
  const pieces = [];
  for (const character of text.replace(/[\ud800-\udfff]/gu, '\ufffd')) {
    const flags = FLAGS[character.codePointAt(0)];
    if (flags & IS_FOLDED) {
      const to = FOLD_MAP.get(character.codePointAt(0));
      if (to === '') pieces.push({ kind: 'removed', text: character, note: `${names(character)} removed` });
      else pieces.push({ kind: 'changed', text: character, note: `becomes ${to} (${names(to)})` });
    } else if (!(flags & IS_ASSIGNED)) {
      pieces.push({ kind: 'changed', text: character, note: 'unassigned: becomes U+FFFD' });
    } else if (pieces.at(-1)?.kind === 'kept') {
      pieces.at(-1).text += character;
    } else {
      pieces.push({ kind: 'kept', text: character });
    }
  }
  return pieces;
}

/** Return the links and tokens of a folded text. Bigrams overlap: each is shown from its start to the start of the next. */
function tokenPieces(folded) {
  const marks = [];
  let spaced = folded;
  for (const [start, end] of linkRanges(folded)) {
    marks.push({ start, end, kind: 'link', note: 'link, removed' });
    // Spaces keep the positions of the text that follows.
    spaced = spaced.slice(0, start) + ' '.repeat(end - start) + spaced.slice(end);
  }
  visitTokens(spaced, (start, end) => {
    const token = spaced.slice(start, end);
    marks.push({ start, end, kind: 'token', note: `token ${token}`, hue: hueOf(token) });
  });
  marks.sort((a, b) => a.start - b.start);
  return cut(folded, marks);
}

function cut(text, marks) {
  const pieces = [];
  let at = 0;
  marks.forEach(({ start, end, ...mark }, index) => {
    if (at < start) pieces.push({ kind: 'kept', text: text.slice(at, start) });
    at = Math.min(end, marks[index + 1]?.start ?? end);
    pieces.push({ ...mark, text: text.slice(start, at) });
  });
  if (at < text.length) pieces.push({ kind: 'kept', text: text.slice(at) });
  return pieces;
}

/** Return a colour for a token, the same at every occurrence. */
export function hueOf(token) {
  return parseInt(hashToken(token).slice(-4), 16) % 360;
}

function mostFrequent(counts) {
  return [...counts]
    .sort(([, a], [, b]) => b - a)
    .slice(0, LISTED)
    .map(([token, count]) => ({ token, count, hash: hashToken(token) }));
}
