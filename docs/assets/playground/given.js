/**
 * Recognises a fingerprint that was pasted in place of a text.
 */
import { SCHEMES } from '../simhash-doc/tables.js';
import { decode, encode, toHex } from '../simhash-doc/textform.js';

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
    const { scheme, canonical, bytes } = decode(written);
    return fingerprintOf(bytes, scheme, canonical, '');
  } catch (error) {
    return { given: true, scheme: null, written, failure: `${error.name}: ${error.message}` };
  }
}

/**
 * Narrow a fingerprint to a scheme that is not wider: the first lanes of a fingerprint are that of a narrower scheme.
 *
 * @param {Given} given
 * @param {string} scheme
 * @returns {Given}
 */
export function narrowed(given, scheme) {
  if (given.scheme === scheme) return given;
  const { canonical, bytes } = decode(given.fingerprint);
  return fingerprintOf(bytes.slice(0, SCHEMES.get(scheme).bits / 8), scheme, canonical, `Narrowed from ${given.scheme}.`);
}

function fingerprintOf(bytes, scheme, canonical, note) {
  const custom = canonical ? '' : ' Customised: comparable only with those of the same customisation.';
  return { given: true, scheme, hex: toHex(bytes), fingerprint: encode(bytes, scheme, canonical), note: `${note}${custom}`.trim() };
}
