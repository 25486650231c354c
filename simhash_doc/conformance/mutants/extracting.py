"""Wrong ports of section 20, extraction. They take the parts that the suite knows, and put them together wrongly."""

from __future__ import annotations

from simhash_doc.conformance.extraction import Part, Truth
from simhash_doc.conformance.mutants import wrong
from simhash_doc.conformance.steps import Steps


class _Extractor(Steps):
    extracts = True


class _Drops(_Extractor):
    roles: tuple[str, ...] = ()

    def is_content(self, part: Part) -> bool:
        return super().is_content(part) and part.role not in self.roles


class _Keeps(_Extractor):
    roles: tuple[str, ...] = ()

    def is_content(self, part: Part) -> bool:
        return super().is_content(part) or part.role in self.roles


@wrong("SD-EXTRACT-1", "you keep the title and headings, and leave out the rest of the text: an outline")
class ExtractOutline(_Extractor):
    def is_content(self, part: Part) -> bool:
        return part.role in ("title", "heading")


@wrong("SD-EXTRACT-1", "you keep only the beginning of a document")
class ExtractBeginning(_Extractor):
    def extract(self, document: bytes, name: str | None) -> str:
        return super().extract(document, name)[:1000]


@wrong("SD-EXTRACT-1", "you leave out code")
class ExtractWithoutCode(_Drops):
    roles = ("code",)


@wrong("SD-EXTRACT-1", "you leave out list items")
class ExtractWithoutItems(_Drops):
    roles = ("item",)


@wrong("SD-EXTRACT-1", "you leave out headings and titles")
class ExtractWithoutHeadings(_Drops):
    roles = ("title", "heading")


@wrong("SD-EXTRACT-2", "you leave out figure captions")
class ExtractWithoutCaptions(_Drops):
    roles = ("caption",)


@wrong("SD-EXTRACT-2", "you leave out tables")
class ExtractWithoutTables(_Drops):
    roles = ("table",)


@wrong("SD-EXTRACT-2", "you keep the titles of tables and leave out their cells")
class ExtractWithoutCells(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        return part.text.split("\n", 1)[0] if part.role == "table" else super().part_text(part, truth)


@wrong("SD-EXTRACT-3", "you leave out quoted text")
class ExtractWithoutQuotes(_Drops):
    roles = ("quote",)


@wrong("SD-EXTRACT-4", "you leave out reference lists")
class ExtractWithoutReferences(_Drops):
    roles = ("reference",)


@wrong("SD-EXTRACT-4", "you leave out footnotes")
class ExtractWithoutFootnotes(_Drops):
    roles = ("footnote",)


@wrong("SD-EXTRACT-5", "you keep scripts and style sheets as if they were text")
class ExtractScripts(_Keeps):
    roles = ("script", "style")


@wrong("SD-EXTRACT-5", "you keep metadata as if it were text")
class ExtractMetadata(_Keeps):
    roles = ("metadata",)


@wrong("SD-EXTRACT-5", "you keep text that was deleted and is only in the history of changes")
class ExtractDeleted(_Keeps):
    roles = ("deleted text",)


@wrong("SD-EXTRACT-6", "you keep the navigation of pages")
class ExtractNavigation(_Keeps):
    roles = ("navigation",)


@wrong("SD-EXTRACT-6", "you keep sidebars, and the boxes of related articles")
class ExtractSidebars(_Keeps):
    roles = ("sidebar",)


@wrong("SD-EXTRACT-6", "you keep banners and notices, such as those about cookies")
class ExtractBanners(_Keeps):
    roles = ("banner",)


@wrong("SD-EXTRACT-6", "you keep the footers of sites")
class ExtractFooters(_Keeps):
    roles = ("footer",)


@wrong("SD-EXTRACT-6", "you keep the comments of readers, or those in the mark-up")
class ExtractComments(_Keeps):
    roles = ("comments",)


@wrong("SD-EXTRACT-6", "you take the text of the whole page")
class ExtractWholePage(_Keeps):
    roles = ("navigation", "sidebar", "banner", "footer", "comments")


@wrong("SD-EXTRACT-7", "you keep running heads")
class ExtractRunningHeads(_Keeps):
    roles = ("running head",)


@wrong("SD-EXTRACT-7", "you keep the breaks of words at line ends")
class ExtractHyphens(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        text = super().part_text(part, truth)
        for word, pieces in truth.broken.items():
            if "- " in pieces:
                text = text.replace(word, pieces)
        return text


@wrong("SD-EXTRACT-8", "you put spaces between the runs of a paragraph, so that they cut words")
class ExtractRunsApart(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        text = super().part_text(part, truth)
        for word, pieces in truth.broken.items():
            if "- " not in pieces:
                text = text.replace(word, pieces)
        return text


@wrong("SD-EXTRACT-8", "you put the cells of a table together without a space")
class ExtractCellsJoined(_Extractor):
    def part_text(self, part: Part, truth: Truth) -> str:
        return super().part_text(part, truth).replace("\t", "")


@wrong("SD-EXTRACT-8", "you lose the white space at line ends and between paragraphs")
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


@wrong("SD-EXTRACT-9", "you read every document as ISO 8859-1")
class ExtractLatin1(_Decodes):
    encoding = "latin-1"


@wrong("SD-EXTRACT-9", "you read every document as UTF-8, whatever it declares")
class ExtractUtf8(_Decodes):
    encoding = "utf-8"


@wrong("SD-EXTRACT-9", "you believe what a document declares, even where its bytes are UTF-8")
class ExtractDeclared(_Decodes):
    def encoding_of(self, truth: Truth) -> str:
        return truth.declared


@wrong("SD-EXTRACT-10", "you take the medium from the name of a file")
class ExtractByName(_Extractor):
    def extract(self, document: bytes, name: str | None) -> str:
        if name is None or name.endswith((".txt", ".md")) or "." not in name:
            return document.decode("utf-8", "replace")
        return super().extract(document, name)


@wrong("SD-EXTRACT-11", "you give an empty text for a document that has none")
class ExtractEmpty(_Extractor):
    def no_text(self) -> str:
        return ""
