/**
 * Section 3, for strings and bytes, and section 4, folding.
 */
import { decomposition, nfc } from './normalize.js';
import { FLAGS, FOLD_MAP, IS_ASSIGNED, IS_FOLDED, IS_NONSTARTER } from './tables.js';

const REPLACEMENT = '\ufffd';

/** The longest run of non-starters that is kept (SD-FOLD-4). */
export const LONGEST_RUN = 30;

/** Without this many non-starters in a row after SD-FOLD-2, SD-FOLD-3 and SD-FOLD-4 change nothing (section 4). */
const SUSPICIOUS_RUN = 28;

const decoder = new TextDecoder('utf-8');

/**
 * UTF-8 bytes to text. The WHATWG decoder removes a byte order mark (SD-INPUT-1) and replaces each maximal
 * ill-formed subpart by U+FFFD (SD-INPUT-2).
 *
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function decodeUtf8(bytes) {
  return decoder.decode(bytes);
}

/**
 * Folds a text (SD-INPUT-3, SD-FOLD-1 to SD-FOLD-5).
 *
 * @param {string} text
 * @returns {string}
 */
export function fold(text) {
  return normalizeMapped(mapText(text));
}

/**
 * SD-INPUT-3, SD-FOLD-1 and SD-FOLD-2.
 *
 * @param {string} text
 * @returns {string}
 */
export function mapText(text) {
  // In ASCII, only capitals are in nfkc_casefold.txt.
  if (!/[^\0-\x7f]/.test(text)) return text.toLowerCase();
  return mapCodePoints(text);
}

/**
 * SD-FOLD-3 to SD-FOLD-5.
 *
 * @param {string} mapped a result of `mapText`
 * @returns {string}
 */
export function normalizeMapped(mapped) {
  if (!/[^\0-\x7f]/.test(mapped)) return mapped;
  return nfc(hasSuspiciousRun(mapped) ? boundRuns(mapped) : mapped);
}

/** SD-INPUT-3, as lone surrogates are not assigned, SD-FOLD-1 and SD-FOLD-2. Unchanged stretches are copied at once. */
function mapCodePoints(text) {
  const pieces = [];
  let copied = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at);
    const next = at + (codePoint > 0xffff ? 2 : 1);
    const flags = FLAGS[codePoint] & (IS_FOLDED | IS_ASSIGNED);
    if (flags !== IS_ASSIGNED) {
      if (copied < at) pieces.push(text.slice(copied, at));
      pieces.push(flags & IS_FOLDED ? FOLD_MAP.get(codePoint) : REPLACEMENT);
      copied = next;
    }
    at = next;
  }
  pieces.push(text.slice(copied));
  return pieces.join('');
}

function hasSuspiciousRun(text) {
  let run = 0;
  for (let at = 0; at < text.length;) {
    const codePoint = text.codePointAt(at);
    run = FLAGS[codePoint] & IS_NONSTARTER ? run + 1 : 0;
    if (run >= SUSPICIOUS_RUN) return true;
    at += codePoint > 0xffff ? 2 : 1;
  }
  return false;
}

/** SD-FOLD-3 and SD-FOLD-4. Marks over the bound are not kept, so a run of any length needs little memory. */
function boundRuns(text) {
  const pieces = [];
  let marks = '';
  let run = 0;
  const endRun = () => {
    if (run > 0) pieces.push(run > LONGEST_RUN ? REPLACEMENT : marks);
    marks = '';
    run = 0;
  };
  for (const character of text) {
    for (const part of decomposition(character.codePointAt(0))) {
      if (FLAGS[part] & IS_NONSTARTER) {
        run++;
        if (run <= LONGEST_RUN) marks += String.fromCodePoint(part);
      } else {
        endRun();
        pieces.push(String.fromCodePoint(part));
      }
    }
  }
  endRun();
  return pieces.join('');
}
