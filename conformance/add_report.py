"""Register an implementation of another repository with its report, or record its new report.

    python conformance/add_report.py report.json --id my-simhash --maintainer "Ada Example" \\
        --repository https://example.org/my-simhash --licence MIT [--limit "At most 1 MB."] [--adapter "my-adapter -q"]
    python conformance/add_report.py report.json --id my-simhash

Copies the report to ``conformance/reports/ID.json`` and writes the entry in ``implementations.json``. Everything that
the report contains is taken from it; the other members of a known entry stay as they are unless they are given.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import register
from simhash_doc_conformance.errors import InputError

CONFORMANCE = Path(__file__).parent
_NEEDED = ("maintainer", "repository", "licence")


def main(arguments: list[str] | None = None, directory: Path = CONFORMANCE) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", 1)[0])
    parser.add_argument("report", type=Path, metavar="REPORT", help="written by `conformance run --full --report`")
    parser.add_argument("--id", required=True, help="lower-case letters, digits and single hyphens")
    parser.add_argument("--maintainer", help="a person, project or organisation")
    parser.add_argument("--repository", metavar="URL", help="address of the source")
    parser.add_argument("--licence", metavar="SPDX", help="SPDX expression")
    parser.add_argument("--limit", action="append", dest="limits", metavar="SENTENCE", help="known limit; repeatable")
    parser.add_argument(
        "--adapter", type=shlex.split, metavar="COMMAND", help="starts the adapter where it is installed"
    )
    options = vars(parser.parse_args(arguments))
    path = directory / register.FILE
    try:
        content = options.pop("report").read_bytes()
        entries = register.read_register(path)
        members = _members(entries.get(options["id"]), options)
        if missing := [f"--{name}" for name in _NEEDED if not members.get(name)]:
            parser.error(f"{options['id']} is not registered; give {', '.join(missing)}")
        entry = register.recorded(members, content, datetime.now(UTC).date().isoformat())
    except (OSError, InputError) as error:
        parser.error(str(error))
    (directory / "reports" / f"{entry['id']}.json").write_bytes(content)
    path.write_text(register.register_json({**entries, entry["id"]: entry}), encoding="utf-8")
    print(f"{entry['id']}: {entry['name']} {entry['version']}, classes {', '.join(entry['classes']) or 'none'}")
    return 0


def _members(known: register.Entry | None, options: dict[str, Any]) -> dict[str, Any]:
    before: dict[str, Any] = known if known else {"limits": [], "adapter": []}
    return before | {name: value for name, value in options.items() if value is not None}


if __name__ == "__main__":
    sys.exit(main())
