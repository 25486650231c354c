// A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line.

const NAME = "my-simhash";
const VERSION = "0.1";
const UNICODE = process.versions.unicode; // of the NFC that the implementation uses
const SCHEMES = ["sd64"];

// ---- Plug in here ------------------------------------------------------------------------------
// An operation takes a request and returns the members of the answer: {result: ...},
// {error: "spare-bits"} with a name of section 14, or {unsupported: true}. The operations
// listed here are declared to the runner.
// The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
// A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
const operations = {
  // encode: (request) => myEncode(Buffer.from(request.hex, "hex"), request.scheme, request.canonical),
  // decode: (request) => myDecode(request.text, request.scheme),
  // fingerprint: (request) => myFingerprint(textOf(request), request.scheme),
};

// The input of a request: a text, or the bytes of a document (supporting them is optional).
function textOf(request) {
  return request.text ?? Buffer.from(request.bytes, "hex");
}

// ---- The protocol ------------------------------------------------------------------------------
function answer(request) {
  if (request.op === "hello") {
    const who = { protocol: 1, name: NAME, version: VERSION, language: "JavaScript", unicode: UNICODE };
    return { ...who, operations: Object.keys(operations), schemes: SCHEMES, features: [] };
  }
  const operation = Object.hasOwn(operations, request.op) ? operations[request.op] : () => ({ unsupported: true });
  return { id: request.id, ...operation(request) };
}

// Not node:readline: from Node.js 24 on, it also ends a line at U+2028, which JSON strings may contain.
let pieces = [];
for await (let chunk of process.stdin) {
  for (let end; (end = chunk.indexOf(0x0a)) >= 0; chunk = chunk.subarray(end + 1)) {
    const line = Buffer.concat([...pieces, chunk.subarray(0, end)]).toString("utf8");
    pieces = [];
    process.stdout.write(JSON.stringify(answer(JSON.parse(line))) + "\n");
  }
  pieces.push(chunk);
}
