"""A folder of files in all formats, some of them malicious or corrupt."""

from __future__ import annotations

from pathlib import Path

from tests.extract import malicious
from tests.extract.samples import FORMATS, file_name, sample

MIB = 1 << 20


def write_mixed(folder: Path, count: int) -> dict[str, bool]:
    """Write `count` files, every tenth malicious or corrupt, and return for each name whether the file is valid."""
    bad = [
        *malicious.entity_bombs(),
        *malicious.zip_bombs(16 * MIB),
        *malicious.corrupt_archives(),
        *malicious.encrypted(),
    ]
    bad += [
        (f"{document_format}-cut", sample(document_format)[:-40])
        for document_format in ("docx", "gzip", "pdf", "html", "epub")
    ]
    valid_by_name: dict[str, bool] = {}
    for at in range(count):
        if valid := at % 10 != 9:
            document_format = FORMATS[at % len(FORMATS)]
            name, data = file_name(document_format), sample(document_format)
        else:
            name, data = bad[at // 10 % len(bad)]
        (folder / f"{at:04}-{name}").write_bytes(data)
        valid_by_name[f"{at:04}-{name}"] = valid
    return valid_by_name
