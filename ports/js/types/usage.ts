/** Not run: the step javascript checks that this use of the installed package compiles. */
import {
  Accumulator, Index, MAX_LENGTH, SCHEMES, SimhashDocError, buckets, decode, distance, encode, fingerprint, fold,
  hashToken, narrow, removeLinks, similarity, tokens, trace,
  type ErrorName, type Fingerprint, type Trace,
} from 'simhash-doc';

const text: string = fingerprint('one two three');
const wide: string = fingerprint(new Uint8Array([97]), 'sd128');
const accumulator: Accumulator = new Accumulator().update('one two ').update(new Uint8Array([97]));
const inPieces: string = accumulator.fingerprint('sd128');
const counts: number[] = accumulator.buckets();
const decoded: Fingerprint = decode(text, 'sd64');
const again: string = encode(decoded.bytes, decoded.scheme);
const first: string = narrow(wide, 'sd64');
const steps: Trace = trace('one two three');
const bits: number = SCHEMES.get('sd64')?.bits ?? 0;
const words: string[] = tokens(removeLinks(fold('One')));
const index = new Index('sd64');
index.insert('a', first);
const near: string[] = index.query(again, 3);
const pairs: [string, string][] = index.findAll(distance(text, again));
const share: number = similarity(text, again) * bits + buckets(text)[0] + MAX_LENGTH;

let name: ErrorName | undefined;
try {
  decode(wide);
} catch (error) {
  if (error instanceof SimhashDocError) name = error.name;
}

// @ts-expect-error A document is a text or bytes.
fingerprint(42);

// @ts-expect-error A piece is a text or bytes.
accumulator.update([97]);

console.log(name, words.map((word) => hashToken(word)), near, pairs, share, inPieces, counts);
