"""Numbers of bytes in messages."""

from __future__ import annotations

_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")


def shown_size(size: int) -> str:
    """Return a number of bytes in the largest unit that it reaches, rounded to one digit.

    >>> shown_size(104_857_601), shown_size(1536), shown_size(7)
    ('100 MiB', '1.5 KiB', '7 bytes')
    """
    unit, amount = 0, float(size)
    while amount >= 1024 and unit < len(_UNITS) - 1:
        unit, amount = unit + 1, amount / 1024
    return f"{amount:.1f}".removesuffix(".0") + f" {_UNITS[unit]}"
