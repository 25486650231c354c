"""Section 6: runs, scriptio continua, the filter."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft, table


def categories() -> Iterator[Draft]:
    """One text for each General_Category that folded text can hold, kept or dropped."""
    yield from table("runs/", "tokens", "SD-RUN-1", {
        "ll": ("one two", "Ll: small letters"),
        "lu": ("ᎠᎡ Ꭲ", "Lu: Cherokee letters are capital after folding"),
        "lo": ("שלום مرحبا 한국 ქართული", "Lo: letters without case"),
        "lm": ("xˀy ʼa ـب ゞ", "Lm: modifier letters"),
        "mn": ("क्या שָׁלוֹם a\u20d0b", "Mn: non-spacing marks"),
        "mc": ("हिन्दी தமிழ் తెలుగు", "Mc: spacing marks, the vowel signs of Indic scripts"),
        "nd": ("r2d2 ३क ٣ب x\U0001d7d8", "Nd: decimal digits inside words"),
        "pc": ("snake_case under\u203ftie a\uff3fb a\u2054b", "Pc: connectors inside words"),
        "me": ("a\u0488b x\u20ddy 1\u20e3", "Me: enclosing marks separate"),
        "nl": ("a\u16eeb 二〇二四 x\u2180", "Nl: letter-like numbers separate, U+3007 among them"),
        "no": ("a\u09f4b x\u0f2ay \u2776z", "No: other numbers separate"),
        "zs": ("a b\u1680c\u2003d", "Zs: spaces separate"),
        "zl-zp": ("a\u2028b\u2029c", "Zl, Zp: line and paragraph separators"),
        "cc": ("a\u0001b\u0085c\u007fd\te\r\nf", "Cc: controls separate"),
        "cf": ("a\u0600b c\u06ddd e\U000110bdf", "Cf: format characters that are not default-ignorable separate"),
        "co": ("a\ue000b", "Co: private use separates"),
        "pd": ("well-known a\u2010b c\u2013d e\u2014f", "Pd: hyphens and dashes separate"),
        "ps-pe": ("a(b)c[d]e「f」g", "Ps, Pe: brackets separate"),
        "pi-pf": ("a«b»c “d” ‘e’", "Pi, Pf: quotation marks separate"),
        "po": ("don't can’t a.b c,d e·f g'h 3.5x", "Po: the apostrophe and its kin separate"),
        "sc": ("a$b €c ¥d", "Sc: currency signs"),
        "sk": ("a`b c^d e\u02c2f", "Sk: modifier symbols"),
        "sm": ("a+b c=d e∑f g×h", "Sm: mathematical signs"),
        "so": ("a°b c☀d e😀f \ufffdg", "So: other symbols, emoji and U+FFFD"),
        "emoji-sequence": ("a👩\u200d💻b 👍🏽 c🇫🇷d", "emoji sequences: letters and joiners do not make them words"),
        "tatweel": ("مـــرحبا", "tatweel is Lm"),
        "okina": ("ʻokina hawaiʻi", "U+02BB is Lm, a letter"),
        "geresh": ("צ׳ק צה״ל", "Hebrew punctuation separates"),
        "hangul-jamo": ("ᄀᄁ 한글", "jamo that do not compose"),
        "old-italic": ("\U00010300\U00010301 \U00010320", "letters and numbers of a supplementary plane"),
        "math-letters": ("𝐱𝐲𝐳 𝟙𝟚", "mathematical letters fold to ASCII"),
        "cuneiform": ("\U00012000\U00012400", "cuneiform letters, and a number (Nl)"),
        "egyptian": ("\U00013000\U00013001\U00013430", "hieroglyphs with a format control"),
        "line-noise": ("!\"#$%&'()*+,-./:;<=>?@[\\]^`{|}~a", "each ASCII punctuation mark"),
    }, "category")  # fmt: skip


def continua() -> Iterator[Draft]:
    yield from table("split/", "tokens", "SD-SPLIT-1", {
        "chinese": ("我们在春天去看花", "Chinese"),
        "japanese-mixed": ("東京タワーへ行きました", "kanji, katakana, hiragana are one stretch"),
        "prolonged-sound": ("スーパー ーー aーb", "U+30FC belongs to the stretch"),
        "iteration-mark": ("人々 時々 \u303b", "U+3005 is Script Han"),
        "latin-inside": ("これはPythonです", "Latin letters cut the stretch and are not split"),
        "digits-inside": ("第3章 2024年", "digits cut the stretch; alone they are no token"),
        "underscore-inside": ("東京_大阪 a_東", "connectors cut the stretch"),
        "thai": ("ภาษาไทยสวยงาม", "Thai"),
        "thai-digits": ("ปี๒๕๖๗นี้", "Thai digits are not scriptio continua"),
        "lao": ("ພາສາລາວ", "Lao"),
        "khmer": ("ភាសាខ្មែរ", "Khmer"),
        "khmer-digits": ("ឆ្នាំ២០២៤", "Khmer digits"),
        "myanmar": ("မြန်မာစာ", "Myanmar"),
        "tai-le": ("ᥖᥭᥰ", "Tai Le"),
        "new-tai-lue": ("ᦑᦺᦖᦺ", "New Tai Lue"),
        "tai-tham": ("ᨲᩫ᩠ᩅ", "Tai Tham"),
        "tai-viet": ("ꪁꪫꪱꪣ", "Tai Viet"),
        "ahom": ("\U00011700\U00011701\U00011702", "Ahom, beyond U+FFFF"),
        "hangul-not": ("한국어는 띄어쓰기", "Hangul is not scriptio continua"),
        "bopomofo-not": ("ㄅㄆㄇㄈ", "Bopomofo is not"),
        "yi-not": ("ꆈꌠꁱꂷ", "Yi is not"),
        "tibetan-not": ("བོད་ཡིག", "Tibetan is not: its syllables are set apart"),
        "javanese-not": ("ꦧꦱꦗꦮ", "Javanese is not"),
        "hiragana-marks": ("か\u3099き\u309a は\u0301な", "marks that do not compose are not scriptio continua"),
        "half-width": ("ﾊﾛｰﾜｰﾙﾄﾞ", "half-width katakana fold first"),
        "supplementary-han": ("\U00020000\U00020001\U0002a6d6", "Han beyond U+FFFF"),
        "hentaigana": ("\U0001b002\U0001b003\U0001b11f", "kana beyond U+FFFF"),
        "kanji-zero": ("一〇〇年", "U+3007 is a number (Nl): it separates"),
        "radical": ("⺀⺁ ⽔", "radicals fold to ideographs or are symbols"),
        "katakana-ext": ("ㇰㇱ", "Katakana phonetic extensions"),
        "small-blocks": ("ꧠꧡꧢ ꩠꩡꩢ ゝゞゝ ㇰㇱㇲ", "extensions of Myanmar, iteration marks, phonetic extensions"),
        "middle-dot": ("ジョン・スミス", "the middle dot separates"),
        "zero-width-space": ("ខ្ញុំ\u200bទៅ", "a zero-width space is removed and separates nothing"),
    }, "script")  # fmt: skip
    yield from table("split/", "tokens", "SD-SPLIT-2", {
        "two": ("東京", "two characters: one bigram"),
        "three": ("東京都", "three characters: two bigrams"),
        "repeated": ("ハハハハ", "repeated bigrams are all counted"),
        "thai-vowels": ("เก้าอี้", "bigrams are of code points, not of clusters"),
        "myanmar-stack": ("က္ကိုဋ်", "code points of a stacked syllable"),
        "pair-supplementary": ("\U00020000\U00020001", "one bigram of two supplementary characters"),
        "mixed-planes": ("東\U00020000京", "characters of both kinds"),
    })  # fmt: skip
    yield from table("split/", "tokens", "SD-SPLIT-3", {
        "single": ("水", "a stretch of one is kept"),
        "single-between": ("a水b 1水2", "between letters and between digits"),
        "single-supplementary": ("x\U00020000y", "one supplementary character is one code point"),
        "single-mark": ("a\u0e31b", "a lone Thai vowel sign is Alphabetic"),
        "single-tone": ("a\u0e48b", "a lone Thai tone mark is not Alphabetic"),
        "singles": ("山 川 海", "three stretches of one"),
    })  # fmt: skip


def filtering() -> Iterator[Draft]:
    yield from table("filter/", "tokens", "SD-FILTER-1", {
        "both-ends": ("_word_ __init__", "connectors at both ends, several of them"),
        "start": ("_word", "at the start"),
        "end": ("word_", "at the end"),
        "inside": ("a_b _a__b_", "inside they are kept"),
        "other-connectors": ("‿a‿ ⁀b＿ ︳c︴ ﹍d", "all connectors, compatibility forms folded"),
        "only": ("_ ___ ‿", "only connectors"),
        "with-digits": ("_1_ _1a_", "digits stay after trimming"),
        "after-split": ("x_東京_y", "trimmed after cutting: _y becomes y"),
        "mark-between": ("_\u0301_a", "a mark between connectors"),
    })  # fmt: skip
    yield from table("filter/", "tokens", "SD-FILTER-2", {
        "digits": ("42 3rd 4 x1", "digits alone are not tokens"),
        "digits-other": ("٤٢ ४२ ๔๒ 𝟜𝟚 ४क", "digits of other scripts are not tokens"),
        "digits-underscore": ("1_000 1_a", "digits with connectors are not tokens"),
        "marks-alone": ("\u0301 a\u0301 \u0483", "marks alone are not tokens"),
        "vowel-sign": ("ि \u0903", "a lone vowel sign is Alphabetic"),
        "virama": ("\u094d क\u094d", "a lone virama is not"),
        "single-letter": ("a b é я", "single letters are tokens"),
        "digit-first": ("1st ２nd ३क", "a token may begin with a digit"),
        "long": ("l" * 300 + " x", "a token of 300 letters"),
        "combining-letters": ("1\u0363 \u1dd9", "combining small letters are not Alphabetic in 15.0"),
        "modifier": ("ʰ ˈ ʼ", "modifier letters and symbols"),
        "circled-mark": ("1\u0e33 2\u0eb3", "a digit before a vowel sign"),
        "nothing": ("... 123 !", "no token left"),
    })  # fmt: skip
    none = {
        "empty": "", "spaces": " \t\n", "digits": "12 34 ٥", "connectors": "_ __", "punctuation": "?!…", "emoji": "😀 👍",
        "ignorable": "\u200b\u00ad", "marks": "\u0301\u0302",
    }  # fmt: skip
    for slug, text in none.items():
        for op, row in (
            ("fingerprint", {slug: (text, f"no token: {slug}")}),
            ("buckets", {f"{slug}-buckets": (text, f"no token, no buckets: {slug}")}),
        ):
            yield from table("filter/none-", op, "SD-SUM-2", row, "negative")
    comment = "no token in a wide scheme"
    yield draft("filter/none-wide", "fingerprint", "SD-SUM-2", comment, "negative", text="42", scheme="sd512")


GENERATORS = (categories, continua, filtering)
