"""Pieces of text on which implementations often differ. Generated texts are built from them."""

FRAGMENTS = [
    *"aAzZ09_ \t\n.,:@/-'’",
    "http://", "www.", "a.example", "ann@", "doi:", "10.1000/1", "0123456789abcdef" * 2,
    "123e4567-e89b-12d3-a456-426614174000",
    *"éÉßﬁİıΣςǰΐ²Å",  # fold to several, to ASCII, or compose
    *"\u0301\u0316\u0345\u0338\u0308\u3099\u0f71\u0f72\u1dca",  # marks in several combining classes
    "\u0301" * 27, "\u0301\u0316" * 14, "\u0301" * 31,
    *"\u00ad\u200b\u200d\ufeff\ufe0f\u034f\U000e0041",  # default-ignorable
    *"\u1100\u1161\u11a8가각",  # Hangul jamo and syllables
    *"東京タワーひｶﾞ々〇。、",
    *"ภาษาລາວខ្មែမြန်",
    *"हिन्दीবাংলা",
    *"\u2040‿＿",  # connectors
    *"\U0001d400\U00020000\U0001e900\U0001f600",  # supplementary planes
    *"\u0378\U0001e6c0\U000efffe\uffff\ufffd\ue000",  # unassigned, non-characters, private use
]  # fmt: skip
