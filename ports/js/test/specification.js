/** Parts of the specification, which the tests read. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The path of the specification: SIMHASH_DOC_SPEC, or its place in the repository. */
export const SPECIFICATION = process.env.SIMHASH_DOC_SPEC
  ?? fileURLToPath(new URL('../../../spec/simhash-doc.md', import.meta.url));

export const VECTORS = join(dirname(SPECIFICATION), '../conformance/vectors');

/** The regular expression of appendix B. */
export const APPENDIX_B = () => {
  const [, pattern] = /^```text\n(.*)\n```$/m.exec(
    readFileSync(join(dirname(SPECIFICATION), 'appendices.md'), 'utf8'),
  );
  return new RegExp(pattern, 'g');
};
