/**
 * The text form with its scheme (SD-TEXT-5, SD-CUSTOM-2) and the registry of schemes (section 12).
 */
import { decodeBase32, encodeBase32 } from './base32.js';
import { SimhashDocError } from './errors.js';
import { SCHEMES } from './pinned.js';

const CUSTOM = '+custom';

/**
 * The scheme of a short id, in either case, and whether "+custom" is behind it (SD-WIDE-1).
 *
 * @param {string} id
 * @returns {{ scheme: Readonly<import('./index.js').Scheme>, canonical: boolean }}
 */
export function findScheme(id) {
  const lower = id.toLowerCase();
  const canonical = !lower.endsWith(CUSTOM);
  const scheme = SCHEMES.get(canonical ? lower : lower.slice(0, -CUSTOM.length));
  if (!scheme) {
    throw new SimhashDocError('unknown-scheme', `${JSON.stringify(id)} is no scheme of the registry, which has `
      + [...SCHEMES.keys()].join(', '));
  }
  return { scheme, canonical };
}

/**
 * The text form of a fingerprint: with the scheme in front if one is named, and bare otherwise.
 *
 * @param {Uint8Array} bytes
 * @param {string} [id] a short id; "+custom" may stand behind it (SD-CUSTOM-2)
 * @returns {string}
 */
export function encode(bytes, id) {
  if (!(bytes instanceof Uint8Array)) throw new TypeError('the bytes of a fingerprint have to be a Uint8Array');
  const allowed = id === undefined ? [...SCHEMES.values()] : [findScheme(id).scheme];
  if (!allowed.some(({ bits }) => bits === bytes.length * 8)) {
    throw new SimhashDocError('bad-length', `the fingerprint has ${bytes.length} bytes instead of `
      + allowed.map(({ bits }) => bits / 8).join(' or '));
  }
  const text = encodeBase32(bytes);
  return id === undefined ? text : `${id.toLowerCase()}:${text}`;
}

/**
 * Reads a text form. What stands before the first colon is its scheme; without a colon, the scheme is `id`, or the one
 * with this number of characters (SD-TEXT-5).
 *
 * @param {string} text
 * @param {string} [id] the short id of the scheme that the text form has to be of
 * @returns {import('./index.js').Fingerprint}
 */
export function decode(text, id) {
  if (typeof text !== 'string') throw new TypeError(`a text form is a string, and this is a ${typeof text}`);
  const expected = id === undefined ? undefined : findScheme(id);
  const colon = text.indexOf(':');
  const own = colon === -1 ? undefined : findScheme(text.slice(0, colon));
  const characters = text.slice(colon + 1);
  const { scheme, canonical } = own ?? expected ?? {
    scheme: [...SCHEMES.values()].find((candidate) => candidate.characters === characters.length),
    canonical: true,
  };
  const lengths = scheme ? [scheme.characters] : [...SCHEMES.values()].map((candidate) => candidate.characters);
  const bytes = decodeBase32(characters, scheme && scheme.bits / 8, lengths.join(' or '));
  if (expected && expected.scheme !== scheme) {
    throw new SimhashDocError('scheme-mismatch', `the text form is of ${scheme.id}, and one of ${expected.scheme.id} `
      + 'was asked for');
  }
  return { scheme: scheme.id, canonical, bytes, hex: toHex(bytes) };
}

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
