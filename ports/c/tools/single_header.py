"""Write the library as one header: its declarations, and its definitions where a macro asks for them.

python tools/single_header.py OUTPUT
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
# In the order in which they include each other.
SOURCES = (
    "buffer.h utf8.h xxh64.h secret.h unicode_data.h unicode.h links.h fold.h cut.h pipeline.h counts.h "
    "unicode_data.c buffer.c xxh64.c secret.c unicode.c links.c fold.c cut.c pipeline.c counts.c "
    "fingerprint.c accumulator.c steps.c trace.c index.c"
)
USE = """\
/*
 * The library in one header. In exactly one C file of a program, which includes nothing else:
 *
 *     #define SIMHASH_DOC_IMPLEMENTATION
 *     #include "simhash_doc.h"
 */
#if defined(SIMHASH_DOC_IMPLEMENTATION) && !defined(_WIN32)
#define _DEFAULT_SOURCE /* getentropy of glibc */
#elif defined(SIMHASH_DOC_IMPLEMENTATION)
#define _CRT_RAND_S /* rand_s of Windows */
#endif
"""


def single_header() -> str:
    """Return the text of the header, with the licences of the code and of the tables."""
    licence = "".join(f" * {line}".rstrip() + "\n" for line in (ROOT / "LICENSE").read_text("utf-8").splitlines())
    parts = [f"/*\n{licence} */\n", USE, (ROOT / "include/simhash_doc.h").read_text("utf-8")]
    parts.append("\n#ifdef SIMHASH_DOC_IMPLEMENTATION\n#undef SIMHASH_DOC_IMPLEMENTATION\n")
    for name in SOURCES.split():
        text = (ROOT / "src" / name).read_text("utf-8")
        # The system's headers are included where they are; those of the library are here already.
        parts.append(
            re.sub(r'^#include "[\w.]+"\n|^#define _(?:DEFAULT_SOURCE|CRT_RAND_S)\b.*\n', "", text, flags=re.MULTILINE)
        )
    parts.append("#endif\n")
    return "\n".join(parts)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    Path(sys.argv[1]).write_text(single_header(), encoding="utf-8")
