/**
 * Plays how a fingerprint comes about: each token votes on every bit, and the majority decides.
 */
import { element, svg } from './dom.js';

const BITS = 64;
const CELL = 10;
const AXIS = 110;
const HEIGHT = 220;
const PAUSE = 500;

/**
 * @typedef {{ token: string, weight: number, hash: string }} Vote `hash` has the hexadecimal digits of lane 0
 * @param {Vote[]} votes
 * @param {string} fingerprint shown at the end
 * @returns {HTMLElement}
 */
export function votes(votes, fingerprint) {
  const words = votes.map(({ token, weight }) => element('span', {}, weight > 1 ? `${token} × ${weight}` : token));
  const [ballots, bars, signs] = [row(2, 10), row(AXIS, 0), row(204, 14)];
  const image = svg('svg', { viewBox: `0 0 ${BITS * CELL} ${HEIGHT}`, 'aria-hidden': 'true' },
    ...ballots, svg('line', { x1: 0, x2: BITS * CELL, y1: AXIS, y2: AXIS, class: 'axis' }), ...bars, ...signs);
  const said = element('p', { attributes: { role: 'status' } });
  const play = element('button', { type: 'button', className: 'md-button' }, 'Play');
  const next = element('button', { type: 'button', className: 'md-button' }, 'One token');
  const largest = Math.max(...sumsAfter(votes, votes.length).map(Math.abs), 1);
  let [done, timer] = [0, undefined];

  const show = () => {
    const sums = sumsAfter(votes, done);
    words.forEach((word, at) => { word.className = at === done - 1 ? 'now' : at < done ? 'done' : ''; });
    paint(ballots, done > 0 ? signsOf(votes[done - 1].hash) : [], (sign) => (sign > 0 ? 'up' : 'down'));
    bars.forEach((bar, at) => raise(bar, sums[at] / largest));
    const isOver = done === votes.length;
    paint(signs, isOver ? sums : [], (sum) => (sum > 0 ? 'up' : 'zero'));
    said.replaceChildren(...sentence(votes, done, fingerprint));
    next.disabled = isOver;
    if (isOver) stop();
  };
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    play.textContent = done === votes.length ? 'Play again' : 'Play';
  };
  const step = () => {
    done += 1;
    show();
  };
  next.addEventListener('click', () => { stop(); step(); });
  play.addEventListener('click', () => {
    if (timer) { stop(); return; }
    if (done === votes.length) done = 0;
    timer = setInterval(step, PAUSE);
    play.textContent = 'Pause';
    step();
  });
  show();
  return element('div', { className: 'votes' }, element('p', { className: 'votes-tokens' }, ...words.flatMap((word) => [word, ' '])),
    image, said, element('p', {}, play, ' ', next));
}

function row(y, height) {
  return Array.from({ length: BITS }, (_, at) => svg('rect', { x: at * CELL + 1, y, width: CELL - 2, height, class: 'empty' }));
}

/** Return +1 for each 1 of a hash, and -1 for each 0, the most significant bit first. */
function signsOf(hash) {
  return Array.from(BigInt(`0x${hash}`).toString(2).padStart(BITS, '0'), (bit) => (bit === '1' ? 1 : -1));
}

function sumsAfter(votes, count) {
  const sums = Array(BITS).fill(0);
  for (const { hash, weight } of votes.slice(0, count)) signsOf(hash).forEach((sign, at) => { sums[at] += sign * weight; });
  return sums;
}

function paint(cells, values, classOf) {
  cells.forEach((cell, at) => cell.setAttribute('class', values.length > 0 ? classOf(values[at]) : 'empty'));
}

function raise(bar, share) {
  const size = Math.abs(share) * (AXIS - 24);
  bar.setAttribute('y', share > 0 ? AXIS - size : AXIS);
  bar.setAttribute('height', size);
  bar.setAttribute('class', share > 0 ? 'up' : 'down');
}

function sentence(votes, done, fingerprint) {
  if (done === 0) return [`${votes.length} tokens vote on ${BITS} bits.`];
  if (done < votes.length) return [`“${votes[done - 1].token}” adds its weight where its hash has a 1, and subtracts it elsewhere.`];
  return ['A sum above zero gives a 1, any other sum a 0: ', element('code', {}, fingerprint)];
}
