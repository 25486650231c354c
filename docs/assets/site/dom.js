/**
 * Creates elements for the pages that scripts build. Text is never parsed as markup.
 */

/**
 * @param {string} name
 * @param {Record<string, any>} [properties] properties of the element; `data` for its dataset, `attributes` for the rest
 * @param {...(Node | string)} children
 * @returns {any}
 */
export function element(name, { data = {}, attributes = {}, ...properties } = {}, ...children) {
  const created = Object.assign(document.createElement(name), properties);
  Object.assign(created.dataset, data);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, value);
  created.append(...children);
  return created;
}

/** Return an element of an SVG image; SVG elements have attributes only. */
export function svg(name, attributes = {}, ...children) {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name);
  for (const [attribute, value] of Object.entries(attributes)) created.setAttribute(attribute, String(value));
  created.append(...children);
  return created;
}

/**
 * Return a table with a caption, in a box that scrolls sideways on narrow screens and is reachable by keyboard.
 *
 * @param {string} caption
 * @param {string[]} heads
 * @param {(Node | string)[][]} rows the first cell of each is its header
 */
export function table(caption, heads, rows) {
  return element(
    'div',
    { className: 'scrolling', tabIndex: 0, attributes: { role: 'region', 'aria-label': caption } },
    element(
      'table', { className: 'plain' }, element('caption', {}, caption),
      element('thead', {}, element('tr', {}, ...heads.map((head) => element('th', { scope: 'col' }, head)))),
      element('tbody', {}, ...rows.map(([first, ...cells]) => element(
        'tr', {}, element('th', { scope: 'row' }, first), ...cells.map((cell) => element('td', {}, cell)),
      ))),
    ),
  );
}
