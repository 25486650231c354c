"""Section 7: tokens that a search engine, a database or a spelling takes for the same. Each is a token of its own."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, table
from generators.collisions import MORE_SAME_HASH, against
from simhash_doc_conformance.mutants.identity import MORE_HASHES

PAIRS = {
    "yo": ("\u0432\u0441\u0435", "\u0432\u0441\u0451"), "short-i": ("\u043c\u043e\u0438", "\u043c\u043e\u0439"),
    "ukrainian-i": ("\u043c\u0438\u0440", "\u043c\u0456\u0440"),
    "hard-sign": ("\u043e\u0431\u044c\u0435\u043c", "\u043e\u0431\u044a\u0435\u043c"),
    "ae": ("\u00e6on", "aeon"), "oe": ("\u0153uvre", "oeuvre"), "o-stroke": ("\u00f8re", "ore"),  # codespell:ignore ore
    "d-stroke": ("\u0111o", "do"), "l-stroke": ("\u0142a", "la"), "h-stroke": ("\u0127al", "hal"),
    "thorn": ("\u00feor", "thor"),
    "eth": ("\u00f0e", "de"), "eng": ("\u014ba", "nga"), "dotless": ("k\u0131", "ki"), "kra": ("\u0138a", "qa"),
    "schwa": ("m\u0259", "me"), "open-e": ("\u025bk", "ek"), "umlaut": ("\u00fcber", "ueber"),
    "umlaut-plain": ("\u00fcber", "uber"),
    "ring": ("\u00e5r", "aar"), "cedilla": ("gar\u00e7on", "garcon"), "tilde": ("a\u00f1o", "ano"),
    "caron": ("\u010das", "cas"), "horn": ("\u01a1i", "oi"), "double": ("\u0151r", "\u00f6r"),
    "comma-below": ("\u0219i", "\u015fi"),
    "alef-hamza": ("\u0623\u0646", "\u0627\u0646"), "alef-below": ("\u0625\u0646", "\u0627\u0646"),
    "alef-madda": ("\u0622\u0646", "\u0627\u0646"), "alef-wasla": ("\u0671\u0646", "\u0627\u0646"),
    "teh-marbuta": ("\u0633\u0646\u0629", "\u0633\u0646\u0647"),
    "yeh": ("\u0639\u0644\u0649", "\u0639\u0644\u064a"), "farsi-yeh": ("\u0639\u0644\u06cc", "\u0639\u0644\u064a"),
    "kaf": ("\u06a9\u0644", "\u0643\u0644"), "waw-hamza": ("\u0645\u0624", "\u0645\u0648"),
    "harakat": ("\u0643\u064e\u062a", "\u0643\u062a"),
    "tatweel": ("\u0643\u0640\u062a", "\u0643\u062a"), "heh": ("\u06be\u0627", "\u0647\u0627"),
    "hebrew-final": ("\u05e9\u05dc\u05dd", "\u05e9\u05dc\u05de"),
    "hebrew-points": ("\u05e9\u05b8\u05dc", "\u05e9\u05dc"), "hebrew-digraph": ("\u05f0\u05d0", "\u05d5\u05d5\u05d0"),
    "tonos": ("\u03ac\u03bd", "\u03b1\u03bd"), "dialytika": ("\u03ca\u03bd", "\u03b9\u03bd"),
    "symbol": ("\u03d7\u03bd", "\u03ba\u03bd"), "small-kana": ("\u3063\u3066", "\u3064\u3066"),
    "long-mark": ("\u30bf\u30ef\u30fc", "\u30bf\u30ef"), "voiced": ("\u304b\u304d", "\u304c\u304d"),
    "half-voiced": ("\u306f\u304d", "\u3071\u304d"), "kana": ("\u304b\u306a", "\u30ab\u30ca"),
    "iteration": ("\u4eba\u3005", "\u4eba\u4eba"), "simplified": ("\u540e\u6765", "\u5f8c\u4f86"),
    "variant": ("\u56fd\u5bb6", "\u570b\u5bb6"), "compatible": ("\u8aaa\u660e", "\u8aac\u660e"),
    "numerals": ("\u4e00\u6708", "\u58f9\u6708"), "nukta": ("\u0915\u093c\u0932", "\u0915\u0932"),
    "candrabindu": ("\u0939\u093e\u0901", "\u0939\u093e\u0902"), "virama": ("\u0915\u094d\u0937", "\u0915\u0937"),
    "vowel-length": ("\u0915\u093f", "\u0915\u0940"),
    "indic-digits": ("\u0915\u0967", "\u09151"), "thai-tone": ("\u0e01\u0e48\u0e32", "\u0e01\u0e32"),
    "hangul-tense": ("\uac00\ub2e4", "\uae4c\ub2e4"), "digits-arabic": ("x\u0661", "x1"),
    "superscript-like": ("x\u02b0", "xh"), "modifier": ("\u02bboki", "oki"), "apostrophe": ("\u02bcn", "n"),
    "greek-latin": ("\u03bfn", "on"), "cyrillic-latin": ("\u0430\u0441", "ac"), "armenian-latin": ("\u0578n", "nn"),
    "ligature-ij": ("\u0133s", "ijs"), "digraph-dz": ("\u01f3a", "dza"), "long-s-like": ("\u0283a", "sa"),
    "cherokee": ("\u13a0x", "dx"),
    "plural": ("cats", "cat"), "ing": ("running", "run"), "doubled": ("letter", "leter"),
    "british": ("colour", "color"), "ise": ("realise", "realize"), "stem": ("connected", "connection"),
    "stop": ("the", "of"), "stop-german": ("der", "die"), "short": ("a", "i"),
    "soundex": ("robert", "rupert"), "metaphone": ("night", "knight"), "anagram": ("listen", "silent"),
    "vowels": ("bd", "bad"), "repeated": ("so", "soooo"), "reversed": ("abc", "cba"), "first": ("abcde1", "abcde2"),
    "number-word": ("x1", "x01"), "roman": ("xiv", "x14"),
    "underscore": ("a_b", "ab"), "underscores": ("a_b", "a__b"), "connector": ("a_b", "a\u203fb"),
    "zero-o": ("o0o", "ooo"), "one-l": ("l1l", "lll"), "surrogate": ("\U00010428a", "\U00010828a"),
    "plane": ("\U00010448a", "\u0448a"), "low-byte": ("\u0161a", "aa"), "mark": ("a\u0305", "a\u0332"),
    "enclosed": ("a\u1dc4", "a"), "class": ("\u0436\u0301", "\u0436"), "hamza": ("\u0621\u0627", "\u0627"),
    "vedic": ("\u0915\u1cd0", "\u0915"), "vietnamese": ("\u0111\u01b0\u1ee3c", "duoc"),
    "polytonic": ("\u1f00\u03bd", "\u1f01\u03bd"), "iota": ("\u03b1\u03b9", "\u03b1"),
    "seven-bits": ("\u3c31", "c01"), "seven-bits-two": ("x\u0371", "xm1"),
    "mongolian": ("\u1820\u1828", "\u1821\u1828"),
}  # fmt: skip


def spellings() -> Iterator[Draft]:
    rows = {
        slug: (against(*pair), f"two tokens that some programs take for the same: {slug}")
        for slug, pair in PAIRS.items()
    }
    yield from table("spelling/", "fingerprint", "SD-CAP-1", rows, "collision")
    turned = {
        f"{slug}-turned": (against(other, one), f"the same, turned: {slug}")
        for slug, (one, other) in PAIRS.items()
        if slug in ("yo", "ae", "alef-hamza", "tonos", "kana", "simplified", "plural", "stop")
    }
    yield from table("spelling/", "fingerprint", "SD-CAP-1", turned, "collision")


def hashes() -> Iterator[Draft]:
    rows = {
        f"hash-{name}": (against(*words), f"two tokens of one hash: {MORE_HASHES[name][0]}")
        for name, words in MORE_SAME_HASH.items()
    }
    yield from table("spelling/", "fingerprint", "SD-CAP-1", rows, "collision")


GENERATORS = (spellings, hashes)
