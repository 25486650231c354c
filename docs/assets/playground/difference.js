/**
 * Shows the comparison of two texts.
 */
import { element, table } from '../site/dom.js';

const MEANING = {
  close: 'nearly always two versions of one text',
  loose: 'deserves a second look',
  distinct: 'not near-duplicates; an excerpt may also be this far away',
};

/**
 * @param {import('./comparison.js').Comparison} comparison
 * @param {number} bits of the scheme
 * @returns {HTMLElement}
 */
export function difference({ distance, similarity, verdict, movers }, bits) {
  const section = element(
    'section', { className: 'difference' }, element('h2', {}, 'Both texts'),
    element(
      'p', { className: 'verdict', data: { verdict } }, element('strong', {}, `${distance} of ${bits} bits ${distance === 1 ? 'differs' : 'differ'}: ${verdict}`),
      ` (${MEANING[verdict]}). Similarity ${similarity.toFixed(4)}.`,
    ),
  );
  if (movers.length > 0) {
    section.append(table(
      'The tokens that moved the bits', ['Token', 'Counts in the first', 'Counts in the second', 'Differing bits it pushed'],
      movers.map(({ token, a, b, moved }) => [token, String(a), String(b), `${moved} of ${distance}`]),
    ));
  }
  return section;
}
