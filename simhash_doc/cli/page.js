// A long list on a page: filter, order, pages of cards, and more rows of a card. The elements <script type="text/html">
// hold what is shown later: it is HTML in which all texts of documents are escaped, as in the page itself.
{
  const list = document.querySelector('.list');
  const [filter, pager] = document.querySelectorAll('.bar');
  const [text, kind, order] = filter.querySelectorAll('input, select');
  const [open, close] = filter.querySelectorAll('button');
  const [previous, next] = pager.querySelectorAll('button');
  const status = document.querySelector('[role=status]');
  const size = Number(list.dataset.page);
  const orders = { size: () => 0, least: (a, b) => a.least - b.least };

  const rows = new Map(); // by the name of a list, the parts that are shown later
  const rowsOf = new Map(); // the same by card, for the filter
  const add = (map, key, value) => map.set(key, [...(map.get(key) ?? []), value]);
  for (const one of document.querySelectorAll('script[data-rows]')) {
    add(rows, one.dataset.rows, one);
    add(rowsOf, one.dataset.card, one);
  }
  const cards = [...list.children, ...document.querySelectorAll('script[data-least]')].map((one) => ({
    html: one.localName === 'script' ? one.textContent : one.outerHTML,
    kinds: one.dataset.kinds.split(' '),
    least: Number(one.dataset.least),
    number: one.dataset.number,
  }));
  let found = cards;
  let page = 0;

  const escaped = (plain) => new Option(plain).innerHTML;
  // The names of a card as escaped text; only once, because a long list has many.
  const namesOf = (card) => {
    const parts = [card.html, ...(rowsOf.get(card.number) ?? []).map((one) => one.textContent)];
    const shown = parts.join('\n').replace(/<p class="text".*?>.*?<\/p>/gs, '').replace(/<(?!\/?span).*?>/gs, '\n');
    card.names ??= shown.replace(/<.*?>/gs, '').replaceAll('&quot;', '"').replaceAll('&#x27;', "'").toLowerCase();
    return card.names;
  };
  const show = () => {
    const pages = Math.max(Math.ceil(found.length / size), 1);
    list.innerHTML = found.slice(page * size, (page + 1) * size).map((card) => card.html).join('');
    const number = (count) => count.toLocaleString('en');
    status.textContent = `${number(found.length)} of ${number(cards.length)} clusters`
      + (pages > 1 ? `, page ${number(page + 1)} of ${number(pages)}` : '');
    previous.disabled = page === 0;
    next.disabled = page === pages - 1;
    pager.hidden = pages === 1;
  };
  const search = () => {
    const wanted = escaped(text.value.toLowerCase());
    found = cards.filter((card) => (!kind.value || card.kinds.includes(kind.value))
      && (!wanted || namesOf(card).includes(wanted)));
    found.sort(orders[order.value]);
    page = 0;
    show();
  };
  const turn = (step) => {
    page += step;
    show();
    filter.scrollIntoView();
  };
  const openAll = (isOpen) => {
    for (const card of list.children) card.open = isOpen;
  };
  const showMore = ({ target }) => {
    if (!target.matches('[data-more]')) return;
    const parts = rows.get(target.dataset.more);
    const shown = Number(target.dataset.shown ?? 0);
    const row = target.closest('li');
    row.insertAdjacentHTML('beforebegin', parts[shown].textContent);
    target.dataset.shown = shown + 1;
    if (shown + 1 === parts.length) row.remove();
  };
  text.addEventListener('input', search);
  kind.addEventListener('change', search);
  order.addEventListener('change', search);
  previous.addEventListener('click', () => turn(-1));
  next.addEventListener('click', () => turn(1));
  open.addEventListener('click', () => openAll(true));
  close.addEventListener('click', () => openAll(false));
  list.addEventListener('click', showMore);
  filter.hidden = false;
  show();
}
