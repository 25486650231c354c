/** Takes the role of a landmark from the buttons of each code block: the theme marks them all as navigation. */
function quiet() {
  document.querySelectorAll('nav.md-code__nav:not([role])').forEach((nav) => nav.setAttribute('role', 'none'));
}

new MutationObserver(quiet).observe(document.body, { childList: true, subtree: true });
quiet();
