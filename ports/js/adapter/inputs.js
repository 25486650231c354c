/**
 * The inputs of requests: text, bytes, UTF-16 code units, and recipes of large texts (conformance/PROTOCOL.md).
 */

/** An input that the protocol does not define. */
export class InputError extends Error {}

/**
 * @param {Record<string, any>} request
 * @returns {string | Uint8Array} the document of the request
 */
export function readInput(request) {
  if ('text' in request) return request.text;
  if ('bytes' in request) return fromHex(request.bytes);
  if ('utf16' in request) return fromCodeUnits(request.utf16);
  if ('recipe' in request) return inputOf(request.recipe);
  throw new InputError('a request needs one of text, bytes, utf16 and recipe');
}

/** @param {string} digits two per byte */
export function fromHex(digits) {
  return Uint8Array.from({ length: digits.length / 2 }, (_, at) => parseInt(digits.slice(2 * at, 2 * at + 2), 16));
}

/** @param {string} digits four per code unit */
function fromCodeUnits(digits) {
  return (digits.match(/.{4}/g) ?? []).map((unit) => String.fromCharCode(parseInt(unit, 16))).join('');
}

/** @returns {string | Uint8Array} the input that a whole recipe describes */
function inputOf(recipe) {
  const isBytes = typeof recipe === 'object' && 'utf8' in recipe;
  return isBytes ? new TextEncoder().encode(expand(recipe.utf8)) : expand(recipe);
}

/** @returns {string} the text that a recipe describes */
export function expand(recipe) {
  if (typeof recipe === 'string') return recipe;
  if ('repeat' in recipe) return recipe.repeat.repeat(recipe.count);
  if ('words' in recipe) return words(recipe);
  if ('scalars' in recipe) return scalars(recipe.scalars, recipe.template);
  if ('concat' in recipe) return recipe.concat.map(expand).join('');
  throw new InputError(`a recipe has the unknown members ${Object.keys(recipe).join(', ')}`);
}

function words({ words: count, distinct, seed, letters }) {
  const digits = [...letters];
  let state = BigInt(seed);
  return Array.from({ length: count }, () => {
    state = BigInt.asUintN(64, 6364136223846793005n * state + 1442695040888963407n);
    return `${word(Number((state >> 33n) % BigInt(distinct)) + 1, digits)} `;
  }).join('');
}

/** A positive number in bijective notation. */
function word(number, digits) {
  let text = '';
  for (let rest = number; rest > 0; rest = Math.floor((rest - 1) / digits.length)) {
    text = digits[(rest - 1) % digits.length] + text;
  }
  return text;
}

function scalars([first, last], template) {
  const pieces = [];
  for (let scalar = first; scalar <= last; scalar++) {
    const isSurrogate = scalar >= 0xd800 && scalar <= 0xdfff;
    if (!isSurrogate) pieces.push(template.replaceAll('{}', () => String.fromCodePoint(scalar)));
  }
  return pieces.join('');
}
