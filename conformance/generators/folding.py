"""Section 4: folding."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from generators.case_builder import Draft, draft, table

ACUTE, GRAVE_BELOW = "\u0301", "\u0316"


def _named(what: str, texts: Mapping[str, str]) -> dict[str, tuple[str, str]]:
    """Return rows of texts whose comments are their names."""
    return {slug: (text, f"{what}: {slug.replace('-', ' ')}") for slug, text in texts.items()}


def case_folding() -> Iterator[Draft]:
    texts = {
        "ascii-capitals": "ABC xyz", "sharp-s": "Straße STRASSE", "capital-sharp-s": "STRAẞE", "long-s": "Waſſer",
        "final-sigma": "ΟΔΥΣΣΕΥΣ οδυσσευς", "dotted-capital-i": "İstanbul", "dotless-i": "ışık IŞIK", "kelvin": "\u212a \u212b",
        "greek-iota-subscript": "ᾳ ᾼ ῼ", "greek-dialytika": "ΐ ΰ Ϊ́", "armenian-ligature": "և ԵՒ", "n-apostrophe": "ŉ",
        "j-caron": "ǰ", "croatian-digraph": "Ǆ ǅ ǆ", "cherokee": "Ꭰ ꭰ Ᏸ ᏸ", "georgian": "Ა ა Ⴀ ⴀ", "deseret": "\U00010400\U00010428",
        "adlam": "\U0001e900\U0001e922", "osage": "\U000104b0\U000104d8", "warang-citi": "\U000118a0\U000118c0", "cyrillic": "ДОМ Ѓ Ѐ Ӂ",
        "medefaidrin": "\U00016e40\U00016e60", "vithkuqi": "\U00010570\U00010597", "old-hungarian": "\U00010c80\U00010cc0",
        "glagolitic": "Ⰰ ⰰ", "coptic": "Ⲁ ⲁ", "latin-extended-d": "Ꜣ ꜣ Ꟶ ꟶ", "mathematical": "𝐀 𝖇 𝟘",
    }  # fmt: skip
    yield from table("fold/case-", "fold", "SD-FOLD-1", _named("case folding", texts), "case")


def compatibility() -> Iterator[Draft]:
    texts = {
        "ligature-fi": "ﬁne ﬀ ﬃ ﬅ", "full-width": "ＡＢＣ１２３！", "half-width-kana": "ｶﾞｷﾞ ﾊﾟ", "circled": "① Ⓐ ㉠", "superscript": "x² n₁ ª º",
        "roman-numeral": "Ⅷ ⅳ", "fraction": "½ ⅓", "square": "㎏ ㍿ ㌔", "ligature-arabic": "ﷺ ﷲ", "presentation-arabic": "ﻣﺮﺣﺒﺎ", "presentation-hebrew": "שּׁ ﬠ ﭏ",
        "no-break-space": "a\u00a0b\u202fc", "ideographic-space": "a\u3000b", "ellipsis": "a…b", "letterlike": "ℵ ℃ № ™", "thai-am": "ำ น้ำ", "lao-am": "ຳ", "tibetan-nb": "\u0f0c",
        "cjk-compatibility": "\uf900\ufa0e\U0002f800", "cjk-radical": "⼀ ⺟", "dz-digraph": "ǳ", "micro": "µ μ", "ohm": "Ω", "angstrom": "Å", "spacing-marks": "´ ¨ ˘", "vertical-forms": "︐ ︵",
        "small-forms": "﹐ ﹫", "hangul-compatibility": "ㄱㅏ", "hangul-halfwidth": "ﾡￂ", "parenthesised": "⑴ ⒜ ㈀", "emoji-letters": "🅰 🄰", "math-arabic": "\U0001ee00\U0001ee01", "segmented-digits": "🯰🯹",
        "modifier-letters": "ʰ ᵃ ꟲ \U00010781", "ideographic-telegraph": "㏠ ㋀", "squared-hiragana": "🈀",
    }  # fmt: skip
    yield from table("fold/compat-", "fold", "SD-FOLD-1", _named("compatibility mapping", texts), "compatibility")


def ignorables() -> Iterator[Draft]:
    characters = {
        "soft-hyphen": "\u00ad", "zero-width-space": "\u200b", "zwnj": "\u200c", "zwj": "\u200d", "lrm": "\u200e", "rlm": "\u200f", "bidi-embedding": "\u202a\u202c",
        "bidi-isolate": "\u2067\u2069", "word-joiner": "\u2060", "bom": "\ufeff", "cgj": "\u034f", "variation-selector": "\ufe0f", "variation-selector-17": "\U000e0100",
        "mongolian-selector": "\u180b", "mongolian-separator": "\u180e", "hangul-filler": "\u3164", "jungseong-filler": "\u1160", "halfwidth-filler": "\uffa0", "khmer-inherent": "\u17b4",
        "invisible-times": "\u2062", "shorthand": "\U0001bca0", "musical": "\U0001d173", "tag": "\U000e0041", "language-tag": "\U000e0001", "arabic-letter-mark": "\u061c", "deprecated": "\u206a",
    }  # fmt: skip
    texts = {slug: f"in{character}side {character}edge{character}" for slug, character in characters.items()}
    yield from table("fold/ignorable-", "tokens", "SD-FOLD-1", _named("default-ignorable, removed", texts), "ignorable")
    comment = "U+FFF9 and U+0600 are format characters but not default-ignorable: they cut"
    row = {"annotation": ("a\ufff9b c\u0600d", comment)}
    yield from table("fold/not-ignorable-", "tokens", "SD-FOLD-1", row, "ignorable")


def unassigned() -> Iterator[Draft]:
    code_points = {
        "in-greek-block": "\u0378", "in-latin-extended": "\ua7dc", "plane-3-end": "\U0003fffd", "plane-4": "\U00040000", "nonchar-fffe": "\ufffe", "nonchar-fdd0": "\ufdd0",
        "nonchar-1ffff": "\U0001ffff", "new-cyrillic-16": "\u1c89", "new-garay-16": "\U00010d50", "new-latin-16": "\ua7da", "new-kirat-16": "\U00016d40", "new-cjk-17": "\U000323b0",
        "unassigned-mark-position": "\u1acf", "arabic-unassigned": "\U00010ec5",
    }  # fmt: skip
    required, flag = ("SD-FOLD-2", "SD-UNI-1"), "unicode-version"
    for slug, character in code_points.items():
        alone, cuts = _named("not assigned in 15.0", {slug: f"a{character}b"}), f"ab{character}cd {character}"
        yield from table("fold/unassigned-", "fold", required, alone, flag)
        row = {f"{slug}-cuts": (cuts, f"it cuts words: {slug.replace('-', ' ')}")}
        yield from table("fold/unassigned-", "tokens", required, row, flag)
    ignorable = {"e0000": "\U000e0000", "e0fff": "\U000e0fff", "2065": "\u2065", "fff0": "\ufff0"}
    rows = {slug: (f"a{character}b", "unassigned, but the map removes it") for slug, character in ignorable.items()}
    yield from table("fold/unassigned-ignorable-", "fold", ("SD-FOLD-1", "SD-FOLD-2"), rows, flag)
    private = {"e000": "\ue000", "f8ff": "\uf8ff", "plane-15": "\U000f0000", "plane-16": "\U0010fffd"}
    rows = {slug: (f"a{character}b", "private use is assigned: it is kept") for slug, character in private.items()}
    yield from table("fold/private-", "fold", "SD-FOLD-2", rows)
    new_in_15 = {
        "cyrillic-superscript": "\U0001e030", "kannada-sign": "\u0c95\u0cf3", "lao-mark": "\u0ead\u0ece", "kawi": "\U00011f04\U00011f34",
        "nag-mundari": "\U0001e4d0\U0001e4ec", "cjk-h": "\U00031350\U00031351", "arabic-mark": "\u0628\U00010efd", "devanagari-a": "\U00011b00",
    }  # fmt: skip
    texts = {slug: f"x{text}y {text}" for slug, text in new_in_15.items()}
    rows = _named("assigned in 15.0", texts)
    yield from table("fold/new-in-15-", "tokens", ("SD-UNI-1", "SD-RUN-1"), rows, flag)
    reorder = {
        "arabic": "\u0628\u064b\U00010efd",
        "nag-mundari": "\U0001e4d0\U0001e4ee\U0001e4ec\u0301\u0316",
        "lao": "\u0ead\u0ece\u0eb8",
    }
    rows = {slug: (text, "canonical ordering of marks that are new in 15.0") for slug, text in reorder.items()}
    yield from table("fold/reorder-new-in-15-", "fold", ("SD-UNI-2", "SD-FOLD-5"), rows, flag)


def marks() -> Iterator[Draft]:
    """The bound of 30 non-starters, on both sides and in detail."""
    for n in (1, 27, 28, 29, 30, 31, 32, 60, 61, 100):
        text = f"x{ACUTE * n}y"
        rows = {f"{n}": (text, f"{n} non-starters after a letter")}
        yield from table("fold/marks-", "fold", "SD-FOLD-4", rows, "boundary")
        rows = {f"{n}-tokens": (text, f"{n} non-starters inside a word")}
        yield from table("fold/marks-", "tokens", "SD-FOLD-4", rows, "boundary")
    both = ("SD-FOLD-3", "SD-FOLD-4")
    yield from table("fold/marks-", "fold", "SD-FOLD-4", {
        **{f"precomposed-{n}": (f"\u00e1{ACUTE * n}", f"a precomposed letter adds one to {n}", *both) for n in (29, 30)},
        **{f"two-precomposed-{n}": (f"\u01d8{GRAVE_BELOW * n}", f"a letter with two marks adds two to {n}", *both) for n in (28, 29)},
        "then-fewer": (f"a{GRAVE_BELOW * 31}b\u0301 \u00c0{GRAVE_BELOW * 30}", "31 marks, and later runs that are short enough", *both),
        "unordered": ("a" + (ACUTE + GRAVE_BELOW) * 15, "30 marks in alternating classes are reordered", "SD-FOLD-4", "SD-FOLD-5"),
        "unordered-31": ("a" + (ACUTE + GRAVE_BELOW) * 15 + ACUTE, "31 of them are too many, in any order"),
        "at-start": (ACUTE * 31 + "a", "a run at the start of the text"),
    }, "boundary")  # fmt: skip
    kinds = (("ab", "\U00010efd"), ("cd", "\u034e"), ("ef", "\u0902"))
    parts = [part for word, mark in kinds for part in (f" {word}", {"repeat": mark, "count": 31}, word)]
    comment = "31 marks that are new in 15.0, 31 times the last of a range, 31 marks of class 0"
    recipe = {"concat": parts}
    yield draft("fold/marks-of-three-kinds", "fingerprint", "SD-FOLD-4", comment, "boundary", recipe=recipe)
    row = {"only": (ACUTE * 40, "only marks")}
    yield from table("fold/marks-", "fingerprint", ("SD-FOLD-4", "SD-SUM-2"), row, "negative")
    both = ("SD-FOLD-1", "SD-FOLD-4")
    yield from table("fold/marks-", "fold", "SD-FOLD-4", {
        "two-runs": ("a" + ACUTE * 20 + "b" + ACUTE * 20, "a starter separates two runs"),
        "ignorable-between": ("a" + ACUTE * 16 + "\u034f" + ACUTE * 15, "an ignorable between marks is removed before they are counted", *both),
        "starter-marks": ("\u0915" + "\u093f" * 40, "marks of combining class 0 are starters and end a run"),
        "supplementary": ("a" + "\U0001d167" * 31 + "b" + "\U0001d167" * 30, "non-starters beyond U+FFFF"),
        "kana-voicing": ("ｶ" + "ﾞ" * 31, "half-width voicing marks become non-starters in folding"),
        "decomposing-mark": ("a" + "\u0344" * 16, "U+0344 maps to two marks, so 16 of them are 32", *both),
    }, "boundary")  # fmt: skip


def composition() -> Iterator[Draft]:
    texts = {
        "acute": "e\u0301", "ring": "A\u030a", "two-marks": "a\u0323\u0302", "reordered": "a\u0302\u0323", "blocked": "a\u0315\u0300\u05ae\u0300", "hangul-lv": "\u1100\u1161", "hangul-lvt": "\u1100\u1161\u11a8",
        "hangul-lv-t": "\uac00\u11a8", "hangul-old": "\u1140\u1161", "kana-voiced": "か\u3099", "devanagari-nukta": "\u0928\u093c", "devanagari-excluded": "\u0958", "bengali-o": "\u09c7\u09be", "tamil-o": "\u0bc6\u0bbe", "sinhala": "\u0dd9\u0dcf",
        "myanmar": "\u1025\u102e", "tibetan-vowel": "\u0f71\u0f72", "kaithi": "\U00011099\U000110ba", "balinese": "\u1b05\u1b35", "not-equal": "=\u0338", "hebrew-order": "\u05d1\u05b7\u05bc", "arabic-shadda": "\u0628\u064e\u0651", "mark-first": "\u0301a",
        "space-mark": "a \u0301b", "greek-tonos": "\u03b9\u0308\u0301", "vietnamese": "e\u0323\u0302", "after-ignorable": "e\u200d\u0301", "musical": "\U0001d157\U0001d165", "singleton-cjk": "\uf900", "across-case": "I\u0307",
        "no-composition-10041": "\U00010041\u0301", "blocked-by-starter": "a\u09be\u0316\u0301", "jamo-run": "\u1172" * 40, "jamo-compatibility-run": "\u3160" * 31, "backward-starter-run": "\u09be" * 40,
        "iota-subscript-order": "\u03b1\u0301\u0345", "grantha": "\U00011347\U0001133e", "chakma": "\U00011131\U00011127", "dives-akuru": "\U00011935\U00011930",
    }  # fmt: skip
    rows = _named("composition and canonical order", texts)
    yield from table("fold/nfc-", "fold", "SD-FOLD-5", rows, "normalization")


GENERATORS = (case_folding, compatibility, ignorables, unassigned, marks, composition)
