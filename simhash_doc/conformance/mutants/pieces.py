"""Mutants of section 2: steps that process a document in pieces and lose the state at the end of a piece."""

from __future__ import annotations

from collections.abc import Iterator

from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[start : start + size] for start in range(0, len(text), size))


class _DecodePieces(Implementation):
    size: int

    def decode_utf8(self, data: bytes) -> str:
        parts = (data[start : start + self.size] for start in range(0, len(data), self.size))
        return "".join(super(_DecodePieces, self).decode_utf8(part) for part in parts)


class _FoldPieces(Implementation):
    size: int

    def fold(self, text: str) -> str:
        return "".join(super(_FoldPieces, self).fold(part) for part in _pieces(text, self.size))


class _LinkPieces(Implementation):
    size: int

    def remove_links(self, folded: str) -> str:
        return "".join(super(_LinkPieces, self).remove_links(part) for part in _pieces(folded, self.size))


class _WordPieces(Implementation):
    size: int

    def runs(self, text: str) -> list[str]:
        return [run for part in _pieces(text, self.size) for run in super(_WordPieces, self).runs(part)]


@mutant("SD-PIECE-1", "decodes bytes in pieces of 4,096: a character across two is lost")
class PiecesDecode4096(_DecodePieces):
    size = 4096


@mutant("SD-PIECE-1", "decodes bytes in pieces of 8,192: a character across two is lost")
class PiecesDecode8192(_DecodePieces):
    size = 8192


@mutant("SD-PIECE-1", "decodes bytes in pieces of 65,536: a character across two is lost")
class PiecesDecode65536(_DecodePieces):
    size = 65_536


@mutant("SD-PIECE-1", "decodes bytes in pieces of 1,048,576: a character across two is lost")
class PiecesDecode1048576(_DecodePieces):
    size = 1_048_576


@mutant("SD-PIECE-1", "folds in pieces of 4,096 characters")
class PiecesFold4096(_FoldPieces):
    size = 4096


@mutant("SD-PIECE-1", "folds in pieces of 65,536 characters")
class PiecesFold65536(_FoldPieces):
    size = 65_536


@mutant("SD-PIECE-1", "folds in pieces of 1,048,576 characters")
class PiecesFold1048576(_FoldPieces):
    size = 1_048_576


@mutant("SD-PIECE-1", "removes links in pieces of 4,096 characters")
class PiecesLinks4096(_LinkPieces):
    size = 4096


@mutant("SD-PIECE-1", "removes links in pieces of 65,536 characters")
class PiecesLinks65536(_LinkPieces):
    size = 65_536


@mutant("SD-PIECE-1", "removes links in pieces of 1,048,576 characters")
class PiecesLinks1048576(_LinkPieces):
    size = 1_048_576


@mutant("SD-PIECE-1", "cuts words in pieces of 8,192 characters")
class PiecesWords8192(_WordPieces):
    size = 8192


@mutant("SD-PIECE-1", "cuts words in pieces of 65,536 characters")
class PiecesWords65536(_WordPieces):
    size = 65_536


@mutant("SD-PIECE-1", "cuts words in pieces of 1,048,576 characters")
class PiecesWords1048576(_WordPieces):
    size = 1_048_576


@mutant("SD-PIECE-1", "cuts words in pieces of 16,777,216 characters")
class PiecesWords16777216(_WordPieces):
    size = 16_777_216


class _Pieces(Implementation):
    """Processes each piece of a text from the first step on."""

    size: int

    def end(self, text: str) -> int:
        """Return the number of characters of the first piece."""
        return self.size

    def tokens(self, given: str | bytes) -> list[str]:
        text, found = self.read(given), []
        while len(text) > self.size:
            end = self.end(text)
            found += super().tokens(text[:end])
            text = text[end:]
        return found + super().tokens(text)


@mutant("SD-PIECE-1", "processes a text in pieces of 4,096 characters, cut anywhere")
class Pieces4096(_Pieces):
    size = 4096


@mutant("SD-PIECE-1", "processes a text in pieces of 65,536 characters, cut anywhere")
class Pieces65536(_Pieces):
    size = 65_536


@mutant("SD-PIECE-1", "processes a text in pieces of 65,536 characters, cut at white space if there is any")
class PiecesSpace65536(_Pieces):
    size = 65_536

    def end(self, text: str) -> int:
        return text.rfind(" ", 0, self.size) + 1 or self.size


@mutant("SD-PIECE-1", "processes a text in pieces that end where a word ends after 65,536 characters")
class PiecesNonword65536(_Pieces):
    size = 65_536

    def end(self, text: str) -> int:
        return next((i for i in range(self.size, len(text)) if not self.is_word(text[i])), len(text))


@mutant("SD-PIECE-1", "processes a text line by line, in a buffer of 1,024 characters")
class PiecesLines1024(_Pieces):
    size = 1024

    def end(self, text: str) -> int:
        return text.find("\n", 0, self.size) + 1 or self.size


class _UnitPieces(_Pieces):
    """Cuts between UTF-16 units, so that a surrogate pair may be split."""

    def tokens(self, given: str | bytes) -> list[str]:
        units, found = self.read(given).encode("utf-16-be"), []
        for start in range(0, len(units), 2 * self.size):
            part = units[start : start + 2 * self.size].decode("utf-16-be", "surrogatepass")
            found += Implementation.tokens(self, part)
        return found


@mutant("SD-PIECE-1", "processes a text in pieces of 65,536 UTF-16 units, which part pairs")
class PiecesSurrogates65536(_UnitPieces):
    size = 65_536
