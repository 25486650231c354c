"""Mutants of section 20, extraction. They assemble the known parts of the suite's documents wrongly."""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile

from simhash_doc.conformance.extraction import Part, Truth
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.mutants import mutant


class _Extractor(Implementation):
    undeclared = frozenset()


class _Drops(_Extractor):
    roles: tuple[str, ...] = ()

    def is_content(self, part: Part) -> bool:
        return super().is_content(part) and part.role not in self.roles


class _Keeps(_Extractor):
    roles: tuple[str, ...] = ()

    def is_content(self, part: Part) -> bool:
        return super().is_content(part) or part.role in self.roles


@mutant("SD-EXTRACT-1", "keeps the title and headings, and omits the rest of the text")
class ExtractOutline(_Extractor):
    def is_content(self, part: Part) -> bool:
        return part.role in ("title", "heading")


@mutant("SD-EXTRACT-1", "keeps only the beginning of a document")
class ExtractBeginning(_Extractor):
    def extract(self, document: bytes, name: str | None) -> str:
        return super().extract(document, name)[:1000]


@mutant("SD-EXTRACT-1", "omits code")
class ExtractWithoutCode(_Drops):
    roles = ("code",)


@mutant("SD-EXTRACT-1", "omits list items")
class ExtractWithoutItems(_Drops):
    roles = ("item",)


@mutant("SD-EXTRACT-1", "omits headings and titles")
class ExtractWithoutHeadings(_Drops):
    roles = ("title", "heading")


@mutant("SD-EXTRACT-2", "omits figure captions")
class ExtractWithoutCaptions(_Drops):
    roles = ("caption",)


@mutant("SD-EXTRACT-2", "omits tables")
class ExtractWithoutTables(_Drops):
    roles = ("table",)


@mutant("SD-EXTRACT-2", "keeps the titles of tables and omits their cells")
class ExtractWithoutCells(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        return part.text.split("\n", 1)[0] if part.role == "table" else super().part_text(part, truth)


@mutant("SD-EXTRACT-3", "omits quoted text")
class ExtractWithoutQuotes(_Drops):
    roles = ("quote",)


@mutant("SD-EXTRACT-4", "omits reference lists")
class ExtractWithoutReferences(_Drops):
    roles = ("reference",)


@mutant("SD-EXTRACT-4", "omits footnotes")
class ExtractWithoutFootnotes(_Drops):
    roles = ("footnote",)


@mutant("SD-EXTRACT-5", "keeps scripts and style sheets as if they were text")
class ExtractScripts(_Keeps):
    roles = ("script", "style")


@mutant("SD-EXTRACT-5", "keeps metadata as if it were text")
class ExtractMetadata(_Keeps):
    roles = ("metadata",)


@mutant("SD-EXTRACT-5", "keeps deleted text, which is only in the history of changes")
class ExtractDeleted(_Keeps):
    roles = ("deleted text",)


@mutant("SD-EXTRACT-5", "keeps hidden text, such as that of a dialog that a script shows")
class ExtractHidden(_Keeps):
    roles = ("hidden text",)


@mutant("SD-EXTRACT-5", "omits the text in closed panels, which a reader opens, as if it were hidden text")
class ExtractPanels(_Extractor):
    def assembled(self, truth: Truth) -> str:
        # The pages with panels are those with hidden text, and each section but the first is in a panel.
        if any(part.role == "hidden text" for part in truth.parts):
            truth = replace(truth, parts=tuple(takewhile(lambda part: part.role != "heading", truth.parts)))
        return super().assembled(truth)


@mutant("SD-EXTRACT-6", "keeps the navigation of pages")
class ExtractNavigation(_Keeps):
    roles = ("navigation",)


@mutant("SD-EXTRACT-6", "keeps sidebars and boxes of related articles")
class ExtractSidebars(_Keeps):
    roles = ("sidebar",)


@mutant("SD-EXTRACT-6", "keeps banners and notices, such as those about cookies")
class ExtractBanners(_Keeps):
    roles = ("banner",)


@mutant("SD-EXTRACT-6", "keeps the footers of sites")
class ExtractFooters(_Keeps):
    roles = ("footer",)


@mutant("SD-EXTRACT-6", "keeps the comments of readers, or those in the markup")
class ExtractComments(_Keeps):
    roles = ("comments",)


@mutant("SD-EXTRACT-6", "extracts the text of the complete page")
class ExtractWholePage(_Keeps):
    roles = ("navigation", "sidebar", "banner", "footer", "comments")


@mutant("SD-EXTRACT-7", "keeps running heads")
class ExtractRunningHeads(_Keeps):
    roles = ("running head",)


@mutant("SD-EXTRACT-7", "keeps hyphenation at line ends")
class ExtractHyphens(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        text = super().part_text(part, truth)
        for word, pieces in truth.broken.items():
            if "- " in pieces:
                text = text.replace(word, pieces)
        return text


@mutant("SD-EXTRACT-8", "puts spaces between the runs of a paragraph, which cut words")
class ExtractRunsApart(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        text = super().part_text(part, truth)
        for word, pieces in truth.broken.items():
            if "- " not in pieces:
                text = text.replace(word, pieces)
        return text


@mutant("SD-EXTRACT-8", "joins the cells of a table without a space")
class ExtractCellsJoined(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        return super().part_text(part, truth).replace("\t", "")


@mutant("SD-EXTRACT-8", "loses the white space at line ends and between paragraphs")
class ExtractLinesJoined(_Extractor):
    def extract(self, document: bytes, name: str | None) -> str:
        return super().extract(document, name).replace("\n", "")


class _Decodes(_Extractor):
    encoding = ""

    def encoding_of(self, truth: Truth) -> str:
        return self.encoding

    def part_text(self, part: Part, truth: Truth) -> str:
        encoded = super().part_text(part, truth).encode(truth.encoding, "replace")
        return encoded.decode(self.encoding_of(truth), "replace")


@mutant("SD-EXTRACT-9", "reads every document as ISO 8859-1")
class ExtractLatin1(_Decodes):
    encoding = "latin-1"


@mutant("SD-EXTRACT-9", "reads every document as UTF-8, whatever it declares")
class ExtractUtf8(_Decodes):
    encoding = "utf-8"


@mutant("SD-EXTRACT-9", "trusts the declared encoding, even if the bytes are UTF-8")
class ExtractDeclared(_Decodes):
    def encoding_of(self, truth: Truth) -> str:
        return truth.declared


@mutant("SD-EXTRACT-10", "takes the format from the name of a file")
class ExtractByName(_Extractor):
    def extract(self, document: bytes, name: str | None) -> str:
        if name is None or name.endswith((".txt", ".md")) or "." not in name:
            return document.decode("utf-8", "replace")
        return super().extract(document, name)


@mutant("SD-EXTRACT-11", "returns an empty text for a document that has none")
class ExtractEmpty(_Extractor):
    def no_text(self) -> str:
        return ""
