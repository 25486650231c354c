"""Characters in symbol fonts, which Word keeps by their position in the font."""

from __future__ import annotations

import re

# The encoding of the font Symbol from 20 and from A1 (Unicode Consortium, mapping table SYMBOL.TXT of Adobe).
_LOW = " !∀#∃%&∋()∗+,−./0123456789:;<=>?≅ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ[∴]⊥_\uf8e5αβχδεφγηιϕκλμνοπθρστυϖωξψζ{|}∼"
_HIGH = "ϒ′≤⁄∞ƒ♣♦♥♠↔←↑→↓°±″≥×∝∂•÷≠≡≈…\uf8e6\uf8e7↵ℵℑℜ℘⊗⊕∅∩∪⊃⊇⊄⊂⊆∈∉∠∇®©™∏√⋅¬∧∨⇔⇐⇑⇒⇓◊〈®©™∑"
_SYMBOL = {code: character for start, run in ((0x20, _LOW), (0xA1, _HIGH)) for code, character in enumerate(run, start)}
_PICTURES = (
    "wingdings",
    "webdings",
    "marlett",
    "zapfdingbats",
    "zapf dingbats",
    "opensymbol",
    "starsymbol",
    "mt extra",
)
_PRIVATE = re.compile("[\uf020-\uf0ff]")


def symbol(font: str, code: str) -> str:
    """Return the character that a font shows for a hexadecimal code (`w:sym`), a space for a picture, or ""."""
    try:
        number = int(code, 16)
        is_position = number < 0x100 and font.lower().startswith(("symbol", *_PICTURES))
        text = as_letters(chr(number + 0xF000 * is_position), font)
    except (ValueError, OverflowError):
        return ""
    return bytes((ord(text) - 0xF000,)).decode("cp1252", "ignore") if _PRIVATE.match(text) else text


def as_letters(text: str, font: str) -> str:
    """Replace the positions U+F020 to U+F0FF of a symbol font by the characters that the font shows there.

    A picture is a space: it stands between words, or before one.
    """
    if text.isascii() or not font:
        return text
    if font.lower().startswith("symbol"):
        return _PRIVATE.sub(lambda found: _SYMBOL.get(ord(found[0]) - 0xF000, ""), text)
    return _PRIVATE.sub(" ", text) if font.lower().startswith(_PICTURES) else text
