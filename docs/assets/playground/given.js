/**
 * Recognises a fingerprint that was pasted in place of a text.
 */
import { decode, encode, narrow } from '../simhash-doc/index.js';

/** A text form with its scheme. A bare one could be a word, so it is a text. */
const TEXT_FORM = /^\s*(sd\d+(?:\+custom)?:\S*)\s*$/i;

/**
 * @typedef {{ given: true, scheme: string, hex: string, fingerprint: string, note: string }} Given a decoded fingerprint
 * @typedef {{ given: true, scheme: null, written: string, failure: string }} Malformed with the reason
 */

/**
 * @param {string} text
 * @returns {Given | Malformed | null} null if this is not a text form
 */
export function readFingerprint(text) {
  const written = TEXT_FORM.exec(text)?.[1];
  if (!written) return null;
  try {
    return decoded(written, '');
  } catch (error) {
    return { given: true, scheme: null, written, failure: `${error.name}: ${error.message}` };
  }
}

/**
 * Narrow a fingerprint to a scheme that is not wider.
 *
 * @param {Given} given
 * @param {string} scheme
 * @returns {Given}
 */
export function narrowed(given, scheme) {
  if (given.scheme === scheme) return given;
  return decoded(narrow(given.fingerprint, scheme), `Narrowed from ${given.scheme}.`);
}

function decoded(text, note) {
  const { scheme, canonical, bytes, hex } = decode(text);
  const custom = canonical ? '' : ' Customised: comparable only with those of the same customisation.';
  return { given: true, scheme, hex, fingerprint: encode(bytes, scheme, canonical), note: `${note}${custom}`.trim() };
}
