"""Mutants of sections 9, 11 and 12: names of schemes and their marks, as a text form writes them."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

from simhash_doc.errors import SchemeMismatchError, UnknownSchemeError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.mutants import failing, mutant, table
from simhash_doc_conformance.mutants.text_form import Reading, prefix, split


def _mark_of(text: str) -> str | None:
    """Return the mark after the short id; None if there is none."""
    _, plus, mark = text.partition(":")[0].partition("+")
    return mark if plus else None


def _marked(pattern: str, text: str) -> str:
    """Return a text form with a regular mark in place of what matches before its first colon."""
    name, colon, digits = text.partition(":")
    changed, count = re.subn(f"(?i){pattern}", "", name, count=1)
    return f"{changed}+custom:{digits}" if colon and count and changed.lower() in get_schemes() else text


def _mark(pattern: str) -> Callable[..., str]:
    return lambda text: _marked(pattern, text)


table("SD-CUSTOM-2", Reading, repaired={
    "custom-prefix": ("reads every mark that begins with custom as +custom",
        lambda text: re.sub(r"(?i)\+custom[a-z0-9]*:", "+custom:", text, count=1)),
    "custom-space": ("reads a space before custom as a plus sign (URL decoding)",
        lambda text: re.sub(r"(?i) custom:", "+custom:", text, count=1)),
    "custom-twice": ("accepts a repeated +custom", lambda text: re.sub(r"(?i)(\+custom)+:", "+custom:", text, count=1)),
    "custom-anywhere": ("finds +custom anywhere in the name of the scheme", _mark(r"\+custom")),
    "custom-before": ("reads custom+ before the short id", _mark(r"^custom\+")),
    "custom-any-mark": ("reads every mark after a plus sign as +custom", _mark(r"\+[a-z0-9]+$")),
    "custom-empty-mark": ("reads a plus sign without a mark as +custom", _mark(r"\+$")),
    "custom-shortened": ("accepts shortened marks, such as +c", _mark(r"\+(?:custo|cust|cus|cu|c)$")),
    "custom-hyphen": ("accepts -custom", _mark("-custom$")),
    "custom-other-sign": ("accepts other signs before custom", _mark("[._~!*,;/|&=#]custom$")),
    "custom-without-plus": ("accepts custom without a plus sign", _mark("(?<=[0-9])custom$")),
    "custom-percent": ("decodes %2B before custom (URL decoding)", _mark("%2bcustom$")),
    "custom-full-width-plus": ("reads a full-width plus sign as a plus sign", _mark("\uff0bcustom$")),
    "custom-spaces": ("skips spaces next to the plus sign of +custom", _mark(r" *\+ *custom *$")),
    "custom-long-s": ("folds the case of the mark beyond ASCII, so that U+017F is s", _mark(r"\+cu\u017ftom$")),
    "custom-after-colon": ("reads custom: or +custom: after the colon",
        lambda text: re.sub(r"(?i)^(sd[0-9]+):\+?custom:", r"\1+custom:", text)),
    "custom-after-digits": ("reads +custom after the digits",
        lambda text: re.sub(r"(?i)^(sd[0-9]+):([a-z2-7]+)\+custom$", r"\1+custom:\2", text)),
}, refused_text={
    "custom-lower-only": ("accepts +custom in lower case only",
        (lambda text: _mark_of(text) not in (None, "custom"), UnknownSchemeError)),
    "custom-wide-refused": ("reports +custom of a wide scheme as an unknown scheme",
        (lambda text: prefix(text).endswith("+custom") and prefix(text) != "sd64+custom", UnknownSchemeError)),
}, returned={
    "custom-case-lost": ("compares the mark as it stands, and ignores +Custom in other case",
        lambda found, text: Fingerprint(found.value, found.scheme.id)
        if _mark_of(text) not in (None, "custom") else found),
})  # fmt: skip

table("SD-TEXT-5", Reading, refused_text={
    "decode-id-lower-only": ("rejects the short id in capital letters when decoding",
        (lambda text: split(text)[0] != split(text)[0].lower(), UnknownSchemeError)),
}, repaired={
    "decode-bom": ("skips U+FEFF at the start of a text form", lambda text: text.removeprefix("\ufeff")),
    "scheme-last-colon": ("reads what is before the last colon as the scheme",
        lambda text: text.replace(":", "", text.count(":") - 1)),
    "scheme-rest-ignored": ("skips what follows a second colon", lambda text: ":".join(text.split(":")[:2])),
    "scheme-suffix": ("accepts any characters before the short id (a regular expression without ^)",
        lambda text: re.sub(r"(?i)^[^:]*(sd(?:64|128|256|512)(?:\+custom)?:)", r"\1", text)),
    "scheme-prefix": ("accepts any characters between the short id and the colon",
        lambda text: re.sub(r"(?i)^(sd(?:64|128|256|512)(?![0-9])(?:\+custom(?![+a-z0-9]))?)[^:]*:", r"\1:", text)),
    "scheme-urn": ("skips urn: before the scheme", lambda text: re.sub("(?i)^urn:", "", text)),
    "decode-trims": ("strips white space before and after a text form", lambda text: text.strip()),
    "scheme-empty": ("treats an empty name before the colon as no scheme", lambda text: text.removeprefix(":")),
    "scheme-full-width": ("folds full-width letters and digits of a text form",
        lambda text: "".join(chr(ord(c) - 0xFEE0) if 0xFF01 <= ord(c) <= 0xFF5E else c for c in text)),
    "scheme-percent": ("decodes percent signs of a URL", lambda text: re.sub("(?i)%3a", ":", text.replace("%20", " "))),
    "scheme-long-s": ("folds the case of the short id beyond ASCII, so that U+017F is s",
        lambda text: text.replace("\u017f", "s") if ":" in text.partition("\u017f")[2] else text),
    "scheme-digits-any-script": ("reads digits of other scripts in the short id",
        lambda text: re.sub(r"^[^:]*:", lambda m: "".join(
            str(unicodedata.decimal(c)) if c.isdecimal() else c for c in m[0]), text)),
    "scheme-leading-zero": ("reads the number in the short id as an integer",
        lambda text: re.sub(r"(?i)^sd0+(?=[1-9])", "sd", text)),
    "scheme-equals-sign": ("accepts = or a slash in place of the colon",
        lambda text: re.sub(r"(?i)^(sd[0-9]+)[=/](?=[a-z2-7])", r"\1:", text)),
}, expected={
    "scheme-none-is-sd64": ("reads a text form without a scheme as sd64, whatever its length",
        lambda text, scheme: "sd64" if scheme is None and ":" not in text else scheme),
    "expected-ignored-bare": ("finds the scheme by the number of digits although another one is expected",
        lambda text, scheme: None if ":" not in text and scheme in get_schemes() else scheme),
    "scheme-expected-ignored": ("ignores the expected scheme if the text names one",
        lambda text, scheme: None if ":" in text else scheme),
}, refused_value={
    "mismatch-case": ("compares the scheme of the text with the expected one case-sensitively",
        (lambda found, text, scheme: ":" in text and not text.startswith(scheme or ""), SchemeMismatchError)),
})  # fmt: skip

# Names that the objects of JavaScript have, with which a registry or a counter in an object begins.
_INHERITED = {
    "constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "propertyIsEnumerable", "toLocaleString",
    "__proto__", "__defineGetter__", "__lookupGetter__",
}  # fmt: skip


def _checked(name: str) -> str:
    """Return a name, and fail if an object finds it although it was not put there."""
    return failing(TypeError(f"{name} is not a scheme")) if name in _INHERITED else name


def _parse_inherited(right: Implementation, text: str, scheme: str | None = None) -> Fingerprint:
    _checked(text.partition(":")[0] if scheme is None or scheme in get_schemes() else scheme)
    return right.parse(text, scheme)


mutant(
    "scheme-inherited", "SD-WIDE-1",
    "keeps the schemes in an object that inherits names, and finds constructor as a scheme",
    parse=_parse_inherited,
    fingerprint_text_form=lambda step, given, scheme: step(given, _checked(scheme)),
)  # fmt: skip
