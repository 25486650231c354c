/**
 * Shows the analysis of one text, step by step.
 */
import { element, table } from '../site/dom.js';
import { votes } from '../site/votes.js';
import { CAP, LIMIT } from '../simhash-doc/buckets.js';
import { SHOWN, hueOf } from './analysis.js';
import { charts } from './chart.js';

const TAGS = {
  kept: 'span', removed: 'del', changed: 'mark', link: 'del', token: 'span', first: 'del', second: 'ins', skipped: 'i',
};
/** More tokens take over a minute to play. */
const MOST_VOTES = 100;
const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';

/**
 * @param {import('./analysis.js').Analysis | import('./given.js').Given | import('./given.js').Malformed} analysis
 * @param {string} name of the text
 * @param {number[]} differing the bits that differ from those of the other text
 * @returns {HTMLElement}
 */
export function steps(analysis, name, differing) {
  if (analysis.given) return fingerprintView(analysis, name, differing);
  const longer = analysis.length > SHOWN ? ` Only the first ${SHOWN.toLocaleString('en')} characters are shown.` : '';
  const sections = [
    step('1. Fold', `Struck through: removed. Marked: replaced.${longer}`, 'SD-FOLD-1',
      marked(analysis.typed, `${name}, folding`)),
    step('2. Remove links, cut into tokens',
      `The folded text. Struck through: links. Coloured: tokens; equal tokens have the same colour.${longer}`, 'SD-LINK-1',
      marked(analysis.folded, `${name}, links and tokens`)),
    step('3. Count and hash', tokenSummary(analysis), 'SD-CAP-1', tokenTable(analysis, name)),
  ];
  if (analysis.fingerprint) {
    sections.push(
      step('4. Sum', `Each token adds its weight to a bucket where its hash has a 1, and subtracts it elsewhere. `
        + `Buckets are clamped to ${LIMIT}.`, 'SD-SUM-1', ...charts(analysis.buckets, name), ...played(analysis)),
      step('5. Signs and base32', 'Positive buckets give 1. Five bits give a character; the last group is padded with 0.'
        + `${differing.length > 0 ? ' Framed: bits that differ from the other text.' : ''}`, 'SD-SIGN-1',
        digits(analysis, differing)),
    );
  }
  return element('section', { className: 'analysis' }, heading(analysis, name), ...sections);
}

/** Return what can be said of a fingerprint without its text. */
function fingerprintView({ scheme, written, failure, fingerprint, hex, note }, name, differing) {
  if (!scheme) {
    return element('section', { className: 'analysis' }, element('h2', {}, name),
      element('p', { className: 'no-token' }, 'Not a fingerprint, though it looks like one: ', element('code', {}, written), `. ${failure}.`));
  }
  return element(
    'section', { className: 'analysis' }, heading({ fingerprint, hex }, `${name}: a fingerprint`),
    element('p', {}, `${scheme}, ${4 * hex.length} bits. ${note} The text cannot be computed from it.`),
    step('Bits and base32', differing.length > 0 ? 'Framed: bits that differ from the other.' : 'Five bits give a character.',
      'SD-TEXT-5', digits({ hex }, differing)),
  );
}

function heading({ fingerprint, hex }, name) {
  if (!fingerprint) {
    return element('div', {}, element('h2', {}, name), element('p', { className: 'no-token' },
      'No fingerprint: the text contains no token (', element('code', {}, 'no-token'), ').'));
  }
  return element(
    'div', {}, element('h2', {}, name),
    element('p', { className: 'fingerprint' }, element('code', {}, fingerprint)),
    element('p', { className: 'hex' }, `hexadecimal ${hex}`),
  );
}

function step(title, explanation, requirement, ...content) {
  return element(
    'section', { className: 'step' }, element('h3', {}, title),
    element('p', {}, `${explanation} `, element('a', { href: `../specification/#${requirement}` }, requirement)), ...content,
  );
}

/** Return a text with its parts marked; the title of each mark explains it. */
export function marked(pieces, label) {
  return element(
    'div', { className: 'marked', tabIndex: 0, attributes: { role: 'region', 'aria-label': label } },
    ...pieces.map(({ kind, text, note, hue }) => {
      if (kind === 'kept') return text;
      const shown = kind === 'removed' ? note.split(' ')[0] : text;
      const mark = element(TAGS[kind], { className: kind, title: note ?? '' }, shown);
      if (hue !== undefined) mark.style.setProperty('--hue', hue);
      return mark;
    }),
  );
}

/** Return the votes of the tokens on lane 0, if there are few enough to follow them. */
function played({ tokens, distinct, fingerprint }) {
  if (distinct > MOST_VOTES) return [];
  const ballots = tokens.map(({ token, count, hash }) => ({ token, weight: Math.min(count, CAP), hash }));
  return [element('details', {}, element('summary', {}, 'Play the votes, token by token'), votes(ballots, fingerprint))];
}

function tokenSummary({ total, distinct, tokens }) {
  const listed = tokens.length < distinct ? ` The ${tokens.length} most frequent are listed.` : '';
  return `${total} tokens, ${distinct} of them distinct. Each counts as often as it occurs, at most ${CAP} times.${listed}`;
}

function tokenTable({ tokens }, name) {
  const rows = tokens.map(({ token, count, hash }) => {
    const shown = element('span', { className: 'token' }, token);
    shown.style.setProperty('--hue', hueOf(token));
    return [shown, String(count), String(Math.min(count, CAP)), element('code', {}, hash)];
  });
  return element('details', { open: rows.length <= 12 }, element('summary', {}, 'Tokens'),
    table(`${name}: tokens and their hashes (of lane 0)`, ['Token', 'Occurrences', 'Weight', 'XXH64'], rows));
}

/** Return the bits in groups of five, each with its character. */
function digits({ hex }, differing) {
  const bits = Array.from(hex, (digit) => parseInt(digit, 16).toString(2).padStart(4, '0')).join('');
  const moved = new Set(differing);
  const groups = bits.match(/.{1,5}/g).map((group, index) => {
    const filled = group.padEnd(5, '0');
    const shown = Array.from(filled, (bit, at) => {
      const position = 5 * index + at;
      if (position >= 4 * hex.length) return element('i', { title: 'spare bit' }, bit);
      return moved.has(bucketAt(position)) ? element('b', { title: 'differs' }, bit) : bit;
    });
    return element('li', {}, element('span', { className: 'bits' }, ...shown),
      element('span', { className: 'character' }, ALPHABET[parseInt(filled, 2)]));
  });
  return element('ul', { className: 'digits', attributes: { 'aria-label': 'Bits and characters, in groups of five bits' } }, ...groups);
}

/** Return the number of the bucket of a bit position: lane after lane, each with its most significant bit first. */
function bucketAt(position) {
  const bit = 63 - (position % 64);
  return position - (position % 64) + bit;
}
