"""Validate the registry of schemes, `spec/data/schemes.json`: exit 1 if it breaks a rule.

    python spec/validate_schemes.py [FILE]

`spec/schemas/schemes.schema.json` describes the members and their types. This script needs no package, and also
checks the rules between members.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

REGISTRY = Path(__file__).parent / "data/schemes.json"
STATES = ("reserved", "active", "deprecated")
_MEMBERS = {"name": str, "id": str, "state": str, "bits": int, "characters": int, "close": int, "loose": int}


def faults(registry: dict[str, Any]) -> list[str]:
    """Return what is wrong with a registry, one sentence per fault."""
    schemes = registry["schemes"]
    malformed = [fault for row in schemes for fault in _member_faults(row)]
    if malformed:
        return malformed
    found = [fault for row in schemes for fault in _scheme_faults(row)]
    for member in ("id", "name", "bits", "characters"):
        counted = Counter(row[member] for row in schemes)
        found += [f"{member} {value!r} is used by {count} schemes" for value, count in counted.items() if count > 1]
    if [row["bits"] for row in schemes] != sorted(row["bits"] for row in schemes):
        found.append("the schemes are not in the order of their bits")
    return found + _confirmation_faults(registry["confirmation"], {row["id"]: row for row in schemes})


def _member_faults(row: dict[str, Any]) -> list[str]:
    found = [
        f"{row.get('id')}: {name} is missing or not of the type {kind.__name__}"
        for name, kind in _MEMBERS.items()
        if type(row.get(name)) is not kind
    ]
    return found + [f"{row.get('id')}: the member {name!r} is unknown" for name in row if name not in _MEMBERS]


def _scheme_faults(row: dict[str, Any]) -> list[str]:
    bits = row["bits"]
    rules = {
        f"the state {row['state']!r} is none of {', '.join(STATES)}": row["state"] in STATES,
        f"{bits} bits are not a positive multiple of 64": bits > 0 and bits % 64 == 0,
        f"{row['characters']} characters; {bits} bits need {-(-bits // 5)}": row["characters"] == -(-bits // 5),
        f"close {row['close']} and loose {row['loose']} do not ascend within {bits} bits":
            0 <= row["close"] < row["loose"] < bits,
    }  # fmt: skip
    return [f"{row['id']}: {fault}" for fault, holds in rules.items() if not holds]


def _confirmation_faults(confirmation: dict[str, Any], schemes: dict[str, dict[str, Any]]) -> list[str]:
    wide, candidate = confirmation["scheme"], confirmation["candidate"]
    unknown = [f"confirmation: {name!r} is not an active scheme" for name in (wide, candidate)
               if schemes.get(name, {}).get("state") != "active"]  # fmt: skip
    if unknown:
        return unknown
    found = []
    if schemes[wide]["bits"] <= schemes[candidate]["bits"]:
        found.append(f"confirmation: {wide} is not wider than {candidate}")
    if not 0 <= confirmation["template_distance"] <= confirmation["distance"] < schemes[wide]["bits"]:
        found.append(f"confirmation: the distances do not fit {wide}")
    return found


def main(arguments: list[str]) -> int:
    path = Path(arguments[0]) if arguments else REGISTRY
    found = faults(json.loads(path.read_text(encoding="utf-8")))
    for fault in found:
        print(f"{path.name}: {fault}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
