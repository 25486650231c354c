"""A document compressed with gzip, such as page.html.gz."""

from __future__ import annotations

import io
import zlib
from dataclasses import replace

from simhash_doc.extract.decompress import GZIP_MAGIC, GzipSource, OutputLimitError, TruncatedStreamError, read_all
from simhash_doc.extract.errors import CorruptDocumentError, UnsupportedFormatError
from simhash_doc.extract.limits import Limits
from simhash_doc.extract.result import ExtractedText


def read(data: bytes, *, document_format: str, name: str | None, limits: Limits) -> ExtractedText:
    """Read the document in a gzip file. The result has the format of the document and the name of the file."""
    from simhash_doc.extract import extract

    try:
        inner = read_all(GzipSource(io.BytesIO(data)), limits.expanded_bytes)
    except OutputLimitError as error:
        raise limits.expanded_error("decompressed, the gzip file", name) from error
    except (zlib.error, TruncatedStreamError) as error:
        raise CorruptDocumentError(f"the gzip file cannot be decompressed: {error}", name=name) from error
    if inner.startswith(GZIP_MAGIC):
        raise UnsupportedFormatError("a gzip file inside a gzip file is not read: decompress it once", name=name)
    inner_name = name[:-3] if name and name.lower().endswith(".gz") else name
    inner_limits = replace(limits, input_bytes=limits.expanded_bytes)
    return replace(extract(inner, name=inner_name, limits=inner_limits), name=name)
