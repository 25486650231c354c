/**
 * Draws the share of texts that are found against the share of their words that were replaced.
 */
import { svg } from '../site/dom.js';

const [HEIGHT, LEFT, BOTTOM, TOP, RIGHT] = [300, 52, 46, 14, 20];
const percent = (share) => `${Math.round(100 * share)} %`;

/**
 * @param {(share: number) => number} found the share of texts found, from 0 to 1
 * @param {number} most the largest share of replaced words
 * @param {number} chosen the share of replaced words that is marked
 * @param {string} title
 * @param {number} width in pixels, so that letters have one size on every screen
 */
export function curve(found, most, chosen, title, width) {
  const across = (share) => LEFT + (width - LEFT - RIGHT) * share / most;
  const up = (share) => HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share;
  const line = Array.from({ length: 61 }, (_, step) => most * step / 60)
    .map((share) => `${across(share).toFixed(1)} ${up(found(share)).toFixed(1)}`).join('L');
  const text = (x, y, anchor, words) => svg('text', { x, y, 'text-anchor': anchor }, words);
  return svg(
    'svg',
    { viewBox: `0 0 ${width} ${HEIGHT}`, width, height: HEIGHT, class: 'chart curve', role: 'img', 'aria-label': title },
    ...[0, 0.25, 0.5, 0.75, 1].flatMap((share) => [
      svg('path', { class: 'grid', d: `M${LEFT} ${up(share)}H${width - RIGHT}` }),
      text(LEFT - 6, up(share) + 4, 'end', percent(share)),
    ]),
    ...[0, 1, 2, 3, 4, 5, 6].map((at) => text(across(most * at / 6), HEIGHT - BOTTOM + 20, 'middle', percent(most * at / 6))),
    text((LEFT + width - RIGHT) / 2, HEIGHT - 6, 'middle', 'words replaced'),
    svg('path', { class: 'rule', d: `M${across(chosen)} ${up(0)}V${up(1)}` }),
    svg('path', { class: 'l0', d: `M${line}` }),
    svg('circle', { class: 'f0', cx: across(chosen), cy: up(found(chosen)), r: 6 }),
  );
}
