/**
 * The texts in the fragment of the address. Browsers do not send fragments to servers.
 */

/** Some programs truncate longer links. */
export const LONGEST = 8_000;

/** The scheme that the guides recommend, and of links that name none. */
export const DEFAULT = 'sd256';

/**
 * @param {{ texts: string[], scheme: string }} state
 * @returns {string | null} the fragment, or null if the texts are too long for a link
 */
export function toFragment({ texts: [a, b], scheme }) {
  const fields = new URLSearchParams({ a, ...(b && { b }), ...(scheme !== DEFAULT && { scheme }) });
  const fragment = `#${fields}`;
  return fragment.length <= LONGEST ? fragment : null;
}

/**
 * @param {string} fragment
 * @returns {{ texts: string[], scheme: string } | null} null if the fragment contains no text
 */
export function fromFragment(fragment) {
  const fields = new URLSearchParams(fragment.slice(1));
  if (!fields.has('a')) return null;
  return { texts: [fields.get('a'), fields.get('b') ?? ''], scheme: fields.get('scheme') ?? DEFAULT };
}
