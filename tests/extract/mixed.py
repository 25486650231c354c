"""A folder of files of all media, some of them hostile or damaged."""

from __future__ import annotations

from pathlib import Path

from tests.extract import hostile
from tests.extract.samples import MEDIA, file_name, sample

MIB = 1 << 20


def write_mixed(folder: Path, count: int) -> dict[str, bool]:
    """Write files, every tenth hostile or damaged, and return their names and which of them are whole."""
    bad = [*hostile.entity_bombs(), *hostile.zip_bombs(16 * MIB), *hostile.damaged_archives(), *hostile.encrypted()]
    bad += [(f"{medium}-cut", sample(medium)[:-40]) for medium in ("docx", "gzip", "pdf", "html", "epub")]
    made: dict[str, bool] = {}
    for at in range(count):
        if whole := at % 10 != 9:
            medium = MEDIA[at % len(MEDIA)]
            name, data = file_name(medium), sample(medium)
        else:
            name, data = bad[at // 10 % len(bad)]
        (folder / f"{at:04}-{name}").write_bytes(data)
        made[f"{at:04}-{name}"] = whole
    return made
