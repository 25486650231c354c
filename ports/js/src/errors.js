/**
 * The errors of section 14. As in DOMException, `name` identifies the error, and `message` describes it.
 */
export class SimhashDocError extends Error {
  /**
   * @param {import('./index.js').ErrorName} name
   * @param {string} message what was found, where, and what was expected
   */
  constructor(name, message) {
    super(message);
    this.name = name;
  }
}
