"""Section 3: bytes that programs take for a signature, a declaration or another encoding. A document is UTF-8."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, draft, table

TEXT = "one caf\u00e9 two"
# Encodings with a byte order mark, or with what stands in place of one, and the text that follows it.
MARKED = {
    "utf-32-be": "utf-32-be", "utf-32-le": "utf-32-le", "utf-16-be": "utf-16-be", "utf-16-le": "utf-16-le",
    "utf-7": "utf-7", "gb18030": "gb18030",
}  # fmt: skip
MARKS = {
    "utf-1": "f7644c", "utf-ebcdic": "dd736673", "scsu": "0efeff", "bocu-1": "fbee28", "gb18030": "84319533",
    "utf-7-8": "2b2f7638", "utf-7-9": "2b2f7639", "utf-7-plus": "2b2f762b", "utf-7-slash": "2b2f762f",
    "utf-7-ends": "2b2f76382d",
    "utf-32-be": "0000feff", "utf-32-le": "fffe0000", "utf-32-2143": "0000fffe", "utf-32-3412": "feff0000",
    "utf-16-be": "feff", "utf-16-le": "fffe", "utf-8-twice": "efbbbfefbbbf", "utf-8-as-latin-1": "c3afc2bbc2bf",
    "utf-8-cut": "efbb",
    "zero": "00", "zeros": "0000", "sub": "1a", "form-feed": "0c", "end-of-text": "04", "escape": "1b",
}  # fmt: skip
# Text in encodings without a mark, which programs guess, each with a byte that is not ASCII or a zero.
GUESSED = {
    "utf-16-le": "utf-16-le", "utf-16-be": "utf-16-be", "utf-32-le": "utf-32-le", "utf-32-be": "utf-32-be",
    "latin-1": "latin-1",
    "windows-1252": "cp1252", "windows-1251": "cp1251", "koi8-r": "koi8-r", "mac-roman": "mac-roman", "ebcdic": "cp500",
    "shift-jis": "shift-jis", "euc-jp": "euc-jp", "iso-2022-jp": "iso2022-jp", "iso-2022-kr": "iso2022-kr", "hz": "hz",
    "gbk": "gbk",
    "big5": "big5", "euc-kr": "euc-kr", "gb18030": "gb18030", "windows-1255": "cp1255", "tis-620": "tis-620",
    "utf-7": "utf-7",
}  # fmt: skip
WORDS = {
    "latin-1": "one caf\u00e9", "windows-1252": "\u201cone\u201d \u20ac", "windows-1251": "\u043e\u0434\u0438\u043d",
    "koi8-r": "\u043e\u0434\u0438\u043d",
    "mac-roman": "caf\u00e9 \u201cx\u201d", "hz": "\u4e2d\u6587", "windows-1255": "\u05e9\u05dc\u05d5\u05dd",
    "tis-620": "\u0e44\u0e17\u0e22", "euc-kr": "\ud55c\uad6d\uc5b4",
    "iso-2022-kr": "\ud55c\uad6d\uc5b4",
}  # fmt: skip
# What these programs make of the text "one two".
PACKED = {
    "gzip": "1f8b0800000000000203cbcf4b552829cf07002f8907cd07000000", "zlib": "789ccbcf4b552829cf07000ad602bd",
    "bzip2": "425a6839314159265359818432890000019180400002018480200021800c013835dc5dc914e142420610ca24",
    "deflate": "cbcf4b552829cf0700",
    "xz": "fd377a585a000004e6d6b4460200210116000000742fe5a30100066f6e652074776f0000383264958b58237c00011f07162eb8731fb6f37d010000000004595a",
}  # fmt: skip
WRITTEN = {
    "base64": "b25lIHR3byB0aHJlZQ==",
    "hexadecimal": "6f6e652074776f",
    "percent": "one%20two",
    "base85": "Z*pZJbY*gGVQgu7WguMx",
}
# The first bytes of file formats, of the MIME Sniffing Standard and of others.
MAGIC = {
    "gzip-head": "1f8b08", "zip": "504b0304", "zip-empty": "504b0506", "rar": "526172211a0700",
    "seven-zip": "377abcaf271c",
    "zstd": "28b52ffd", "lz4": "04224d18", "compress": "1f9d90", "png": "89504e470d0a1a0a", "gif": "474946383961",
    "jpeg": "ffd8ff",
    "tiff-le": "49492a00", "tiff-be": "4d4d002a", "webp": "524946461400000057454250", "icon": "00000100",
    "windows": "4d5a9000",
    "elf": "7f454c46", "class": "cafebabe", "wasm": "0061736d01000000", "sqlite": "53514c69746520666f726d6174203300",
    "ole": "d0cf11e0a1b11ae1", "pickle": "80049508", "cbor": "d9d9f7", "ogg": "4f67675300", "mp3": "494433",
    "mp4": "0000001866747970",
    "tar-name": "6e616d65000000", "pem": "2d2d2d2d2d424547494e20582d2d2d2d2d0a",
}  # fmt: skip
# What the first line of a text may declare about its encoding or its kind.
DECLARED = {
    "xml-latin-1": '<?xml version="1.0" encoding="iso-8859-1"?>caf\u00e9',
    "xml-utf-16": '<?xml version="1.0" encoding="utf-16"?>caf\u00e9',
    "xml-ebcdic": '<?xml version="1.0" encoding="ibm037"?>caf\u00e9',
    "xml-single": "<?xml version='1.0' encoding='windows-1251'?>caf\u00e9",
    "xml-space": ' <?xml version="1.0" encoding="iso-8859-1"?>caf\u00e9',
    "meta": '<meta charset="iso-8859-1">caf\u00e9',
    "meta-content": '<meta http-equiv="Content-Type" content="text/html; charset=windows-1252">caf\u00e9',
    "doctype": "<!DOCTYPE html>caf\u00e9",
    "css": '@charset "iso-8859-1";\ncaf\u00e9', "coding": "# -*- coding: latin-1 -*-\ncaf\u00e9",
    "shebang": "#!/bin/sh\n# coding=latin-1\ncaf\u00e9",
    "vim": "caf\u00e9\n# vim: set fileencoding=latin1 :",
    "header": "Content-Type: text/plain; charset=iso-8859-1\n\ncaf\u00e9",
    "transfer": "Content-Transfer-Encoding: base64\n\nb25l",
    "quoted": "Content-Transfer-Encoding: quoted-printable\n\none=C3=A9",
    "word": "=?iso-8859-1?Q?caf=E9?= one", "word-base64": "=?utf-8?B?b25l?= two",
    "base64": "data:text/plain;base64,b25l caf\u00e9",
    "uuencode": "begin 644 a\n#86)C\n`\nend\ncaf\u00e9", "yenc": "=ybegin line=128 size=3 name=a\ncaf\u00e9",
    "rtf": "{\\rtf1\\ansi caf\\'e9}",
    "pdf": "%PDF-1.7\ncaf\u00e9", "postscript": "%!PS-Adobe-3.0\ncaf\u00e9",
    "tex": "\\usepackage[latin1]{inputenc}\ncaf\u00e9",
    "json": '{"a": "caf\\u00e9"}', "punycode": "xn--caf-dma one", "perl": "use utf8;\ncaf\u00e9",
    "po": '"Content-Type: text/plain; charset=latin1\\n"\ncaf\u00e9',
    "sgml": "<!SGML charset latin1>caf\u00e9", "html-utf-16": '<meta charset="utf-16">caf\u00e9',
    "mbox": "From a Mon Jan 1\nSubject: x\n\ncaf\u00e9",
}  # fmt: skip
# Code units of UTF-16 whose order a mark, or their values, seem to tell.
UNITS = {
    "swapped-mark": "fffe61006200", "swapped-mark-only": "fffe", "swapped": "61006200", "mark": "feff00610062",
    "mark-twice": "fefffeff0061",
    "swapped-inside": "0061fffe6200", "swapped-space": "20006100", "swapped-markup": "3c003f007800",
    "mark-32": "0000feff00000061",
    "mark-32-swapped": "fffe00006100", "zeros": "000000610000", "utf-8-mark": "00ef00bb00bf0061",
    "utf-8-bytes": "006300c300a9", "sub": "0061001a0062",
}  # fmt: skip


def _bytes(start: str, rows: dict[str, tuple[bytes, str]]) -> Iterator[Draft]:
    for slug, (data, comment) in rows.items():
        flags = ("bytes", "text")
        yield draft(f"sniffed/{start}{slug}", "fingerprint", "SD-INPUT-1", comment, *flags, bytes=data.hex())


def encoded() -> Iterator[Draft]:
    rows = {}
    for slug, mark in MARKS.items():
        data = bytes.fromhex(mark)
        rows[slug] = (data + b"a b", f"bytes that mark {slug} somewhere, before ASCII")
        if slug in MARKED:
            rows[f"{slug}-text"] = (data + TEXT.encode(MARKED[slug]), f"{slug} with its mark")
        rows[f"{slug}-end"] = (b"a b" + data + b"c", f"the bytes that mark {slug} inside of a text")
    rows["utf-7-text"] = (b"+/v8-caf+AOk- x", "UTF-7 with its mark")
    yield from _bytes("mark-", rows)
    guessed = {
        slug: (WORDS.get(slug, "one caf\u00e9" if slug.startswith(("utf", "ebcdic")) else "\u6771\u4eac").encode(codec),
        f"text in {slug}, without a mark")
        for slug, codec in GUESSED.items()
    }  # fmt: skip
    yield from _bytes("guessed-", guessed)


def marks() -> Iterator[Draft]:
    """Marks that become no token, in the folded text."""
    rows = {
        slug: ((bytes.fromhex(MARKS[slug]) + b"a").hex(), f"the mark of {slug}, folded") for slug in ("scsu", "bocu-1")
    }
    yield from table("sniffed/folded-", "fold", "SD-INPUT-1", rows, "bytes", member="bytes")
    row = {"swapped-mark": (UNITS["swapped-mark"], "a swapped mark, folded")}
    yield from table("sniffed/folded-", "fold", ("SD-INPUT-1", "SD-INPUT-3"), row, "surrogates", member="utf16")


def formats() -> Iterator[Draft]:
    packed = {slug: (bytes.fromhex(data), f"what {slug} makes of a text") for slug, data in PACKED.items()}
    yield from _bytes("packed-", packed)
    packed = {slug: (data.encode(), f"what {slug} makes of a text") for slug, data in WRITTEN.items()}
    yield from _bytes("packed-", packed)
    rows = {
        slug: (bytes.fromhex(magic) + b" a b", f"the first bytes of a file format: {slug}")
        for slug, magic in MAGIC.items()
    }
    yield from _bytes("magic-", rows)
    declared = {slug: (text.encode(), f"a declaration inside the bytes: {slug}") for slug, text in DECLARED.items()}
    yield from _bytes("declared-", declared)
    data = b'<?xml version="1.0" encoding="iso-8859-1"?>caf\xe9'
    yield from _bytes("declared-", {"xml-true": (data, "a declaration that the bytes follow")})
    data = b'<meta charset="windows-1252">\x93caf\xe9\x94'
    yield from _bytes("declared-", {"meta-true": (data, "a declaration that the bytes follow")})


def controls() -> Iterator[Draft]:
    """Each control byte inside of a text."""
    codes = [*range(1, 0x20), 0x7F]
    data = b" ".join(b"a%cb w%c" % (code, 0x60 + code % 26) for code in codes)
    yield from _bytes(
        "control-", {"all": (data, "every control byte in a text"), "nul": (b"a\0b \0c", "bytes of value 0")}
    )
    for code in (0x04, 0x0C, 0x1A, 0x1B):
        rows = {f"{code:02x}": (b"one" + bytes([code]) + b"two", f"the control byte {code:02X}, which ends some texts")}
        yield from _bytes("control-", rows)


def units() -> Iterator[Draft]:
    rows = {slug: (units, f"code units that look swapped, or like a mark: {slug}") for slug, units in UNITS.items()}
    yield from table("sniffed/units-", "fingerprint", ("SD-INPUT-1", "SD-INPUT-3"), rows, "surrogates", member="utf16")


GENERATORS = (encoded, marks, formats, controls, units)
