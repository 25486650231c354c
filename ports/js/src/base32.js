/**
 * Base32 (SD-TEXT-1 to SD-TEXT-4), for byte strings of any scheme's length (SD-WIDE-3).
 */
import { SimhashDocError } from './errors.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/** The value of each character, including capitals (SD-TEXT-3). */
const VALUES = new Map([...ALPHABET, ...ALPHABET.slice(0, 26).toUpperCase()].map((character, index) => (
  [character, index % 32]
)));

/**
 * @param {Uint8Array} bytes
 * @returns {string}
 */
export function encodeBase32(bytes) {
  let text = '';
  let bits = 0;
  let count = 0;
  for (const byte of bytes) {
    bits = (bits << 8) | byte;
    count += 8;
    while (count >= 5) {
      count -= 5;
      text += ALPHABET[(bits >>> count) & 31];
    }
    bits &= (1 << count) - 1;
  }
  return count > 0 ? text + ALPHABET[(bits << (5 - count)) & 31] : text;
}

/**
 * Decodes strictly. Errors are raised in the order of SD-TEXT-4; the caller raises `unknown-scheme`.
 *
 * @param {string} text
 * @param {number | undefined} length the number of bytes, or undefined if no scheme has this number of characters
 * @param {string} expected the valid lengths, for the message
 * @returns {Uint8Array}
 */
export function decodeBase32(text, length, expected) {
  const padding = text.indexOf('=');
  if (padding !== -1) {
    throw new SimhashDocError('padding', `"=" at position ${padding}: the text form has no padding`);
  }
  const values = Array.from(text, (character, index) => {
    const value = VALUES.get(character);
    if (value === undefined) {
      throw new SimhashDocError('bad-character', `${JSON.stringify(character)} as character ${index + 1}: `
        + 'the text form has only a-z, A-Z and 2-7');
    }
    return value;
  });
  if (length === undefined || values.length !== Math.ceil(length * 8 / 5)) {
    throw new SimhashDocError('bad-length', `the text form has ${values.length} characters instead of ${expected}`);
  }
  const bytes = new Uint8Array(length);
  let bits = 0;
  let count = 0;
  let filled = 0;
  for (const value of values) {
    bits = (bits << 5) | value;
    count += 5;
    if (count >= 8) {
      count -= 8;
      bytes[filled++] = bits >>> count;
    }
    bits &= (1 << count) - 1;
  }
  if (bits !== 0) {
    throw new SimhashDocError('spare-bits', `the last character, "${text.at(-1)}", has a spare bit set: `
      + `the lowest ${count} of its five bits must be 0`);
  }
  return bytes;
}
