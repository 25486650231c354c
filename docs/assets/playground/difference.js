/**
 * Shows the comparison of two texts.
 */
import { element, table } from '../site/dom.js';
import { marked } from './steps.js';

const MEANING = {
  close: 'Nearly always two versions of one text',
  loose: 'Deserves a second look',
  distinct: 'Not near-duplicates; an excerpt may also be this far away',
};

const SAME_WORDS = 'As far as a fingerprint can tell, both texts have the same words';

/** What a verdict means if a text is short. */
const SHORT_MEANING = {
  close: 'Short texts: compare them, because unrelated texts can be this close',
  loose: 'Short texts: compare them',
  distinct: 'Short texts: one different word can flip this many bits',
};

/**
 * @param {import('./comparison.js').Comparison} comparison
 * @param {number} bits of the scheme
 * @param {import('./words.js').Piece[]} words empty if a text is a fingerprint
 * @returns {HTMLElement}
 */
export function difference({ distance, similarity, verdict, movers, short }, bits, words) {
  const meaning = distance === 0 ? SAME_WORDS : (short ? SHORT_MEANING : MEANING)[verdict];
  const section = element(
    'section', { className: 'difference' }, element('h2', {}, 'Both texts'),
    element(
      'p', { className: 'verdict', data: { verdict } }, element('strong', {}, `${distance} of ${bits} bits ${distance === 1 ? 'differs' : 'differ'}: ${verdict}`),
      ` ${meaning}. Similarity ${similarity.toFixed(4)}.`,
    ),
  );
  if (verdict !== 'distinct' && words.some(({ kind, text }) => kind !== 'kept' && kind !== 'skipped' && /\p{Nd}/u.test(text))) {
    section.append(element(
      'p', { className: 'numbers' }, 'Numbers differ, which a fingerprint cannot show. ',
      element('a', { href: '../what-is-left-out/' }, 'Commands that leave out documents compare them.'),
    ));
  }
  if (short) {
    section.append(element(
      'p', { className: 'short' }, `${short.join(' and ')} tokens. Among texts of fewer than about 200 tokens, a close pair of sd64 is a candidate: `,
      'compare the texts. Under 25 tokens, no distance is recommended. ',
      element('a', { href: '../specification-search/#2-thresholds' }, 'Thresholds'),
    ));
  }
  if (words.length > 0) {
    section.append(
      element('h3', {}, 'The words that differ'),
      element('p', {}, 'Struck through: only in the first text. Underlined: only in the second. The fingerprint ignores digits, signs and links.'),
      marked(words, 'The words that differ'),
    );
  }
  if (movers.length > 0) {
    section.append(table(
      'The tokens that moved the bits', ['Token', 'Counts in the first', 'Counts in the second', 'Differing bits it pushed'],
      movers.map(({ token, a, b, moved }) => [token, String(a), String(b), `${moved} of ${distance}`]),
    ));
  }
  return section;
}
