"""Texts for the special cases of the pipeline and of the engines."""

from __future__ import annotations

from hypothesis import strategies as st

from simhash_doc_conformance.generated.texts import FRAGMENTS

seam_text = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=40).map("".join)
surrogate = st.characters(categories=["Cs"])
any_text = st.one_of(seam_text, st.text(), st.lists(st.one_of(surrogate, st.sampled_from(FRAGMENTS))).map("".join))


widths = st.sampled_from([1, 2, 4, 8])
# Special cases of the engines: marks that stay, are reordered, compose or are blocked; links and near-links next to
# characters that are not ASCII; stretches of scripts without spaces; white space that `str.split` knows.
OWN_SEAMS = [
    "e\u0301", "\u1ea1\u0302", "\u0928\u093c", "\u0bc6\u0bbe", "\u09c7\u0334\u09be", "\u0653\u0627\u0653",
    "\u064e\u0651", "\u0651\u064e", "\u1112\u1161\u11ab", "\uac00\u11a8", "\u1100\u0301\u1161", "<\u0338",
    "=\u0338", "\u0344\u0f73\u0f77", "\ufdfa", "\u00a8", "\u2026", "\u2019s", "\u00a0", "\u00bd", "\u2473",
    "\ufb03", "\u212a", "\u017f", "\uff1a//", "\uff20", "h\u00adttp://x", "ww\u200dw.", "\u1e9e", "\u0130",
    "\u0345", "\u0300" * 29, "\u00e1" + "\u0301" * 28, "\u01d7" + "\u0316" * 29, "a@b.c", "mailto:", "://", "//",
    "\u00e9http://a", "\u6f22a@b.example\u6f22", "10.1234/", "-426614174000", "426614174000\u00e9",
    "_426614174000", "abcdef012345", "d41d8cd98f00b204e9800998ecf8427e\u00e9",
    "_d41d8cd98f00b204e9800998ecf8427e", "__", "_x_", "\u203fx\u203f", "\u0e48", "\U00020000\U0002a6d6", "\u3007",
    "\n", "\x1f", "\x85", "\u2028", "\u3000\u0301", "\ud800", "\udfff\ud801",
]  # fmt: skip
pieces = st.lists(st.one_of(st.sampled_from(OWN_SEAMS), st.sampled_from(FRAGMENTS), st.characters()), max_size=30)
texts = st.one_of(any_text, pieces.map("".join))
documents = st.lists(st.one_of(st.none(), texts, texts.map(lambda t: t.encode("utf-8", "surrogatepass")), st.binary()))
