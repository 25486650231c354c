/**
 * The fingerprint of a document that arrives in pieces (SD-PIECE-1).
 *
 * The text passes two stages. Each collects a block, hands on the part that no later text can change, and holds the rest.
 */
import { signs } from './buckets.js';
import { MAX_LENGTH, measure, overLimit } from './fingerprint.js';
import { LONGEST_RUN, decodeUtf8, mapText, normalizeMapped } from './fold.js';
import { LOOK_AHEAD, linkRanges, removeLinks } from './links.js';
import { startsSegment } from './normalize.js';
import { FLAGS, IS_NONSTARTER, IS_WORD } from './tables.js';
import { encode, findScheme } from './textform.js';
import { countTokens } from './tokens.js';

/** In UTF-16 code units. */
const BLOCK = 65_536;

/** A link that is longer is held without its middle: more than the decision about it and a label of 63 characters. */
const LONG_LINK = 2 * LOOK_AHEAD;

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

const isLowSurrogate = (unit) => unit >= 0xdc00 && unit <= 0xdfff;

/** Where bytes can be cut: before the last byte of the last three that begins a sequence (SD-INPUT-2), or at the end. */
function sequenceBorder(bytes) {
  const from = Math.max(0, bytes.length - 3);
  const lead = bytes.subarray(from).findLastIndex((byte) => byte >= 0xc0);
  return lead === -1 ? bytes.length : from + lead;
}

/** The start of the last segment of a text after SD-FOLD-2 (appendix C). */
function segmentBorder(mapped) {
  for (let at = mapped.length - 1; at > 0; at--) {
    if (isLowSurrogate(mapped.charCodeAt(at))) continue;
    if (startsSegment(mapped.codePointAt(at))) return at;
  }
  return 0;
}

/** Shortens runs of non-starters that are replaced by U+FFFD in any case (SD-FOLD-4). */
function clipRuns(mapped) {
  const kept = [];
  let run = 0;
  for (const character of mapped) {
    run = FLAGS[character.codePointAt(0)] & IS_NONSTARTER ? run + 1 : 0;
    if (run <= LONGEST_RUN + 1) kept.push(character);
  }
  return kept.join('');
}

/**
 * Where a folded text can be cut: the last link or the last code point outside words, after which no link starts that is
 * not decided yet. No link starts at the latter, and a link that follows the cut has the same code point before it.
 */
function tokenBorder(folded) {
  const decided = folded.length - LOOK_AHEAD;
  let border = 0;
  let from = 0;
  for (const [start, end] of linkRanges(folded)) {
    if (start > decided) break;
    border = start;
    from = end;
  }
  for (let at = decided; at >= from; at--) {
    if (isLowSurrogate(folded.charCodeAt(at))) continue;
    if (!(FLAGS[folded.codePointAt(at)] & IS_WORD)) return at;
  }
  return border;
}

/**
 * Drops the middle of a long link at the start. SD-LINK-2 to SD-LINK-4 and SD-LINK-6 continue with any number of
 * characters of `tail`. SD-LINK-5 continues with any number of labels, of which the last one is kept.
 */
function shortenLink(folded) {
  const [start, end] = linkRanges(folded).next().value ?? [0, 0];
  if (start > 0 || end <= LONG_LINK) return folded;
  const dot = folded.lastIndexOf('.', end - 1);
  const mayBeLabel = end - dot <= 64;
  return folded.slice(0, LOOK_AHEAD).replace(/\.$/, '') + folded.slice(mayBeLabel ? dot : end);
}

/** A string of its own: engines may represent a slice as a reference to the complete text, which it would keep alive. */
const copyOf = (token) => decoder.decode(encoder.encode(token));

function addTokens(counts, folded) {
  for (const [token, count] of countTokens(removeLinks(folded))) {
    const before = counts.get(token);
    counts.set(before === undefined ? copyOf(token) : token, (before ?? 0) + count);
  }
}

/** `border` finds where held text can be cut, `next` takes the part before, `shorten` changes no result of the rest. */
class Stage {
  held = '';
  #block;
  #enough;
  #border;
  #shorten;
  #next;

  constructor(block, border, shorten, next) {
    this.#block = block;
    this.#enough = block;
    this.#border = border;
    this.#shorten = shorten;
    this.#next = next;
  }

  add(text) {
    this.held += text;
    if (this.held.length < this.#enough) return;
    const border = this.#border(this.held);
    if (border > 0) this.#next(this.held.slice(0, border));
    this.held = this.#shorten(this.held.slice(border));
    // Text that cannot be cut is examined again when there is twice as much, so the time is linear.
    this.#enough = Math.max(this.#block, 2 * this.held.length);
  }
}

/** The documentation of the public names is in index.d.ts. */
export class Accumulator {
  #counts = new Map();
  #length = 0;
  #bytes = new Uint8Array();
  #high = '';
  #block;
  #mapped;
  #folded;

  /** @param {number} [block] smaller in tests */
  constructor(block = BLOCK) {
    this.#block = block;
    this.#folded = new Stage(block, tokenBorder, shortenLink, (part) => addTokens(this.#counts, part));
    this.#mapped = new Stage(block, segmentBorder, clipRuns, (part) => this.#folded.add(normalizeMapped(part)));
  }

  update(piece) {
    if (typeof piece !== 'string' && !(piece instanceof Uint8Array)) {
      throw new TypeError('a piece must be a string or a Uint8Array');
    }
    for (let at = 0; at < piece.length; at += this.#block) {
      const end = at + this.#block;
      this.#add(typeof piece === 'string' ? this.#endBytes() + piece.slice(at, end) : this.#decode(piece.subarray(at, end)));
    }
    return this;
  }

  fingerprint(id = 'sd64') {
    const scheme = findScheme(id);
    return encode(signs(this.#measure(scheme)), scheme.id);
  }

  buckets(id = 'sd64') {
    return Array.from(this.#measure(findScheme(id)));
  }

  #decode(piece) {
    const bytes = new Uint8Array(this.#bytes.length + piece.length);
    bytes.set(this.#bytes);
    bytes.set(piece, this.#bytes.length);
    const border = sequenceBorder(bytes);
    this.#bytes = bytes.slice(border);
    return this.#textOf(bytes.subarray(0, border));
  }

  /** The text of bytes; a byte order mark is dropped at the start of the document only. */
  #textOf = (bytes) => (this.#length === 0 ? decodeUtf8(bytes) : decoder.decode(bytes));

  #endBytes() {
    const text = this.#textOf(this.#bytes);
    this.#bytes = new Uint8Array();
    return text;
  }

  #add(text) {
    this.#length += text.length;
    checkLength(this.#length);
    const joined = this.#high + text;
    const end = joined.length - (/^[\ud800-\udbff]$/.test(joined.slice(-1)) ? 1 : 0);
    this.#high = joined.slice(end);
    this.#mapped.add(mapText(joined.slice(0, end)));
  }

  /** The buckets of the text so far, without changing what is held. */
  #measure(scheme) {
    const last = this.#textOf(this.#bytes);
    checkLength(this.#length + last.length);
    const counts = new Map(this.#counts);
    addTokens(counts, this.#folded.held + normalizeMapped(this.#mapped.held + mapText(this.#high + last)));
    return measure(counts, scheme);
  }
}

/** After an excess the length stays over the limit, so no later call gives a result for a part (SD-SEC-1). */
function checkLength(length) {
  if (length > MAX_LENGTH) throw overLimit(`at least ${length} UTF-16 code units`);
}
