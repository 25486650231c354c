/**
 * The operations of the conformance protocol (conformance/PROTOCOL.md): requests to answers.
 */
import {
  Accumulator, Index, SCHEMES, SimhashDocError, buckets, decode, decodeUtf8, distance, encode, fingerprint, fold, hashToken, narrow,
  removeLinks, similarity, tokens,
} from 'simhash-doc';
import { InputError, fromHex, readInput } from './inputs.js';

const PROTOCOL = 1;

/** Without a declared encoding bytes are UTF-8 (SD-INPUT-1). */
const textOf = (request) => {
  const input = readInput(request);
  return typeof input === 'string' ? input : decodeUtf8(input);
};

const linkFreeText = (request) => removeLinks(fold(textOf(request)));

const maybeDigest = (request, text) => (request.digest ? hashToken(text) : text);

const operations = {
  fingerprint: (request) => {
    const input = readInput(request);
    return request.cuts ? fingerprintOfPieces(input, request) : fingerprint(input, request.scheme);
  },
  encode: ({ hex, scheme, canonical = true }) => encode(fromHex(hex), scheme, canonical),
  decode: ({ text, scheme }) => {
    const { scheme: id, hex, canonical } = decode(text, scheme);
    return { scheme: id, hex, canonical };
  },
  distance: ({ a, b }) => ({ distance: distance(a, b), similarity: similarity(a, b) }),
  narrow: ({ text, scheme }) => narrow(text, scheme),
  fold: (request) => maybeDigest(request, fold(textOf(request))),
  tokens: (request) => {
    const list = tokens(linkFreeText(request));
    return request.digest ? hashToken(list.map((token) => `${token}\n`).join('')) : list;
  },
  hash_tokens: ({ tokens: list, scheme }) => {
    if (!SCHEMES.has(scheme)) throw new SimhashDocError('unknown-scheme', scheme);
    const lanes = Array.from({ length: SCHEMES.get(scheme).bits / 64 }, (_, lane) => lane);
    return list.map((token) => lanes.map((lane) => hashToken(token, lane)).join(''));
  },
  buckets: (request) => buckets(readInput(request), request.scheme),
  query: ({ entries, queries, distance: radius }) => {
    const index = indexOf(entries, queries);
    return queries.map((query) => index.query(query, radius));
  },
  find_all: ({ entries, distance: radius }) => indexOf(entries, []).findAll(radius),
  update,
  trace,
};

function fingerprintOfPieces(input, { cuts, scheme }) {
  const accumulator = new Accumulator();
  [...cuts, input.length].forEach((end, at) => accumulator.update(input.slice(at === 0 ? 0 : cuts[at - 1], end)));
  return accumulator.fingerprint(scheme);
}

/** An index of the scheme of the first fingerprint. All are decoded before their schemes are compared (SD-TEXT-9). */
function indexOf(entries, queries) {
  const [scheme] = [...entries.map(([, text]) => text), ...queries].map((text) => decode(text).scheme);
  const index = new Index(scheme);
  for (const [id, text] of entries) index.insert(id, text);
  return index;
}

function update({ steps, distance: radius, scheme }) {
  const index = new Index(scheme);
  return steps.flatMap(({ insert = [], remove = [], query }) => {
    for (const [id, text] of insert) index.insert(id, text);
    for (const id of remove) index.remove(id);
    return query ? [query.map((text) => index.query(text, radius))] : [];
  });
}

/** The values of all steps; the error instead of buckets and fingerprint if there is no token. */
function trace(request) {
  const folded = fold(textOf(request));
  const prepared = removeLinks(folded);
  const steps = { folded, prepared, tokens: tokens(prepared) };
  const last = outcome(() => ({
    buckets: operations.buckets(request),
    fingerprint: operations.fingerprint(request),
  }));
  return { ...steps, ...(last.result ?? last) };
}

/** The result of an operation, or the name of the error of section 14. */
function outcome(operation) {
  try {
    return { result: operation() };
  } catch (error) {
    if (error instanceof SimhashDocError) return { error: error.name };
    throw error;
  }
}

const hello = (version) => ({
  protocol: PROTOCOL,
  name: 'simhash-doc-js',
  version,
  language: 'JavaScript',
  unicode: '15.0',
  operations: Object.keys(operations),
  schemes: [...SCHEMES.keys()],
  features: ['surrogates', 'digest', 'recipes', 'cuts'],
});

/**
 * The answer to one request.
 *
 * @param {Record<string, any>} request
 * @param {string} version of the implementation
 * @returns {Record<string, any>}
 */
export function answer(request, version) {
  const { id, op } = request;
  if (op === 'hello') return hello(version);
  if (!Object.hasOwn(operations, op)) return { id, unsupported: true };
  try {
    return { id, ...outcome(() => operations[op](request)) };
  } catch (error) {
    if (error instanceof InputError) return { id, unsupported: true };
    throw error;
  }
}
