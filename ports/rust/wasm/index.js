/**
 * The package simhash-doc, with the fingerprint of a document computed by the Rust implementation in WebAssembly.
 */
import { MAX_LENGTH, SCHEMES, SimhashDocError, encode } from 'simhash-doc';

export * from 'simhash-doc';

const file = new URL('simhash_doc.wasm', import.meta.url);
const code = file.protocol === 'file:'
  ? (await import('node:fs')).readFileSync(file)
  : await (await fetch(file)).arrayBuffer();
const wasm = (await WebAssembly.instantiate(code)).instance.exports;

/** The most bytes of UTF-8 for a UTF-16 code unit. */
const MAX_UNIT = 3;
const encoder = new TextEncoder();

function memoryOf(size) {
  const address = wasm.reserve(size); // the memory can grow, which replaces its buffer
  return new Uint8Array(wasm.memory.buffer, address, size);
}

/** Writes a document to the memory of the module, and returns its size in bytes. */
function write(document) {
  const isText = typeof document === 'string';
  if (!isText && !(document instanceof Uint8Array)) {
    throw new TypeError('a document must be a string or a Uint8Array');
  }
  const size = isText ? document.length * MAX_UNIT : document.length;
  if (size > MAX_LENGTH * MAX_UNIT) {
    throw new SimhashDocError('over-limit', `the document has ${document.length} ${isText ? 'UTF-16 code units' : 'bytes'}; `
      + `the limit is ${MAX_LENGTH} UTF-16 code units or ${MAX_LENGTH * MAX_UNIT} bytes`);
  }
  const memory = memoryOf(size);
  if (isText) return encoder.encodeInto(document, memory).written;
  memory.set(document);
  return size;
}

/** The fingerprint of a text, or of its UTF-8 bytes, with its scheme. */
export function fingerprint(document, scheme = 'sd64') {
  if (!SCHEMES.has(scheme)) return encode(new Uint8Array(), scheme); // throws the error
  const size = wasm.fingerprint(write(document), SCHEMES.get(scheme).bits / 64);
  if (size === 0) throw new SimhashDocError('no-token', 'the document has no token, so it has no fingerprint');
  return encode(memoryOf(size), scheme);
}
