/**
 * The calculator: takes the size of a collection, the length of its texts, an edit and a rule, and says what to expect.
 */
import { element, table } from '../site/dom.js';
import { curve } from './curve.js';
import { expectedHits, recall, recommended } from './estimate.js';

const SHARES = [0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3];
const NAMES = ['size', 'words', 'replaced', 'rule', 'distance'];
const ALONE = 1e7; // documents: beyond, no distance alone is recommended

const root = document.querySelector('#calculate');
const form = root.querySelector('form');
const status = root.querySelector('.status');
const output = root.querySelector('.output');
const response = await fetch(new URL('rates.json', import.meta.url));
const rates = await response.json();

/** Show the answer for the values of the form, or what is wrong with them. */
function show() {
  form.elements.distance.max = String(rates.rules[form.elements.rule.value].loose);
  const wrong = [...form.elements].find((field) => !field.checkValidity());
  if (wrong) {
    output.replaceChildren();
    status.textContent = `${wrong.labels[0].firstChild.textContent.trim()}: ${wrong.validationMessage}`;
    return;
  }
  const asked = values();
  const found = (share) => recall(rates, asked, share);
  const title = `${rates.rules[asked.rule].name}, within ${asked.distance} bits: texts found`;
  status.replaceChildren(element('strong', {}, answer(asked, found)), ` ${advice(asked)}`);
  const rows = SHARES.map((share) => [`${Math.round(100 * share)} %`, `${(100 * found(share)).toFixed(1)} %`]);
  output.replaceChildren(
    element('p', {}, collection(asked)),
    element(
      'figure', { className: 'picture' }, element('figcaption', {}, title),
      curve(found, SHARES.at(-1), asked.replaced, title, output.clientWidth),
      element('details', {}, element('summary', {}, 'As a table'), table('Texts found', ['Words replaced', 'Found'], rows)),
    ),
  );
  window.history.replaceState(null, '', `#${new URLSearchParams(NAMES.map((name) => [name, form.elements[name].value]))}`);
  root.dataset.shown = String(Number(root.dataset.shown ?? 0) + 1);
}

/** Return the answer: the search, what it finds, and the unrelated documents. */
function answer(asked, found) {
  const search = `${rates.rules[asked.rule].name} within ${asked.distance} bits`;
  return `${isRecommended(asked) ? `Use ${search}. It` : search} finds ${(100 * found(asked.replaced)).toFixed(1)} % of texts with `
    + `${form.elements.replaced.value} % of their words replaced. A query finds ${number(expectedHits(rates, asked).hits)} `
    + 'unrelated documents.';
}

function isRecommended(asked) {
  return recommended(rates, asked) === asked.distance && asked.size <= ALONE;
}

/** Return what is recommended, if it is not what was asked. */
function advice(asked) {
  const best = recommended(rates, asked);
  if (isRecommended(asked)) return '';
  if (best === null || asked.size > ALONE) {
    return 'For so many texts, no single distance suffices: search by sd64, confirm by sd256, and compare the texts.';
  }
  return `The recommended distance is ${best} bits.`;
}

/** Return what to expect of the complete collection. */
function collection(asked) {
  const { hits, low, high } = expectedHits(rates, asked);
  return `95 % interval of the unrelated documents: ${number(low, Math.floor)} to ${number(high, Math.ceil)}. All `
    + `${asked.size.toLocaleString('en')} documents together have ${number(asked.size * hits / 2)} unrelated pairs. Their `
    + `fingerprints take ${bytes(asked.size * rates.rules[asked.rule].bits / 8)}.`;
}

function values() {
  const { size, words, replaced, rule, distance } = form.elements;
  return {
    size: size.valueAsNumber,
    length: words.valueAsNumber,
    replaced: replaced.valueAsNumber / 100,
    rule: rule.value,
    distance: distance.valueAsNumber,
  };
}

/** Return a number with two significant digits, without an exponent from 0.001 to a million. */
function number(value, round = Math.round) {
  if (value === 0) return '0';
  const exponent = Math.floor(Math.log10(value));
  const digits = round(Number((value / 10 ** (exponent - 1)).toPrecision(12)));
  const rounded = Number(`${digits}e${exponent - 1}`);
  if (value >= 1e-3 && value < 1e6) return rounded.toLocaleString('en', { maximumSignificantDigits: 3 });
  const [mantissa, power] = rounded.toExponential(1).split('e');
  return `${mantissa} · 10${Array.from(String(Number(power)), (digit) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(digit)]).join('')}`;
}

/** Return a number of bytes in decimal units, rounded up. */
function bytes(value) {
  const at = Math.max(0, Math.min(4, Math.floor(Math.log10(value) / 3)));
  return `${number(value / 1000 ** at, Math.ceil)} ${['bytes', 'kB', 'MB', 'GB', 'TB'][at]}`;
}

/** Give the field of the distance what is recommended, or the close threshold if nothing is. */
function recommend() {
  const { rule } = values();
  form.elements.distance.value = String(recommended(rates, values()) ?? rates.rules[rule].close);
}

function restore() {
  const given = new URLSearchParams(window.location.hash.slice(1));
  for (const [name, value] of given) if (NAMES.includes(name)) form.elements[name].value = value;
  if (!form.elements.rule.value) form.elements.rule.value = Object.keys(rates.rules)[0];
  if (!given.has('distance')) recommend();
  show();
}

form.elements.rule.replaceChildren(...Object.entries(rates.rules).map(([rule, { name }]) => new Option(name, rule)));
form.elements.rule.value = 'sd256';
for (const name of ['size', 'words', 'rule']) form.elements[name].addEventListener('input', recommend);
form.addEventListener('input', show);
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('hashchange', restore);
window.addEventListener('resize', show);
restore();
root.dataset.ready = 'true';
