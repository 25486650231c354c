"""Numbers of bytes as arguments of options."""

from __future__ import annotations

import re
from typing import Any

import click

LARGEST = 1 << 50  # bytes: more is a mistake
_SIZE = re.compile(r"([0-9]{1,15}(?:\.[0-9]{1,6})?) ?([KMG]?)(?:i?B)?", re.ASCII | re.IGNORECASE)
SIZE_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


class Size(click.ParamType):  # type: ignore[type-arg] # click 8.1 has no type argument
    """A number of bytes from 1 to `LARGEST`, such as 65536, 64k, 64KiB or 0.5M."""

    name = "size"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        from decimal import Decimal

        found = _SIZE.fullmatch(value)
        size = int(Decimal(found[1]) * SIZE_UNITS[found[2].upper()]) if found else 0
        if not 0 < size <= LARGEST:
            self.fail(
                f"{value!r} is not a size from 1 byte to {LARGEST >> 40} TiB; "
                "give bytes, such as 65536, or 64K, 0.5M or 2GiB",
                param,
                ctx,
            )
        return size
