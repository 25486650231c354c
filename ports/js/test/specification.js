/** Parts of the specification, which the tests read. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of the specification: SIMHASH_DOC_SPEC, or its place in the repository. */
export const SPECIFICATION = process.env.SIMHASH_DOC_SPEC
  ?? fileURLToPath(new URL('../../../spec/simhash-doc.md', import.meta.url));

/** The core, search and extraction: the three documents that contain examples. */
export const documents = () => [SPECIFICATION, ...['search.md', 'extraction.md'].map((name) => (
  join(dirname(SPECIFICATION), name)
))].map((path) => readFileSync(path, 'utf8'));

/** The regular expression of appendix B. */
export const APPENDIX_B = () => {
  const [, pattern] = /^```text\n(.*)\n```$/m.exec(
    readFileSync(join(dirname(SPECIFICATION), 'appendices.md'), 'utf8'),
  );
  return new RegExp(pattern, 'g');
};
