"""Mutants of section 3, input."""

from __future__ import annotations

import re

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant


@mutant("SD-INPUT-1", "reads bytes as Latin-1 (or Windows-1252) instead of UTF-8")
class ReadLatin1(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("latin-1")


@mutant(
    "SD-INPUT-1",
    "keeps the byte order mark as part of the text",
    equivalent="U+FEFF is default-ignorable, so folding removes it wherever it stands",
)
class ReadKeepsBom(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("utf-8", "replace")


@mutant("SD-INPUT-1", "strips all of the bytes EF, BB and BF at the start (lstrip)")
class BomLstripSet(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        return super().decode_utf8(data.lstrip(b"\xef\xbb\xbf") if data.startswith(b"\xef\xbb\xbf") else data)


@mutant("SD-INPUT-2", "drops ill-formed bytes, so that words on both sides join")
class ReadDropsIllFormed(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("utf-8", "ignore")


@mutant("SD-INPUT-2", "replaces each ill-formed byte, not each maximal subpart, by U+FFFD")
class ReadReplacesEachByte(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        kept = data.decode("utf-8", "surrogateescape")
        return re.sub("[\udc80-\udcff]", "\ufffd", kept)


@mutant("SD-INPUT-2", "replaces a complete ill-formed stretch by a single U+FFFD")
class ReadReplacesStretch(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        kept = data.decode("utf-8", "surrogateescape")
        return re.sub("[\udc80-\udcff]+", "\ufffd", kept)


@mutant("SD-INPUT-2", "accepts encoded surrogates (CESU-8, WTF-8) as one ill-formed part each")
class ReadAcceptsEncodedSurrogates(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        return data.decode("utf-8", "surrogatepass") if b"\xed" in data else super().decode_utf8(data)

    def read(self, given: str | bytes) -> str:
        try:
            return self.scalar_values(super().read(given))
        except UnicodeDecodeError:
            return super().decode_utf8(bytes(given)) if isinstance(given, bytes) else given


@mutant("SD-INPUT-2", "accepts overlong sequences such as C0 AF")
class ReadAcceptsOverlong(Implementation):
    def decode_utf8(self, data: bytes) -> str:
        plain = re.sub(rb"[\xc0\xc1][\x80-\xbf]", lambda m: bytes([(m[0][0] & 1) << 6 | m[0][1] & 0x3F]), data)
        return super().decode_utf8(plain)


@mutant("SD-INPUT-3", "drops lone surrogates instead of reading them as U+FFFD")
class SurrogateDropped(Implementation):
    def scalar_values(self, text: str) -> str:
        return re.sub("[\ud800-\udfff]", "", text)


@mutant("SD-INPUT-3", "reads each half of a surrogate pair as U+FFFD")
class SurrogatePairTorn(Implementation):
    def scalar_values(self, text: str) -> str:
        return re.sub("[\ud800-\udfff]|[\U00010000-\U0010ffff]", lambda m: "\ufffd" * (1 + (m[0] > "\uffff")), text)


@mutant("SD-INPUT-3", "loses a pair behind a lone high surrogate, too")
class SurrogateHighHighLow(Implementation):
    def scalar_values(self, text: str) -> str:
        return super().scalar_values(re.sub("[\ud800-\udbff][\U00010000-\U0010ffff]", "\ufffd", text))


@mutant("SD-SEC-1", "fingerprints only the first 65,536 characters of a document")
class ReadTruncates(Implementation):
    def read(self, given: str | bytes) -> str:
        return super().read(given)[:65_536]


@mutant("SD-SEC-1", "stops after 10,000 tokens")
class TokensTruncated(Implementation):
    def link_free_tokens(self, text: str) -> list[str]:
        return super().link_free_tokens(text)[:10_000]
