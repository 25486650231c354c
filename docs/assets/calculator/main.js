/**
 * The calculator: takes the size of a collection, the length of its texts and a rule, and shows what to expect.
 */
import { table } from '../site/dom.js';
import { expectedHits, recall } from './estimate.js';

const SHARES = [0.01, 0.02, 0.04, 0.06, 0.1, 0.15, 0.2, 0.3];
const NAMES = ['size', 'words', 'rule', 'distance'];

const root = document.querySelector('#calculate');
const form = root.querySelector('form');
const status = root.querySelector('.status');
const output = root.querySelector('.output');
const response = await fetch(new URL('rates.json', import.meta.url));
const rates = await response.json();

/** Show the estimate for the values of the form, or what is wrong with them. */
function show() {
  const { rule } = values();
  form.elements.distance.max = String(rates.rules[rule].loose);
  const wrong = [...form.elements].find((field) => !field.checkValidity());
  if (wrong) {
    output.replaceChildren();
    status.textContent = `${wrong.labels[0].firstChild.textContent.trim()}: ${wrong.validationMessage}`;
    return;
  }
  const asked = values();
  const { hits, low, high } = expectedHits(rates, asked);
  status.textContent = `A query meets ${number(hits)} unrelated documents on average (95 % interval: ${number(low)} to `
    + `${number(high)}). All ${asked.size.toLocaleString('en')} documents together have ${number(asked.size * hits / 2)} `
    + 'unrelated pairs.';
  const rows = SHARES.map((share) => [`${Math.round(100 * share)} %`, `${(100 * recall(rates, asked, share)).toFixed(1)} %`]);
  output.replaceChildren(table('Texts that are still found', ['Words replaced', 'Found'], rows));
  window.history.replaceState(null, '', `#${new URLSearchParams(NAMES.map((name) => [name, form.elements[name].value]))}`);
  root.dataset.shown = String(Number(root.dataset.shown ?? 0) + 1);
}

function values() {
  const { size, words, rule, distance } = form.elements;
  return { size: size.valueAsNumber, length: words.valueAsNumber, rule: rule.value, distance: distance.valueAsNumber };
}

/** Return a number with two significant digits, without an exponent from 0.001 to a million. */
function number(value) {
  if (value === 0) return '0';
  if (value >= 1e-3 && value < 1e6) return value.toLocaleString('en', { maximumSignificantDigits: 2 });
  const [mantissa, exponent] = value.toExponential(1).split('e');
  return `${mantissa} · 10${Array.from(String(Number(exponent)), (digit) => '⁻⁰¹²³⁴⁵⁶⁷⁸⁹'['-0123456789'.indexOf(digit)]).join('')}`;
}

function restore() {
  for (const [name, value] of new URLSearchParams(window.location.hash.slice(1))) {
    if (NAMES.includes(name)) form.elements[name].value = value;
  }
  if (!form.elements.rule.value) form.elements.rule.value = Object.keys(rates.rules)[0];
  show();
}

form.elements.rule.replaceChildren(...Object.entries(rates.rules).map(([rule, { name }]) => new Option(name, rule)));
form.elements.rule.value = 'sd256';
form.elements.rule.addEventListener('input', () => {
  form.elements.distance.value = String(rates.rules[form.elements.rule.value].close);
});
form.addEventListener('input', show);
form.addEventListener('submit', (event) => event.preventDefault());
window.addEventListener('hashchange', restore);
restore();
root.dataset.ready = 'true';
