/**
 * The playground: takes two texts, lets the worker analyse them, and shows the result. No text leaves the page.
 */
import { element } from '../site/dom.js';
import { SCHEMES, decodeUtf8 } from '../simhash-doc/index.js';
import { difference } from './difference.js';
import { DEFAULT, fromFragment, toFragment } from './fragment.js';
import { steps } from './steps.js';

/** More characters make text fields slow, though not the worker. */
const LIMIT = 1_000_000;

/** Milliseconds without input before the texts are analysed. */
const PAUSE = 60;

const NAMES = ['First text', 'Second text'];

const root = document.querySelector('#play');
const form = root.querySelector('form');
const fields = [...form.querySelectorAll('textarea')];
const status = root.querySelector('.status');
const output = root.querySelector('.output');
const share = form.querySelector('.share');
const example = form.querySelector('.example');

const worker = new Worker(new URL('worker.js', import.meta.url), { type: 'module' });
let asked = 0;
let timer = 0;

const state = () => ({ texts: fields.map(({ value }) => value), scheme: form.elements.scheme.value });

/** Show a message in the status line, which screen readers announce. */
function say(text) {
  status.textContent = text;
  status.classList.remove('summary');
}

function analyseSoon() {
  startOver();
  timer = setTimeout(analyse, PAUSE);
}

/** Discard earlier requests. */
function startOver() {
  clearTimeout(timer);
  asked++;
  root.dataset.shown = '';
}

function analyse() {
  const { texts, scheme } = state();
  startOver();
  window.history.replaceState(null, '', texts.some(Boolean) ? toFragment(state()) ?? '#' : '#');
  if (texts.some((text) => text.length > LIMIT)) {
    output.replaceChildren();
    say(tooLong('A text'));
    return;
  }
  say('Working');
  worker.postMessage({ number: asked, texts, scheme });
}

const tooLong = (what) => `${what} of more than ${LIMIT.toLocaleString('en')} characters is too long for this page. Use the `
  + 'command line.';

worker.addEventListener('message', ({ data }) => {
  if (data.ready) root.dataset.ready = 'true';
  // Ignore answers to earlier requests.
  if (data.number !== asked) return;
  if (data.failure) say(`The analysis failed: ${data.failure}`);
  else show(data);
});

worker.addEventListener('error', () => say('The script that computes fingerprints could not be loaded.'));

function show({ number, scheme, analyses, comparison, words }) {
  const differing = comparison?.differing ?? [];
  const columns = analyses.flatMap((analysis, index) => (
    analysis ? [steps(analysis, NAMES[index], differing)] : []
  ));
  output.replaceChildren(
    ...(comparison ? [difference(comparison, SCHEMES.get(scheme).bits, words)] : []),
    element('div', { className: 'columns' }, ...columns),
  );
  say(summary(analyses, comparison));
  status.classList.toggle('summary', analyses.some(Boolean));
  root.dataset.shown = String(number);
}

function summary(analyses, comparison) {
  const prints = analyses.flatMap((analysis, index) => (
    analysis ? [`${NAMES[index]}: ${analysis.fingerprint || analysis.failure || 'no fingerprint'}.`] : []
  ));
  if (comparison) prints.push(`${comparison.distance} ${comparison.distance === 1 ? 'bit differs' : 'bits differ'}: ${comparison.verdict}.`);
  return prints.join(' ') || 'Type or drop a text.';
}

async function takeFile(field, file) {
  // UTF-8 has at most three bytes for each UTF-16 code unit.
  if (file.size > 3 * LIMIT) {
    say(tooLong(file.name));
    return;
  }
  field.value = decodeUtf8(new Uint8Array(await file.arrayBuffer()));
  analyseSoon();
}

function acceptFiles(field) {
  field.addEventListener('dragover', (event) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    field.classList.add('dropping');
  });
  field.addEventListener('dragleave', () => field.classList.remove('dropping'));
  field.addEventListener('drop', (event) => {
    field.classList.remove('dropping');
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    takeFile(field, file);
  });
  field.addEventListener('paste', (event) => {
    if (event.clipboardData.getData('text').length <= LIMIT) return;
    event.preventDefault();
    say(tooLong('A text'));
  });
}

async function copyLink() {
  if (!toFragment(state())) {
    say('The texts are too long for a link.');
    return;
  }
  try {
    await navigator.clipboard.writeText(window.location.href);
    say('The link was copied. It contains the texts.');
  } catch {
    say('The browser did not allow copying. Copy the address of this page instead.');
  }
}

function showExample() {
  fields.forEach((field, index) => {
    field.value = example.dataset[index === 0 ? 'first' : 'second'];
  });
  analyse();
}

/** Show the texts of the address; return false if it contains none. */
function restore() {
  const found = fromFragment(window.location.hash);
  if (!found) return false;
  fields.forEach((field, index) => {
    field.value = found.texts[index];
  });
  if (SCHEMES.has(found.scheme)) form.elements.scheme.value = found.scheme;
  analyse();
  return true;
}

form.elements.scheme.replaceChildren(...[...SCHEMES.values()].map(({ id, bits }) => (
  new Option(`${id}, ${bits} bits`, id, id === DEFAULT, id === DEFAULT)
)));
form.addEventListener('input', analyseSoon);
form.addEventListener('submit', (event) => event.preventDefault());
form.addEventListener('reset', () => setTimeout(analyse));
example.addEventListener('click', showExample);
share.addEventListener('click', copyLink);
window.addEventListener('hashchange', restore);
fields.forEach(acceptFiles);
if (!restore()) showExample();
