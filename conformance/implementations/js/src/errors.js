/**
 * The error of section 14. As with DOMException, `name` says which error it is, and `message` what was wrong.
 */
export class SimhashDocError extends Error {
  /**
   * @param {import('./index.js').ErrorName} name
   * @param {string} message what was wrong, where, and what would be right
   */
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}
