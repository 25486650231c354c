"""Wrong ports of section 3, input."""

from __future__ import annotations

import re

from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps


@wrong("SD-INPUT-1", "you read bytes as Latin-1 (or Windows-1252) instead of UTF-8")
class ReadLatin1(Steps):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("latin-1")


@wrong(
    "SD-INPUT-1",
    "you keep the byte order mark as part of the text",
    equivalent="U+FEFF is default-ignorable, so folding removes it wherever it stands",
)
class ReadKeepsBom(Steps):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("utf-8", "replace")


@wrong("SD-INPUT-2", "you drop ill-formed bytes, so that words on both sides join")
class ReadDropsIllFormed(Steps):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("utf-8", "ignore")


@wrong("SD-INPUT-2", "you replace each ill-formed byte by U+FFFD instead of each maximal subpart")
class ReadReplacesEachByte(Steps):
    def decode_utf8(self, data: bytes) -> str:
        kept = data.decode("utf-8", "surrogateescape")
        return re.sub("[\udc80-\udcff]", "\ufffd", kept)


@wrong("SD-INPUT-2", "you replace a whole ill-formed stretch by a single U+FFFD")
class ReadReplacesStretch(Steps):
    def decode_utf8(self, data: bytes) -> str:
        kept = data.decode("utf-8", "surrogateescape")
        return re.sub("[\udc80-\udcff]+", "\ufffd", kept)


@wrong("SD-INPUT-2", "your decoder accepts encoded surrogates (CESU-8, WTF-8) as one ill-formed part each")
class ReadAcceptsEncodedSurrogates(Steps):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("utf-8", "surrogatepass") if b"\xed" in data else super().decode_utf8(data)

    def read(self, given: str | bytes) -> str:
        try:
            return self.scalar_values(super().read(given))
        except UnicodeDecodeError:
            return super().decode_utf8(bytes(given)) if isinstance(given, bytes) else given


@wrong("SD-INPUT-2", "your decoder accepts overlong sequences such as C0 AF")
class ReadAcceptsOverlong(Steps):
    def decode_utf8(self, data: bytes) -> str:
        plain = re.sub(rb"[\xc0\xc1][\x80-\xbf]", lambda m: bytes([(m[0][0] & 1) << 6 | m[0][1] & 0x3F]), data)
        return super().decode_utf8(plain)


@wrong("SD-INPUT-3", "you drop lone surrogates instead of counting them as U+FFFD")
class SurrogateDropped(Steps):
    def scalar_values(self, text: str) -> str:
        return re.sub("[\ud800-\udfff]", "", text)


@wrong("SD-INPUT-3", "you count each half of a surrogate pair as U+FFFD")
class SurrogatePairTorn(Steps):
    def scalar_values(self, text: str) -> str:
        return re.sub("[\ud800-\udfff]|[\U00010000-\U0010ffff]", lambda m: "\ufffd" * (1 + (m[0] > "\uffff")), text)


@wrong("SD-SEC-1", "you fingerprint only the first 65,536 characters of a document")
class ReadTruncates(Steps):
    def read(self, given: str | bytes) -> str:
        return super().read(given)[:65_536]


@wrong("SD-SEC-1", "you stop after 10,000 tokens")
class TokensTruncated(Steps):
    def prepared_tokens(self, prepared: str) -> list[str]:
        return super().prepared_tokens(prepared)[:10_000]
