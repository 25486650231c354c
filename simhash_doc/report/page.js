// Shows the report that the page holds as JSON, whose members simhash_doc/report/document.py explains. Every text
// becomes a text node, never HTML.
'use strict';
{
  const PAGE = 50; // groups that are shown at a time
  const ROWS = 200; // of a list that are shown at a time
  const SQUARES = 40; // of a group
  const SHORT = 1500; // characters, up to which differences are shown at once
  const TAGS = {
    strong: 'strong',
    em: 'em',
    code: 'code',
    mark: 'mark',
    del: 'del',
    ins: 'ins',
    'moved-away': 'del',
    'moved-here': 'ins',
  };
  const HEIGHTS = { equal: 6, near: 10, loose: 15, far: 20, incomplete: 20 }; // of marks in a row, of 20
  const report = JSON.parse(document.getElementById('report').textContent);

  const filled = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes)) {
      if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : value);
    }
    element.append(...children.flat(Infinity).filter((child) => child));
    return element;
  };
  const make = (tag, attributes = {}, ...children) => filled(document.createElement(tag), attributes, children);
  const draw = (tag, attributes, ...children) => (
    filled(document.createElementNS('http://www.w3.org/2000/svg', tag), attributes, children)
  );
  const number = (value) => value.toLocaleString('en');
  const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;
  const percent = (share) => (share === 1 ? '100 %' : `${Math.min(99, Math.floor(100 * share + 0.5))} %`);

  // A text: a string, or a list of strings and runs.
  const run = (part) => {
    if (typeof part === 'string') return part;
    const { text, style, href } = part;
    const tag = TAGS[style] ?? 'span';
    const moved = style?.startsWith('moved');
    const name = moved ? 'moved' : TAGS[style] ? undefined : style;
    const shown = style ? make(tag, { class: name, title: moved && 'moved' }, text) : text;
    return href ? make('a', { href }, shown) : shown;
  };
  const nodes = (text = '') => (typeof text === 'string' ? [text] : text.map(run));
  const plain = (text = '') => (typeof text === 'string' ? text : text.map((part) => part.text ?? part).join(''));

  const facts = (list) => make('dl', { class: 'facts' }, list.map(([name, value]) => [
    make('dt', {}, name), make('dd', {}, nodes(value)),
  ]));
  const badge = ({ label, tone }) => make('span', { class: `kind ${tone}` }, label);
  const measure = ({ bits, share, badges }) => {
    if (bits === undefined) return undefined;
    const parts = [make('span', {}, counted(bits, 'bit'))];
    if (share !== undefined) {
      const bar = make('i', { 'aria-hidden': 'true' }, make('b'));
      bar.firstChild.style.width = `${100 * share}%`;
      parts.push(make('span', {}, percent(share)), bar);
    }
    return make('span', { class: `measure ${badges?.[0]?.tone ?? 'near'}` }, parts);
  };
  // The first items of a list, and a button for more.
  const listed = (list, items, show) => {
    let shown = 0;
    const more = make('li', {}, make('button', { type: 'button' }, 'Show more'), ' ',
      make('span', { class: 'mute' }, `of ${number(items.length)}`));
    const extend = () => {
      const part = items.slice(shown, shown + ROWS).map(show);
      more.before(...part);
      shown += part.length;
      if (shown === items.length) more.remove();
    };
    list.append(more);
    more.firstChild.addEventListener('click', extend);
    extend();
    return list;
  };
  const difference = ({ summary, text }) => {
    const shown = text && make('p', { class: 'text', dir: 'auto' }, nodes(text));
    if (!summary || !text) return shown || (summary && make('p', { class: 'mute' }, summary));
    const open = plain(text).length <= SHORT;
    return make('details', { class: 'diff', open }, make('summary', {}, summary), shown);
  };
  const row = (one) => make('li', { id: one.id },
    make('div', { class: 'row' },
      one.badges && make('span', { class: 'kinds' }, one.badges.map(badge)),
      make('span', { class: 'path' }, nodes(one.name), one.about && make('span', { class: 'mute' }, ` · ${one.about}`)),
      measure(one)),
    (one.notes ?? []).map((note) => make('p', {}, nodes(note))),
    one.differs && make('p', { class: 'differs' }, one.differs.map(([old, other]) => [
      make('span', {}, make('del', {}, old), ' → ', make('ins', {}, other)), ' ',
    ])),
    difference(one),
    one.facts && facts(one.facts),
    one.alike && make('details', { class: 'diff' }, make('summary', {}, one.alike.summary),
      listed(make('ul', { class: 'names' }), one.alike.names, (name) => make('li', { class: 'path' }, nodes(name)))));

  // A square for each document of a group, in the colour of its kind: the less alike, the paler.
  const squares = (group) => {
    const rows = (group.blocks ?? []).filter((block) => block.block === 'rows').flatMap((block) => block.rows);
    const all = rows.flatMap((one) => [one, ...(one.alike?.names ?? []).map((name) => ({ ...one, name }))]);
    const label = ({ name, badges, bits, share }) => (
      [plain(name), badges?.[0]?.label, bits && counted(bits, 'bit'), share && percent(share)]
        .filter(Boolean).join(', ')
    );
    const shown = all.slice(0, SQUARES).map((one) => {
      const square = make('i', { class: one.badges?.[0]?.tone, title: label(one) });
      if (one.share !== undefined) square.style.opacity = Math.max(0.3, 1 - 4 * (1 - one.share));
      return square;
    });
    const more = all.length - SQUARES;
    return make('span', { class: 'squares', 'aria-hidden': 'true' }, shown,
      more > 0 && make('span', { class: 'mute' }, `+${number(more)}`));
  };
  const card = (group, withSquares, level) => make('details', { class: 'card', id: group.id, open: group.open },
    make('summary', {}, make(`h${level}`, { class: 'name' }, group.title),
      make('span', { class: 'count' }, group.aside), withSquares && squares(group), group.strip && strip(group.strip)),
    make('div', { class: 'inside' }, (group.blocks ?? []).map((block) => render(block, level + 1))));

  // All names and titles in a part of the report: what the filter of a list searches.
  const names = (part) => {
    if (Array.isArray(part)) return part.map(names).join('\n');
    const found = [part.title, plain(part.name), (part.items ?? part.alike?.names ?? []).map(plain).join('\n')];
    return [...found, names(part.blocks ?? part.rows ?? [])].join('\n').toLowerCase();
  };
  const shows = []; // of each list of groups, a function that shows the one in which an id is
  const choice = (label, options) => (
    make('select', { 'aria-label': label }, options.map(([value, name]) => make('option', { value }, name)))
  );
  const button = (label, onClick) => {
    const made = make('button', { type: 'button' }, label);
    made.addEventListener('click', onClick);
    return made;
  };
  const groups = ({ noun, search, groups: all, kinds = {}, orders = [], days: along, squares: withSquares }, level) => {
    const list = make('div', { class: 'list' });
    const status = make('p', { class: 'mute', role: 'status' });
    const label = `Filter by ${search}`;
    const wanted = make('input', { type: 'search', placeholder: label, 'aria-label': label });
    const kind = choice('Show', [['', `All ${noun}s`], ...Object.entries(kinds)]);
    const order = choice('Order', orders.map((name, at) => [at, name]));
    const texts = new Map(); // of each group, what the filter searches; only once, because a list may be long
    const textOf = (group) => texts.get(group) ?? texts.set(group, names(group)).get(group);
    let found = all;
    let page = 0;
    const show = () => {
      const pages = Math.max(Math.ceil(found.length / PAGE), 1);
      const shown = found.slice(page * PAGE, (page + 1) * PAGE);
      list.replaceChildren(...shown.map((group) => card(group, withSquares, level)));
      status.textContent = `${number(found.length)} of ${counted(all.length, noun)}`
        + (pages > 1 ? `, page ${number(page + 1)} of ${number(pages)}` : '');
      previous.disabled = page === 0;
      next.disabled = page === pages - 1;
      pager.hidden = pages === 1;
    };
    const filter = () => {
      const part = wanted.value.toLowerCase();
      const isShown = (group) => (!kind.value || group.kinds?.includes(kind.value)) && textOf(group).includes(part);
      found = all.filter(isShown);
      if (order.value === '1') found.sort((a, b) => a.key - b.key);
      page = 0;
      show();
    };
    const turn = (step) => {
      page += step;
      show();
      bar.scrollIntoView();
    };
    const openAll = (open) => {
      for (const one of list.children) one.open = open;
    };
    const previous = button('Previous', () => turn(-1));
    const next = button('Next', () => turn(1));
    const bar = make('div', { class: 'bar' }, wanted, Object.keys(kinds).length > 0 && kind,
      orders.length > 1 && order, button('Open all', () => openAll(true)), button('Close all', () => openAll(false)));
    const pager = make('nav', { class: 'bar', 'aria-label': `Pages of ${noun}s` }, previous, next);
    wanted.addEventListener('input', filter);
    kind.addEventListener('change', filter);
    order.addEventListener('change', filter);
    shows.push({
      kinds,
      kind: (value) => {
        [kind.value, wanted.value] = [value, ''];
        filter();
        bar.scrollIntoView();
      },
      id: (id) => {
        const at = all.findIndex((group) => JSON.stringify(group).includes(`"id":${JSON.stringify(id)}`));
        if (at < 0) return;
        [kind.value, wanted.value, order.value] = ['', '', 0];
        filter();
        page = Math.floor(at / PAGE);
        show();
      },
    });
    bar.hidden = all.length < 2;
    status.hidden = all.length < 2;
    show();
    return [bar, status, along && make('div', { class: 'axis-of-strips' }, days(along)), list, pager];
  };

  const table = ({ caption, columns, rows, numbers = [] }) => {
    const name = (at) => (numbers.includes(at) ? 'number' : undefined);
    const head = columns.map((column, at) => make('th', { scope: 'col', class: name(at) }, column));
    const body = rows.map((cells) => make('tr', {}, cells.map((text, at) => (
      make(at ? 'td' : 'th', { scope: at ? undefined : 'row', class: name(at) }, nodes(text))
    ))));
    const whole = make('table', {}, make('caption', { class: 'unseen' }, caption),
      make('thead', {}, make('tr', {}, head)), make('tbody', {}, body));
    return make('div', { class: 'wide', role: 'group', 'aria-label': caption, tabindex: 0 }, whole);
  };
  const histogram = ({ title, about, unit, bars }, level) => {
    const highest = Math.max(1, ...bars.map(([, count]) => count));
    const rows = bars.map(([label, count]) => {
      const bar = count ? make('div') : '';
      if (bar) bar.style.width = `${100 * count / highest}%`;
      return make('tr', {}, make('th', { scope: 'row', class: 'number' }, label),
        make('td', { class: 'number' }, number(count)), make('td', {}, bar));
    });
    return make('section', {}, make(`h${level}`, {}, title), make('p', {}, about), make('table', { class: 'histogram' },
      make('caption', { class: 'unseen' }, title),
      make('thead', {}, make('tr', {}, make('th', { scope: 'col', class: 'number' }, unit),
        make('th', { scope: 'col', class: 'number' }, 'Number'), make('td'))),
      make('tbody', {}, rows)));
  };
  const shares = ({ parts }) => {
    const shown = parts.map(({ count, label }) => `${number(count)} ${label}`);
    const segments = parts.filter(({ count }) => count).map(({ count, tone }) => {
      const segment = make('i', { class: tone });
      segment.style.flexGrow = count;
      return segment;
    });
    const legend = parts.map(({ tone }, at) => make('span', {}, make('i', { class: tone }), shown[at]));
    return [
      make('div', { class: 'stack', role: 'img', 'aria-label': shown.join(', ') }, segments),
      make('p', { class: 'legend mute' }, legend),
    ];
  };

  const mark = (change, x) => (change === 'revisit' ? `M${x} 24h0` : `M${x} 20v-${HEIGHTS[change]}`);
  const days = (list) => make('div', { class: 'times' }, list.map((day) => make('span', {}, day)));
  const drawing = (height, label, ...children) => draw('svg', {
    viewBox: `0 0 1000 ${height}`, preserveAspectRatio: 'none', role: 'img', 'aria-label': label,
  }, ...children);
  const strip = ({ label, places }) => {
    const drawn = Object.entries(places).map(([change, xs]) => (
      draw('path', { class: change, d: xs.map((x) => mark(change, x)).join('') })
    ));
    return make('span', { class: 'strip' }, drawing(20, label, draw('path', { d: 'M0 20H1000' }), drawn));
  };
  const sign = (change) => draw('svg', {
    class: 'key', viewBox: `0 ${change === 'revisit' ? 10 : 0} 20 20`, 'aria-hidden': 'true',
  }, draw('path', { class: change, d: mark(change, 10) }));
  const plot = ({ label, points, line, heights, days: shown }) => {
    const names = heights.map(([y, name], at) => {
      const made = make('span', { class: at % 2 ? 'below' : '' }, name);
      made.style.bottom = `${y}%`;
      return made;
    });
    const bars = points.map(({ x, y, change, title, revisit }) => draw('g', {}, draw('title', {}, title),
      draw('path', { class: change, d: `M${x} 100v-${y}` }),
      revisit && draw('path', { class: 'revisit', d: `M${x} 106h0` })));
    const limits = heights.filter(([y]) => y > 0 && y < 100);
    return make('div', { class: 'plot' },
      make('div', { class: 'axis', 'aria-hidden': 'true' }, names),
      drawing(100, label, draw('path', { d: 'M0 0V100H1000' }),
        limits.map(([y]) => draw('path', { class: 'limit', d: `M0 ${100 - y}h1000` })),
        draw('path', { class: 'first', d: `M${line.map(([x, y]) => `${x} ${100 - y}`).join('L')}` }),
        bars),
      days(shown));
  };

  const blocks = {
    paragraph: ({ text, note }) => make('p', { class: note && 'note' }, nodes(text)),
    listing: ({ items, signs }) => make('ul', { class: signs ? 'keys' : 'lines' },
      items.map((item, at) => make('li', {}, signs ? sign(signs[at]) : '', nodes(item)))),
    facts: ({ facts: list }) => facts(list),
    section: ({ title, blocks: content, folded }, level) => {
      const [heading, inside] = [make(`h${level}`, {}, title), content.map((block) => render(block, level + 1))];
      return folded
        ? make('details', { class: 'folded' }, make('summary', {}, heading), inside)
        : make('section', {}, heading, inside);
    },
    tiles: ({ tiles: list }) => tiles(list),
    histograms: ({ histograms }, level) => (
      make('div', { class: 'columns' }, histograms.map((one) => histogram(one, level)))),
    rows: ({ rows }) => listed(make('ul', { class: 'rows' }), rows, row),
    groups, shares, table, plot,
  };
  const render = (block, level = 2) => blocks[block.block](block, level); // of its headings

  const tile = ({ value, label, tone, show }) => {
    const shown = typeof value === 'number' ? number(value) : value;
    const inner = make('b', { class: tone }, shown);
    if (!show) return make('div', {}, make('dt', {}, label), make('dd', {}, inner));
    const pressed = make('button', { type: 'button', 'aria-label': `${shown} ${label}: show them` }, inner);
    pressed.addEventListener('click', () => (
      shows.find(({ kinds }) => Object.hasOwn(kinds, show))?.kind(show)
    ));
    return make('div', {}, make('dt', {}, label), make('dd', {}, pressed));
  };
  const tiles = (list) => make('dl', { class: 'tiles' }, list.map(tile));
  const reveal = () => {
    const id = decodeURIComponent(location.hash.slice(1));
    if (!id) return;
    if (!document.getElementById(id)) shows.forEach((one) => one.id(id));
    const target = document.getElementById(id);
    for (let outer = target; outer; outer = outer.parentElement) if (outer.localName === 'details') outer.open = true;
    target?.scrollIntoView();
  };

  const main = document.querySelector('main');
  const content = (report.blocks ?? []).map((block) => render(block)).flat(Infinity);
  main.querySelector('header').append(...(report.lines ?? []).map((line) => make('p', {}, nodes(line))));
  if (report.tiles) main.append(tiles(report.tiles));
  main.append(...content);
  if (report.origin) {
    const { command, date, program } = report.origin;
    const made = ['Made by ', make('code', {}, command), ` on ${date} with ${program}.`];
    document.body.append(make('footer', { class: 'mute' }, made));
  }
  addEventListener('hashchange', reveal);
  reveal();
}
