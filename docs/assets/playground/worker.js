/**
 * Computes in a worker, so that a long text does not block the page.
 *
 * A message is `{ number, texts, scheme }`. The answer has the same number, the scheme that was used, an analysis of each
 * text (null for an empty text, the decoded value for a fingerprint), the comparison if both have a fingerprint, and the
 * words that differ if both are texts.
 */
import { SCHEMES } from '../simhash-doc/index.js';
import { analyse } from './analysis.js';
import { compare } from './comparison.js';
import { narrowed, readFingerprint } from './given.js';
import { differingWords } from './words.js';

self.addEventListener('message', ({ data: { number, texts, scheme: chosen } }) => {
  try {
    const given = texts.map(readFingerprint);
    const scheme = narrowest(given) ?? chosen;
    const results = texts.map((text, index) => {
      if (text === '') return null;
      if (given[index]) return { analysis: given[index].scheme ? narrowed(given[index], scheme) : given[index] };
      return analyse(text, scheme);
    });
    const isComparable = results.every((result) => result?.analysis.fingerprint);
    self.postMessage({
      number,
      scheme,
      analyses: results.map((result) => result && result.analysis),
      comparison: isComparable ? compare(...results, scheme) : null,
      words: isComparable && !given.some(Boolean) ? differingWords(...texts) : [],
    });
  } catch (error) {
    self.postMessage({ number, failure: error.message });
  }
});

/** Return the narrowest scheme of the given fingerprints: a text can be computed in any. */
function narrowest(given) {
  const schemes = given.flatMap((one) => (one?.scheme ? [SCHEMES.get(one.scheme)] : []));
  return schemes.sort((a, b) => a.bits - b.bits)[0]?.id;
}

self.postMessage({ ready: true });
