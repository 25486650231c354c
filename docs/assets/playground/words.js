/**
 * The words that differ between two texts, as one text. Words are equal if they fold to the same characters.
 */
import { fold } from '../simhash-doc/index.js';
import { SHOWN, beginning } from './analysis.js';

/** Equal words that are shown on each side of a difference. */
const CONTEXT = 12;

/** A word or sign with the space before it. In scripts without spaces between words, each character is a word. */
const UNSPACED = ['Han', 'Hira', 'Kana', 'Thai', 'Laoo', 'Khmr', 'Mymr'].map((script) => `\\p{sc=${script}}`).join('');
const WORD = new RegExp(`\\s*(?:[${UNSPACED}]\\p{M}*|(?:(?![${UNSPACED}])[\\p{L}\\p{M}\\p{N}\\p{Cf}])+|\\S)`, 'gu');

/**
 * @typedef {{ kind: 'kept' | 'first' | 'second' | 'skipped', text: string }} Piece `first` and `second` are words that
 *   only this text contains
 */

/**
 * @param {string} first
 * @param {string} second
 * @returns {Piece[]} the beginnings of both texts as one, without most of a long equal stretch; none if no word differs
 */
export function differingWords(first, second) {
  const [a, b] = [first, second].map((text) => beginning(text).match(WORD) ?? []);
  const [left, right] = [a, b].map((words) => words.map((word) => fold(word.trim())));
  const runs = [];
  const add = (kind, word) => {
    if (runs.at(-1)?.kind !== kind) runs.push({ kind, words: [] });
    runs.at(-1).words.push(word);
  };
  const lengths = commonLengths(left, right);
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (left[i] === right[j]) [i, j] = (add('kept', b[j]), [i + 1, j + 1]);
    else if (j === b.length || (i < a.length && lengths[i + 1][j] >= lengths[i][j + 1])) add('first', a[i++]);
    else add('second', b[j++]);
  }
  const isCut = Math.max(first.length, second.length) > SHOWN;
  if (!isCut && runs.every(({ kind }) => kind === 'kept')) return [];
  const pieces = runs.flatMap((run, at) => (
    run.kind === 'kept' ? shortened(run.words, at > 0, at < runs.length - 1) : [piece(run)]
  ));
  return !isCut ? pieces : [...pieces, { kind: 'skipped', text: ` [… the first ${SHOWN.toLocaleString('en')} characters were compared]` }];
}

/** Return for each pair of positions the number of words that both texts have from there on, in one order. */
function commonLengths(left, right) {
  const lengths = Array.from({ length: left.length + 1 }, () => new Uint16Array(right.length + 1));
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i][j] = left[i] === right[j] ? lengths[i + 1][j + 1] + 1 : Math.max(lengths[i + 1][j], lengths[i][j + 1]);
    }
  }
  return lengths;
}

const piece = ({ kind, words }) => ({ kind, text: words.join('') });

/** Return an equal stretch without the words that are far from differences. */
function shortened(words, hasBefore, hasAfter) {
  const start = hasBefore ? CONTEXT : 0;
  const end = words.length - (hasAfter ? CONTEXT : 0);
  if (end - start <= CONTEXT) return [piece({ kind: 'kept', words })];
  return [
    piece({ kind: 'kept', words: words.slice(0, start) }),
    { kind: 'skipped', text: ` [… ${end - start} equal words …]` },
    piece({ kind: 'kept', words: words.slice(end) }),
  ];
}
