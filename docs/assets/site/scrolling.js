/**
 * Makes tables that are wider than the screen reachable by keyboard, and keeps their first column in view if it takes at
 * most two fifths of the width.
 */
const observer = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    const scrolls = target.scrollWidth > target.clientWidth;
    target.toggleAttribute('tabindex', scrolls);
    if (scrolls) target.tabIndex = 0;
    const first = target.querySelector('tr > :first-child');
    target.classList.toggle('pinned', scrolls && first.offsetWidth <= 0.4 * target.clientWidth);
  }
});

// The theme puts tables into these boxes when the page is ready.
window.addEventListener('load', () => {
  document.querySelectorAll('.md-typeset__scrollwrap').forEach((box) => observer.observe(box));
});
