/**
 * Computes in a worker, so that a long text does not block the page.
 *
 * A message is `{ number, texts, scheme }`. The answer has the same number, an analysis of each text (null for an
 * empty text), and the comparison if both texts have a fingerprint.
 */
import { analyse } from './analysis.js';
import { compare } from './comparison.js';

self.addEventListener('message', ({ data: { number, texts, scheme } }) => {
  try {
    const results = texts.map((text) => (text === '' ? null : analyse(text, scheme)));
    const isComparable = results.every((result) => result?.analysis.fingerprint);
    self.postMessage({
      number,
      scheme,
      analyses: results.map((result) => result && result.analysis),
      comparison: isComparable ? compare(...results, scheme) : null,
    });
  } catch (error) {
    self.postMessage({ number, failure: error.message });
  }
});

self.postMessage({ ready: true });
