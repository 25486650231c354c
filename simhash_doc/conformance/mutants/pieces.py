"""Mutants of section 2: steps that process a document in pieces and forget what a piece began."""

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
