/**
 * Lets readers search for options of commands: the search takes `--html` as "without html".
 */
const field = document.querySelector('.md-search__input');
const { get, set } = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value');
Object.defineProperty(field, 'value', {
  get() {
    return get.call(field).replace(/(^|\s)--+(?=\w)/g, '$1');
  },
  set(value) {
    set.call(field, value);
  },
});
