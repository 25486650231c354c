"""A document compressed with gzip, such as page.html.gz."""

from __future__ import annotations

import io
import zlib
from dataclasses import replace

from simhash_doc.extract.document import Extracted
from simhash_doc.extract.errors import Damaged, OverLimit, UnsupportedMedium
from simhash_doc.extract.inflate import GZIP_MAGIC, CutOffError, GzipSource, TooLargeError, read_all
from simhash_doc.extract.limits import Limits


def read(data: bytes, *, medium: str, name: str | None, limits: Limits) -> Extracted:
    """Read the one document in a gzip file. Its medium is the document's, its name still the file's."""
    from simhash_doc.extract import extract

    try:
        inner = read_all(GzipSource(io.BytesIO(data)), limits.expanded_bytes)
    except TooLargeError as error:
        limit = f"expanded_bytes={limits.expanded_bytes:,}"
        raise OverLimit(f"decompressed, the gzip file is over the limit {limit}", name=name) from error
    except (zlib.error, CutOffError) as error:
        raise Damaged(f"the gzip file cannot be decompressed: {error}", name=name) from error
    if inner.startswith(GZIP_MAGIC):
        raise UnsupportedMedium("gzip within gzip is not read: decompress it once", name=name)
    inner_name = name[:-3] if name and name.lower().endswith(".gz") else name
    inner_limits = replace(limits, input_bytes=limits.expanded_bytes)
    return replace(extract(inner, name=inner_name, limits=inner_limits), name=name)
