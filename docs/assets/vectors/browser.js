/**
 * The vector browser: lists, searches and filters the cases of the suite.
 *
 * The index is loaded at the start, and a file of cases when one of its cases is opened. The fragment of the address
 * names a case or a requirement.
 */
import { element } from '../site/dom.js';

/** @typedef {{ id: string, op: string, file: string, comment: string, requirements: string[], flags: string[],
 *   scheme: string, language: string, scripts: string[], classes: string[], error: string }} Entry */

const PAGE = 100;
const FACETS = ['op', 'flags', 'scripts', 'language', 'classes', 'scheme', 'error'];
const INDEX = new URL('index.json', import.meta.url);
const REQUIREMENT = /^sd-[a-z]+-\d+$/i;
/** The documents of requirements that are not in the core. */
const DOCUMENTS = { LOOK: 'specification-search', CLOSE: 'specification-search', EXTRACT: 'specification-extraction' };
const FILES = new URL('../../conformance/vectors/', import.meta.url);

const root = document.querySelector('#vector-browser');
const form = root.querySelector('form');
const list = root.querySelector('.vectors-list');
const count = root.querySelector('.vectors-count');
const more = root.querySelector('.vectors-more');

/** @type {Entry[]} */
let entries = [];
/** @type {Entry[]} */
let found = [];

/** The cases of a file of vectors by id, loaded once. @type {Map<string, Promise<Map<string, object>>>} */
const files = new Map();

async function loadFile(name) {
  const response = await fetch(new URL(name, FILES));
  if (!response.ok) throw new Error(`${name}: ${response.status}`);
  const { cases } = await response.json();
  return new Map(cases.map((row) => [row.id, row]));
}

async function loadCase({ id, file }) {
  if (!files.has(file)) files.set(file, loadFile(file));
  return (await files.get(file)).get(id);
}

function fillFacet(name) {
  const counts = new Map();
  for (const value of entries.flatMap((entry) => entry[name])) {
    if (value) counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  const values = [...counts.keys()].sort();
  form.elements[name].replaceChildren(
    new Option('all', ''),
    ...values.map((value) => new Option(`${value} (${counts.get(value)})`, value)),
  );
}

function matches(entry, search, wanted) {
  const text = [entry.id, entry.comment, ...entry.requirements].join(' ').toLowerCase();
  const names = entry.requirements.map((name) => name.toLowerCase());
  // The first requirement of a section does not mean the tenth.
  return search.every((term) => (REQUIREMENT.test(term) ? names.includes(term) : text.includes(term)))
    && wanted.every(([name, value]) => [entry[name]].flat().includes(value));
}

function filter() {
  const data = new FormData(form);
  const search = String(data.get('search')).toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = FACETS.map((name) => [name, data.get(name)]).filter(([, value]) => value);
  found = entries.filter((entry) => matches(entry, search, wanted));
  list.replaceChildren();
  showMore();
}

function showMore() {
  const from = list.childElementCount;
  list.append(...found.slice(from, from + PAGE).map(row));
  const shown = list.childElementCount;
  more.hidden = shown === found.length;
  count.textContent = `${found.length} of ${entries.length} cases${shown < found.length ? `, ${shown} shown` : ''}`;
}

/** Return a closed case; its content is loaded when it is opened. */
function row(entry) {
  const details = element('details', { className: 'vectors-case', data: { id: entry.id } }, element(
    'summary', {}, element('code', {}, entry.id), ' ', element('span', { className: 'vectors-op' }, entry.op), ' ',
    entry.comment,
  ));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) fill(details, entry);
  });
  return details;
}

async function fill(details, entry) {
  const body = element('div', { className: 'vectors-body' }, 'Loading');
  details.append(body);
  try {
    const json = JSON.stringify(await loadCase(entry), null, 2);
    body.replaceChildren(links(entry), copyButton(json), element('pre', { tabIndex: 0 }, element('code', {}, json)));
  } catch (error) {
    body.replaceChildren(`This case could not be loaded: ${error.message}`);
  }
}

function links({ id, requirements }) {
  const tested = requirements.flatMap((name) => [
    ' ', element('a', { href: `../${DOCUMENTS[name.split('-')[1]] ?? 'specification'}/#${name}` }, name),
  ]);
  return element('p', {}, element('a', { href: `#${id}` }, 'Link to this case'), ' · tests', ...tested);
}

function copyButton(json) {
  const button = element('button', { type: 'button', className: 'md-button' }, 'Copy as JSON');
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(json);
      button.textContent = 'Copied';
    } catch {
      button.textContent = 'The browser did not allow copying';
    }
  });
  return button;
}

/** Clear all fields. (The reset event comes before the fields are cleared.) */
function clear() {
  ['search', ...FACETS].forEach((name) => {
    form.elements[name].value = '';
  });
}

/** Show the cases of the requirement that the fragment names, or open the case that it names. */
function openLinked() {
  const id = decodeURIComponent(window.location.hash.slice(1));
  if (REQUIREMENT.test(id)) {
    clear();
    form.elements.search.value = id;
    filter();
    root.scrollIntoView();  // not the row of the table that has the same name
    return;
  }
  const entry = entries.find((candidate) => candidate.id === id);
  if (!entry) return;
  clear();
  form.elements.search.value = id;
  filter();
  const opened = [...list.children].find(({ dataset }) => dataset.id === id);
  opened.open = true;
  opened.scrollIntoView({ block: 'center' });
}

async function start() {
  const response = await fetch(INDEX);
  entries = await response.json();
  FACETS.forEach(fillFacet);
  form.addEventListener('input', filter);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('button').addEventListener('click', () => {
    clear();
    filter();
  });
  more.addEventListener('click', showMore);
  window.addEventListener('hashchange', openLinked);
  filter();
  openLinked();
  root.dataset.ready = 'true';
}

start().catch((error) => {
  count.textContent = `The index of the vectors could not be loaded: ${error.message}`;
});
