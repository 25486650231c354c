"""Fingerprints in the text form, many at once."""

from __future__ import annotations

from collections.abc import Sequence

from simhash_doc.engines.lanes import bytes_from_lanes
from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.ingest.entries.bulk import Lines, parse_lines
from simhash_doc.ingest.entries.lines import fingerprint_of, fits, parse_line
from simhash_doc.ingest.errors import UnreadableLineError
from simhash_doc.schemes import Scheme


def parse_texts(
    texts: Sequence[str | None], schemes: Sequence[str | None] | None = None
) -> tuple[list[bytes | None], dict[int, str]]:
    """Return fingerprints as bytes, most significant first, and why others cannot be read, by position.

    Args:
        texts: fingerprints in base32, with or without scheme, or in hexadecimal; None or empty for none.
        schemes: the scheme of each, as a column of a table has it; None if it is not known.
    """
    found: list[bytes | None] = [None] * len(texts)
    problems: dict[int, str] = {}
    waiting = [at for at, text in enumerate(texts) if text and text.strip()]
    scheme: Scheme | None = None
    for at in waiting:
        try:
            scheme = _parsed(texts[at] or "", schemes[at] if schemes else None).scheme
            break
        except (UnreadableLineError, SpecError):
            continue
    if scheme:
        lines = Lines.of("\n".join(texts[at] or "" for at in waiting).encode("utf-8", "replace"))
        if len(lines) == len(waiting):
            parsed = parse_lines(lines, "base32", scheme)
            width = 8 * scheme.lanes
            data = bytes_from_lanes(parsed.values)
            rest = []
            for number, at in enumerate(waiting):
                if parsed.read[number] and (schemes is None or schemes[at] in (None, scheme.id)):
                    found[at] = data[number * width : (number + 1) * width]
                else:
                    rest.append(at)
            waiting = rest
    for at in waiting:
        try:
            found[at] = bytes(_parsed(texts[at] or "", schemes[at] if schemes else None))
        except (UnreadableLineError, SpecError) as error:
            problems[at] = str(error)
    return found, problems


def _parsed(text: str, scheme: str | None) -> Fingerprint:
    text = text.strip()
    if fits(text, "hex", None):  # no scheme has as many digits in base32 as another in hexadecimal
        found = parse_line(text, "hex").fingerprint
        assert found is not None
        return found
    return fingerprint_of({"fingerprint": text, "scheme": scheme})
