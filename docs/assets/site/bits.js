/**
 * The bits of a fingerprint as 64 marks: filled for 1, coloured if they differ from those of another fingerprint.
 */
import { element } from './dom.js';

/**
 * @param {string} hex
 * @returns {string} its digits as bits, the most significant bit first
 */
export function bitsOf(hex) {
  return Array.from(hex, (digit) => parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
}

/**
 * @param {number} count
 * @returns {{ strip: HTMLElement, show: (bits: string, others?: string) => void }} the marks, and a function that sets them
 */
export function bitStrip(count = 64) {
  const marks = Array.from({ length: count }, () => element('i'));
  const strip = element('div', { className: 'bit-strip', attributes: { 'aria-hidden': 'true' } }, ...marks);
  const show = (bits, others = bits) => marks.forEach((mark, at) => {
    mark.classList.toggle('one', bits[at] === '1');
    mark.classList.toggle('differs', bits[at] !== others[at]);
  });
  return { strip, show };
}
