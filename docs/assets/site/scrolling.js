/**
 * Makes tables that are wider than the screen reachable by keyboard, so that they can be scrolled.
 */
const observer = new ResizeObserver((changes) => {
  for (const { target } of changes) {
    const scrolls = target.scrollWidth > target.clientWidth;
    target.toggleAttribute('tabindex', scrolls);
    if (scrolls) target.tabIndex = 0;
  }
});

// The theme puts tables into these boxes when the page is ready.
window.addEventListener('load', () => {
  document.querySelectorAll('.md-typeset__scrollwrap').forEach((box) => observer.observe(box));
});
