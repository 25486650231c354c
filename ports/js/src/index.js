/**
 * simhash-doc, version 1: interoperable similarity fingerprints of documents.
 */
export { Accumulator } from './accumulator.js';
export { hashToken } from './buckets.js';
export { Index, distance, similarity } from './compare.js';
export { SimhashDocError } from './errors.js';
export { MAX_LENGTH, buckets, fingerprint, trace } from './fingerprint.js';
export { decodeUtf8, fold } from './fold.js';
export { removeLinks } from './links.js';
export { DIGESTS, VERSION } from './unicode-data.js';
export { SCHEMES } from './tables.js';
export { decode, encode, narrow } from './textform.js';
export { tokens } from './tokens.js';
