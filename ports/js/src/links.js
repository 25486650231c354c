/**
 * Section 5, links. The forms are parsed by hand, which needs no stack, however long a link is.
 *
 * No repetition below can match by stopping early, because it never repeats a character that has to follow it. So each
 * form is read once from left to right, as long as it can be.
 */

/** So many code points from a position on decide whether a link starts there (section 5). */
export const LOOK_AHEAD = 137;

const ALPHA = 1;
const DIGIT = 2;
const HEX = 4;
const WORD = 8;
const SCHEME = 16;
const LABEL = 32;
const LOCAL = 64;
const TAIL = 128;
const ALNUM = ALPHA | DIGIT;

/** The grammar's classes of each ASCII character. */
const CLASSES = new Uint8Array(128);
for (const [characters, classes] of /** @type {[string, number][]} */ ([
  ['abcdefghijklmnopqrstuvwxyz', ALPHA | WORD | SCHEME | LABEL | LOCAL | TAIL],
  ['0123456789', DIGIT | HEX | WORD | SCHEME | LABEL | LOCAL | TAIL],
  ['abcdef', HEX],
  ['_', WORD],
  ['+.-', SCHEME],
  ['-', LABEL],
  ['._%+-', LOCAL],
  ["._~:/?#[]@!$&'()*+,;=%-", TAIL],
])) {
  for (const character of characters) CLASSES[character.charCodeAt(0)] |= classes;
}

const COLON = 0x3a;
const AT = 0x40;

const NAMES = ['doi:', 'urn:', 'arxiv:', 'hdl:'];

/** SD-LINK-5: the longest label of a mail address's domain. */
const LABEL_LENGTH = 63;

/** True if the character at `at` is in one of the classes; false before the start and after the end. */
function is(text, at, classes) {
  const code = text.charCodeAt(at);
  return code < 128 && (CLASSES[code] & classes) !== 0;
}

/** The position after the characters of the classes from `at` on, at most `most` of them. */
function skip(text, at, classes, most = Infinity) {
  const end = Math.min(text.length, at + most);
  while (at < end && is(text, at, classes)) at++;
  return at;
}

// Each of the following returns the position after the form that starts at `at`, or -1 if there is none.

/** SD-LINK-2 */
function url(text, at) {
  if (!is(text, at, ALPHA)) return -1;
  const colon = skip(text, at + 1, SCHEME, 31);
  return text.startsWith('://', colon) ? skip(text, colon + 3, TAIL) : -1;
}

/** SD-LINK-3 */
function named(text, at) {
  const name = NAMES.find((candidate) => text.startsWith(candidate, at));
  return name && is(text, at + name.length, ALNUM) ? skip(text, at + name.length, TAIL) : -1;
}

/** SD-LINK-4 */
function www(text, at) {
  if (!text.startsWith('www.', at)) return -1;
  const dot = skip(text, at + 4, LABEL, 63);
  return dot > at + 4 && text[dot] === '.' ? skip(text, dot + 1, TAIL) : -1;
}

/** SD-LINK-5 without "mailto:" */
function plainMail(text, at) {
  if (!is(text, at, ALNUM)) return -1;
  const sign = skip(text, at + 1, LOCAL, 63);
  if (text[sign] !== '@') return -1;
  const first = skip(text, sign + 1, LABEL, LABEL_LENGTH);
  if (first === sign + 1) return -1;
  let end = first;
  while (text[end] === '.' && is(text, end + 1, LABEL)) {
    end = skip(text, end + 1, LABEL, LABEL_LENGTH);
  }
  return end > first ? end : -1;
}

/** SD-LINK-5. Text that starts with "mailto:" cannot be an address without it, as no "@" can follow "mailto". */
function mail(text, at) {
  return plainMail(text, text.startsWith('mailto:', at) ? at + 7 : at);
}

/** SD-LINK-6 */
function doi(text, at) {
  if (!text.startsWith('10.', at)) return -1;
  let end = skip(text, at + 3, DIGIT, 9);
  if (end < at + 7) return -1;
  for (let part = 0; part < 3 && text[end] === '.' && is(text, end + 1, DIGIT); part++) {
    end = skip(text, end + 1, DIGIT, 9);
  }
  return text[end] === '/' && is(text, end + 1, TAIL) ? skip(text, end + 1, TAIL) : -1;
}

/** SD-LINK-7 */
function uuid(text, at) {
  let end = at - 1;
  for (const length of [8, 4, 4, 4, 12]) {
    const start = end + 1;
    if (start > at && text[end] !== '-') return -1;
    end = skip(text, start, HEX, length);
    if (end < start + length) return -1;
  }
  return is(text, end, WORD) ? -1 : end;
}

/** SD-LINK-8 */
function digest(text, at) {
  const end = skip(text, at, HEX, 128);
  return end < at + 32 || is(text, end, WORD) ? -1 : end;
}

const FORMS = [url, named, www, mail, doi, uuid, digest];

/**
 * False if no form can match at `at`: each has 32 characters of schemes or local parts, or a colon or "@" after fewer, or
 * begins with "www." or "10.".
 */
function mayBeLink(text, at) {
  const end = skip(text, at, SCHEME | LOCAL, 32);
  if (end === at + 32) return true;
  const next = text.charCodeAt(end);
  return next === COLON || next === AT || text.startsWith('www.', at) || text.startsWith('10.', at);
}

/** The end of the first form that matches at `at` (SD-LINK-1), or -1. */
function linkEnd(text, at) {
  if (!mayBeLink(text, at)) return -1;
  for (const form of FORMS) {
    const end = form(text, at);
    if (end !== -1) return end;
  }
  return -1;
}

/**
 * The links of a folded text from left to right (SD-LINK-1), each as the positions of its start and after its end.
 *
 * @param {string} folded
 * @returns {Generator<[number, number]>}
 */
export function* linkRanges(folded) {
  for (let at = 0; at < folded.length;) {
    const end = is(folded, at, WORD) && !is(folded, at - 1, WORD) ? linkEnd(folded, at) : -1;
    if (end !== -1) yield [at, end];
    at = end === -1 ? at + 1 : end;
  }
}

/**
 * Replaces each link by one space (SD-LINK-1).
 *
 * @param {string} folded
 * @returns {string} the link-free text
 */
export function removeLinks(folded) {
  const pieces = [];
  let copied = 0;
  for (const [start, end] of linkRanges(folded)) {
    pieces.push(folded.slice(copied, start), ' ');
    copied = end;
  }
  pieces.push(folded.slice(copied));
  return pieces.join('');
}
