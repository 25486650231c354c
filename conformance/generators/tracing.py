"""Sections 2 and 5: all steps of one text. Its link-free text is the result of `remove_links`."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft
from generators.links import MD5, UUID

_TEXTS = {
    "specification": ("The ﬁrst _CAFÉ_ opens; see https://example.org/menu. 東京 2024", "SD-SIGN-1", "the example of section 2"),
    "no-token": ("2024 _ !", "SD-SUM-2", "no token: no buckets and no fingerprint"),
    "empty": ("", "SD-SUM-2", "an empty text"),
    "link-first": ("http://a.example/ word", "SD-LINK-2", "a link at the start becomes one space"),
    "link-only": ("mailto:ann@example.org", "SD-LINK-5", "a link alone: no token is left"),
    "links-adjacent": ("10.1000/182 doi:10.1000/182,www.example.org/", "SD-LINK-1", "links behind each other"),
    "link-after-folding": ("ＨＴＴＰ://A.EXAMPLE/x y", "SD-LINK-2", "full-width capitals fold to a link"),
    "digest-too-long": ("0" * 129 + " " + "0" * 128, "SD-LINK-8", "129 digits are kept, 128 are a digest"),
    "repeated": ("no " * 10, "SD-CAP-1", "a token that occurs ten times counts 8 times, and is listed ten times"),
    "clamped": (" ".join("x" * n for n in range(1, 130)), "SD-BUCKET-1", "sums beyond 127"),
    "doi-without-suffix": ("10.1000/ x", "SD-LINK-6", "no bare DOI: nothing is removed, which no token shows"),
    "links-in-text": ("end.http://a.example/x?y=(1). 请看http://a.example/东京。", "SD-LINK-2", "links next to words: the longest scheme, and the last full stop"),
    "links-of-forms": ("ann@example.org, (www.example.org/x) doi:10.1000/182 10.1000/182", ("SD-LINK-3", "SD-LINK-4", "SD-LINK-5", "SD-LINK-6"), "a link of each form becomes one space"),
    "links-of-digits": (f"{UUID} {MD5} {'s' * 33}://b", ("SD-LINK-7", "SD-LINK-8"), "a UUID, a digest; and a scheme of 33 characters, which is too long"),
    "links-label": (f"a@b.{'c' * 65}", "SD-LINK-5", "a label has at most 63 characters: two are kept"),
    "links-near": (f"turn:left _http://a.example d41d8cd98f00b204e9800998ecf8427 ann@host a:// {'0' * 129}", "SD-LINK-1", "near misses are kept, except a URL of which nothing follows"),
    "marks": ("e" + "\u0301" * 31 + " a", "SD-FOLD-4", "a run of marks becomes U+FFFD"),
}  # fmt: skip


def traces() -> Iterator[Draft]:
    for slug, (text, requirement, comment) in _TEXTS.items():
        yield draft(f"trace/{slug}", "trace", requirement, comment, text=text, scheme="sd64")
    for scheme in ("sd128", "sd512"):
        yield draft(
            f"trace/{scheme}", "trace", "SD-WIDE-2", "buckets lane by lane", "wide", text="One two two.", scheme=scheme
        )


GENERATORS = (traces,)
