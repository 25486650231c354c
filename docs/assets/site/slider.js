/**
 * The start page: the words of a text are replaced with a slider, and the bits of its fingerprint follow.
 */
import { SCHEMES, trace } from '../simhash-doc/index.js';
import { toFragment } from '../playground/fragment.js';
import { bitStrip, bitsOf } from './bits.js';
import { element } from './dom.js';

const SCHEME = SCHEMES.get('sd64');
const PLAYGROUND = 'playground/';
/** Coprime to the number of words: its multiples reach each word once, far from the word before. */
const STRIDE = 23;

/**
 * @param {string[]} words of the text
 * @param {string[]} others the words that take their place
 * @param {number} count
 * @returns {string[]} the words after `count` of them were replaced
 */
export function replaced(words, others, count) {
  const edited = [...words];
  for (let at = 0; at < count; at++) {
    const place = (at * STRIDE + STRIDE) % words.length;
    edited[place] = others[place % others.length];
  }
  return edited;
}

function verdictOf(distance) {
  if (distance <= SCHEME.close) return 'close';
  return distance <= SCHEME.loose ? 'loose' : 'distinct';
}

/** Build the slider from the two texts of a figure, and show the first state. */
function build(figure) {
  const [words, others] = Array.from(figure.querySelectorAll('p'), (text) => text.textContent.trim().split(/\s+/));
  const first = bitsOf(trace(words.join(' ')).hex);
  const { strip, show } = bitStrip(SCHEME.bits);
  const text = element('p', { className: 'slider-text' });
  const form = element('code');
  const verdict = element('strong', { attributes: { role: 'status' } });
  const shown = element('output');
  const needle = element('b');
  const link = element('a', { className: 'md-button' }, 'Try your own text');
  const input = element('input', { type: 'range', min: '0', max: String(words.length), value: '0', step: '1' });
  const update = () => {
    const edited = replaced(words, others, Number(input.value));
    const traced = trace(edited.join(' '));
    const bits = bitsOf(traced.hex);
    const distance = Array.from(bits).filter((bit, at) => bit !== first[at]).length;
    text.replaceChildren(...edited.flatMap((word, at) => [word === words[at] ? word : element('mark', {}, word), ' ']));
    show(bits, first);
    form.textContent = traced.fingerprint;
    verdict.textContent = `${distance} of ${SCHEME.bits} bits differ: ${verdictOf(distance)}`;
    verdict.dataset.verdict = verdictOf(distance);
    shown.textContent = `${input.value} of ${words.length}`;
    needle.style.left = `${(100 * distance) / SCHEME.bits}%`;
    link.href = PLAYGROUND + toFragment({ texts: [words.join(' '), edited.join(' ')], scheme: SCHEME.id });
  };
  input.addEventListener('input', update);
  figure.replaceChildren(
    element('label', {}, 'Replace words: ', shown, input),
    text, strip,
    element('p', { className: 'slider-result' }, form, verdict),
    element('div', { className: 'slider-scale', attributes: { 'aria-hidden': 'true' } }, needle),
    element('p', { className: 'slider-ends', attributes: { 'aria-hidden': 'true' } },
      element('span', {}, '0 bits: equal'), element('span', {}, 'half the bits: unrelated texts'), element('span', {}, '64')),
    element('p', {}, link),
  );
  figure.hidden = false;
  update();
}

if (typeof document !== 'undefined') document.querySelectorAll('.slider').forEach(build);
