"""Numbers of bytes, and shares in percent, in messages and reports."""

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


def percent(share: float | None) -> str:
    """Return a share from 0 to 1 as people read it; only all is 100 %.

    >>> percent(0.834), percent(0.9999), percent(1), percent(None)
    ('83 %', '99 %', '100 %', '')
    """
    if share is None:
        return ""
    return "100 %" if share == 1 else f"{min(99, int(100 * share + 0.5))} %"
