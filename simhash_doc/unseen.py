"""Characters that nobody sees in a name: two names would look alike."""

from __future__ import annotations

import re

# Default_Ignorable_Code_Point of Unicode, controls of annotations, spaces that look like another one, and surrogates
# that stand for no byte of a path.
_UNSEEN = re.compile(
    "[\xa0\xad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u202a-\u202f\u205f-\u206f\u2800\u3000"
    "\u3164\ud800-\udc7f\udd00-\udfff\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def escape_unseen(text: str) -> str:
    r"""Return a text with the escapes of Python for what is not seen, and for spaces that look like others.

    >>> print(escape_unseen("a\u200bb c\u00a0d \U000e0041"))
    a\u200bb c\xa0d \U000e0041
    """
    return text if text.isascii() else _UNSEEN.sub(_escaped, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
