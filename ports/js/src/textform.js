/**
 * The text form with its scheme (SD-TEXT-5, SD-CUSTOM-2), the registry of schemes (section 12), and narrowing
 * (section 13).
 */
import { decodeBase32, encodeBase32 } from './base32.js';
import { SimhashDocError } from './errors.js';
import { SCHEMES } from './tables.js';

const CUSTOM = '+custom';

/**
 * The scheme with exactly this short id (SD-TEXT-7).
 *
 * @param {string} id
 * @param {string} [written] the id as it was written, for the message
 * @returns {Readonly<import('./index.js').Scheme>}
 */
export function findScheme(id, written = id) {
  const scheme = SCHEMES.get(id);
  if (!scheme) {
    throw new SimhashDocError('unknown-scheme', `${JSON.stringify(written)} is not a scheme of the registry, which `
      + `has ${[...SCHEMES.keys()].join(', ')}`);
  }
  return scheme;
}

/** ASCII capitals as small letters (SD-TEXT-5); other capitals stay. */
const lowerAscii = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());

/** The scheme before the colon of a text form, in upper or lower case, and whether it ends in "+custom". */
function readPrefix(prefix) {
  const lower = lowerAscii(prefix);
  const canonical = !lower.endsWith(CUSTOM);
  return { scheme: findScheme(canonical ? lower : lower.slice(0, -CUSTOM.length), prefix), canonical };
}

/**
 * The text form of a fingerprint, with the scheme if one is given, otherwise without.
 *
 * @param {Uint8Array} bytes
 * @param {string} [id] a short id (SD-TEXT-7)
 * @param {boolean} [canonical] false to mark the fingerprint as customised (SD-CUSTOM-2)
 * @returns {string}
 */
export function encode(bytes, id, canonical = true) {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('the bytes of a fingerprint must be a Uint8Array');
  const allowed = id === undefined ? [...SCHEMES.values()] : [findScheme(id)];
  if (!allowed.some(({ bits }) => bits === bytes.length * 8)) {
    throw new SimhashDocError('bad-length', `the fingerprint has ${bytes.length} bytes instead of `
      + allowed.map(({ bits }) => bits / 8).join(' or '));
  }
  const text = encodeBase32(bytes);
  return id === undefined ? text : `${id}${canonical ? '' : CUSTOM}:${text}`;
}

/**
 * Reads a text form. Its scheme precedes the first colon; without a colon, the scheme is `id`, or the one with this
 * number of characters (SD-TEXT-5).
 *
 * @param {string} text
 * @param {string} [id] the short id of the expected scheme
 * @returns {import('./index.js').Fingerprint}
 */
export function decode(text, id) {
  if (typeof text !== 'string') throw new TypeError(`a text form must be a string, not a ${typeof text}`);
  const expected = id === undefined ? undefined : findScheme(id);
  const colon = text.indexOf(':');
  const own = colon === -1 ? undefined : readPrefix(text.slice(0, colon));
  if (own && expected && own.scheme !== expected) {
    throw new SimhashDocError('scheme-mismatch', `the text form is of ${own.scheme.id}, but ${expected.id} was expected`);
  }
  const characters = text.slice(colon + 1);
  const scheme = own?.scheme ?? expected
    ?? [...SCHEMES.values()].find((candidate) => candidate.characters === characters.length);
  const lengths = scheme ? [scheme.characters] : [...SCHEMES.values()].map((candidate) => candidate.characters);
  const bytes = decodeBase32(characters, scheme && scheme.bits / 8, lengths.join(' or '));
  return { scheme: scheme.id, canonical: own?.canonical ?? true, bytes, hex: toHex(bytes) };
}

/**
 * The fingerprint of the same text in a scheme that is not wider (SD-NARROW-1). The id is checked before the text form.
 *
 * @param {string} text
 * @param {string} id the short id of the narrower scheme
 * @returns {string} the text form with the scheme
 */
export function narrow(text, id) {
  const target = findScheme(id);
  const { scheme, canonical, bytes } = decode(text);
  if (target.bits > bytes.length * 8) {
    throw new SimhashDocError('scheme-mismatch', `a fingerprint of ${scheme} cannot be narrowed to ${id}, which is wider`);
  }
  return encode(bytes.subarray(0, target.bits / 8), id, canonical);
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
