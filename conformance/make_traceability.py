"""Write `conformance/TRACEABILITY.md`: for each requirement its vectors and its known wrong ports.

python conformance/make_traceability.py            write it
python conformance/make_traceability.py --check    exit 1 if it would change, or if a requirement lacks either
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from simhash_doc.conformance.cases import load_cases, suite_digest
from simhash_doc.conformance.mutants import mutants
from simhash_doc.conformance.requirements import Trace, traceability

PAGE = Path(__file__).parent / "TRACEABILITY.md"
COMMAND = "python conformance/make_traceability.py"
_SHOWN = 4


def render(traces: list[Trace]) -> str:
    total = sum(mutant.equivalent is None for mutant in mutants().values())
    lines = [
        "# From requirements to vectors to known wrong ports",
        "",
        f"Made by `{COMMAND}` from the vectors with the digest `{suite_digest()}`.",
        f"{len(traces)} requirements, {len(load_cases())} vectors, {total} wrong ports (and some no input can tell).",
        "",
        "| Requirement | Vectors | Wrong ports |",
        "|---|---|---|",
    ]
    lines += [
        f"| [{trace.requirement}](../spec/simhash-doc.md#{trace.requirement}) "
        f"| {_shown(trace.cases)} | {', '.join(f'`{name}`' for name in trace.mutants)} |"
        for trace in traces
    ]
    return "\n".join(lines) + "\n"


def _shown(cases: tuple[str, ...]) -> str:
    named = ", ".join(f"`{case}`" for case in cases[:_SHOWN])
    return f"{len(cases)}: {named}{', ...' if len(cases) > _SHOWN else ''}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the page would change")
    check = parser.parse_args().check
    traces = traceability(load_cases(), mutants().values())
    lacking = [trace.requirement for trace in traces if not trace.cases or not trace.mutants]
    for requirement in lacking:
        print(f"{requirement} has no vector or no known wrong port", file=sys.stderr)
    page = render(traces)
    stale = not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page
    if stale:
        print(f"{'out of date' if check else 'written'}: {PAGE.name}")
        if not check:
            PAGE.write_text(page, encoding="utf-8")
    return 1 if lacking or (stale and check) else 0


if __name__ == "__main__":
    sys.exit(main())
