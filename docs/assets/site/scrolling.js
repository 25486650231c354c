/**
 * Fits tables that are wider than their place: with less space between the cells, then, on a narrow screen, as a list of
 * rows. What is still wider scrolls, can be reached by keyboard, and keeps its first column in view.
 */
const narrow = window.matchMedia('(max-width: 44.984375em)');
const observer = new ResizeObserver((changes) => changes.forEach(({ target }) => fit(target)));

function fit(box) {
  const scrolls = () => box.scrollWidth > box.clientWidth;
  box.classList.remove('tight', 'stacked', 'pinned');
  if (scrolls()) box.classList.add('tight');
  if (scrolls() && narrow.matches) {
    label(box.querySelector('table'));
    box.classList.add('stacked');
  }
  box.toggleAttribute('tabindex', scrolls());
  if (scrolls()) box.tabIndex = 0;
  const first = box.querySelector('tr > :first-child');
  box.classList.toggle('pinned', scrolls() && first.offsetWidth <= 0.4 * box.clientWidth);
}

/** Name the column in each cell, keep the roles that a table loses as a list, and let long names break at their parts. */
function label(table) {
  if (table.hasAttribute('role')) return;
  const heads = [...table.rows[0].cells].map((cell) => cell.textContent);
  const roles = { TABLE: 'table', THEAD: 'rowgroup', TBODY: 'rowgroup', TR: 'row', TH: 'columnheader', TD: 'cell' };
  for (const part of [table, ...table.querySelectorAll('thead, tbody, tr, th, td')]) part.setAttribute('role', roles[part.tagName]);
  table.querySelectorAll('td').forEach((cell) => { cell.dataset.label = heads[cell.cellIndex]; });
  for (const code of table.querySelectorAll('code')) {
    if (code.children.length || code.textContent.length < 25) continue;
    code.replaceChildren(...parts(code.textContent).flatMap((part) => [part, document.createElement('wbr')]));
  }
}

/** Return the parts of a name, or the groups of sixteen digits of a digest. */
function parts(name) {
  return /^[0-9a-f]{32,}$/.test(name) ? name.match(/.{1,16}/g) : name.split(/(?<=[_./=:,])(?=\w)/);
}

// The theme puts tables into these boxes when the page is ready.
window.addEventListener('load', () => {
  document.querySelectorAll('.md-typeset__scrollwrap').forEach((box) => observer.observe(box));
});
