/**
 * The buckets as a bar chart, with a table of the same values for screen readers.
 */
import { element, svg, table } from '../site/dom.js';

const BITS = 64;
const BAR = 10;
const HEIGHT = 120;
const LIMIT = 127;

/**
 * @param {number[]} buckets
 * @param {string} name of the text
 * @returns {HTMLElement[]} a figure per lane
 */
export function charts(buckets, name) {
  const lanes = buckets.length / BITS;
  return Array.from({ length: lanes }, (_, lane) => {
    const values = buckets.slice(BITS * lane, BITS * (lane + 1));
    return chart(values, `${name}: buckets${lanes > 1 ? ` of lane ${lane}` : ''}`);
  });
}

function chart(values, title) {
  const largest = Math.max(...values.map(Math.abs), 1);
  const ups = values.filter((value) => value > 0).length;
  const summary = `${title}, bit 0 on the right: ${ups} of ${BITS} are positive and give a 1; from ${Math.min(...values)} `
    + `to ${Math.max(...values)}`;
  const image = svg(
    'svg',
    { viewBox: `0 0 ${BITS * BAR} ${HEIGHT}`, role: 'img', 'aria-label': summary, class: 'chart' },
    ...values.map((value, bit) => bar(value, bit, largest)),
    svg('line', { x1: 0, x2: BITS * BAR, y1: HEIGHT / 2, y2: HEIGHT / 2, class: 'axis' }),
  );
  const rows = values.map((value, bit) => [String(bit), String(value), value > 0 ? '1' : '0']);
  return element(
    'figure', { className: 'buckets' }, image, element('figcaption', {}, `${summary}.`),
    element('details', {}, element('summary', {}, `${title} as a table`), table(title, ['Bit', 'Bucket', 'Gives'], rows)),
  );
}

/** Return the bar of a bit. The most significant bit is on the left, as in the digits. */
function bar(value, bit, largest) {
  const size = Math.abs(value) / largest * (HEIGHT / 2 - 2);
  const clamped = Math.abs(value) === LIMIT ? ' (clamped)' : '';
  return svg(
    'rect',
    {
      x: (BITS - 1 - bit) * BAR + 1,
      y: value > 0 ? HEIGHT / 2 - size : HEIGHT / 2,
      width: BAR - 2,
      height: Math.max(size, 1),
      class: value > 0 ? 'up' : 'down',
    },
    svg('title', {}, `bit ${bit}: ${value}${clamped}`),
  );
}
