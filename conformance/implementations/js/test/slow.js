/** The pipeline literally by the specification: slow and simple, to test the fast one against it. */
import { FLAGS, FOLD_MAP, IS_ALPHABETIC, IS_ASSIGNED, IS_CONNECTOR, IS_CONTINUA, IS_FOLDED, IS_NONSTARTER, IS_WORD } from '../src/tables.js';
import { APPENDIX_B } from './specification.js';
import { xxh64 } from './xxh64-bigint.js';

const LINKS = APPENDIX_B();
const encoder = new TextEncoder();
const has = (character, flag) => (FLAGS[character.codePointAt(0)] & flag) !== 0;

/** SD-FOLD-1 to SD-FOLD-5. The platform normalizes, whose data agrees for code points of Unicode 15.0. */
export function fold(text) {
  const mapped = Array.from(text.toWellFormed(), (character) => {
    if (has(character, IS_FOLDED)) return FOLD_MAP.get(character.codePointAt(0));
    return has(character, IS_ASSIGNED) ? character : '\ufffd';
  }).join('');
  const characters = Array.from(mapped, (character) => character.normalize('NFD')).flatMap((parts) => [...parts]);
  const kinds = characters.map((character) => (has(character, IS_NONSTARTER) ? 'n' : 's')).join('');
  const bounded = [...kinds.matchAll(/n+|s/g)].map(({ index, 0: run }) => (
    run.length > 30 ? '\ufffd' : characters.slice(index, index + run.length).join('')
  ));
  return bounded.join('').normalize('NFC');
}

export const removeLinks = (folded) => folded.replace(LINKS, ' ');

/** SD-RUN-1 to SD-FILTER-2 */
export function tokens(linkFree) {
  const kinds = Array.from(linkFree, (character) => {
    if (!has(character, IS_WORD)) return ' ';
    return has(character, IS_CONTINUA) ? 'c' : 'w';
  }).join('');
  const characters = [...linkFree];
  const candidates = [...kinds.matchAll(/w+|c+/g)].flatMap(({ index, 0: stretch }) => {
    const parts = characters.slice(index, index + stretch.length);
    if (stretch[0] === 'w' || parts.length === 1) return [parts];
    return parts.slice(1).map((part, number) => [parts[number], part]);
  });
  return candidates.map((parts) => {
    let [start, end] = [0, parts.length];
    while (start < end && has(parts[start], IS_CONNECTOR)) start++;
    while (start < end && has(parts[end - 1], IS_CONNECTOR)) end--;
    return parts.slice(start, end);
  }).filter((parts) => parts.some((part) => has(part, IS_ALPHABETIC))).map((parts) => parts.join(''));
}

/** SD-CAP-1 to SD-BUCKET-1 and SD-WIDE-2; undefined for a text without tokens. */
export function buckets(text, lanes) {
  const found = tokens(removeLinks(fold(text)));
  if (found.length === 0) return undefined;
  const counts = new Map();
  for (const token of found) counts.set(token, Math.min(8, (counts.get(token) ?? 0) + 1));
  return Array.from({ length: 64 * lanes }, (_, bucket) => {
    let sum = 0;
    for (const [token, count] of counts) {
      const hash = xxh64(encoder.encode(token), BigInt(bucket >>> 6));
      sum += (hash >> BigInt(bucket & 63)) & 1n ? count : -count;
    }
    return Math.max(-127, Math.min(127, sum));
  });
}
