"""JSON lines with any value wrong: a documented error of that line, or a value that is allowed."""

from __future__ import annotations

import json
from typing import Any

import pytest

from simhash_doc import SimhashDocError, fingerprint
from simhash_doc.ingest.provenance import Provenance
from simhash_doc.ingest.text_forms import parse_object
from simhash_doc.store.json_lines import parse_id, parse_item, parse_query
from tests.commands import run
from tests.damaged_json import damaged

DOCUMENT: dict[str, Any] = {
    "id": "a",
    "uri": "http://x/",
    "collection": "c",
    "scheme": "sd64",
    "fingerprint": str(fingerprint("one two three four")),
    "hex": "0" * 16,
    "metadata": {"k": 1, "m": "x"},
    "time": "2024-01-01T00:00:00+00:00",
    "provenance": Provenance.of_package("sd64", extracted=True).to_dict(),
}
COLLECTION = {"collection": "c", "scheme": "sd64", "slices": 4}


@pytest.mark.parametrize("parse", [parse_item, parse_query, parse_id])
@pytest.mark.parametrize("record", [DOCUMENT, COLLECTION])
def test_any_value_of_a_line_may_be_wrong(parse: Any, record: dict[str, Any]) -> None:
    accepted = 0
    for what, text in damaged(record):
        try:
            parse(parse_object(text))
            accepted += 1
        except SimhashDocError:
            continue
        except Exception as error:
            raise AssertionError(what) from error
    assert accepted or record is COLLECTION


@pytest.mark.parametrize("command", [("index", "build", "--force", "i.sdix"), ("find-clusters",), ("find-all",)])
def test_commands_report_wrong_lines_and_read_the_others(
    command: tuple[str, ...], tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = [json.dumps(DOCUMENT), *(text for _, text in damaged(DOCUMENT)), json.dumps(DOCUMENT)]
    done = run(*command, stdin="\n".join(lines).encode())
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert 5 < done.stderr.count("\n") < 20
