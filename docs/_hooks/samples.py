"""Build a live sample of each HTML report, and show it where `<!-- sample: NAME -->` stands.

The commands write the samples during the build, from documents of the repository and from texts of this file. So a
sample is never older than the code.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from types import MappingProxyType

from click.testing import CliRunner
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url

from simhash_doc import fingerprint
from simhash_doc.cli import cli

ROOT = Path(__file__).parents[2]
_MARK = re.compile(r"<!-- sample: ([a-z-]+) -->")
_FOLDER = "samples"


@dataclass(frozen=True, slots=True)
class Sample:
    """A report.

    Attributes:
        command: the arguments; the command runs in a folder of its own.
        title: what it shows, in a few words.
        files: the files of this folder: a text, or the file of the repository that is copied.
    """

    command: tuple[str, ...]
    title: str
    files: Mapping[str, str | Path] = field(default_factory=dict)


_ARTICLES = ROOT / "conformance/vectors/extraction"
_REPORT = "report.html"
Edits = Mapping[str, str]
"""Passages of a text, and what replaces each."""
_DRAFT: Edits = {
    "Before the railway reached the estuary": "Before the railway reached it",
    "was a hinged oak gate": "was an oak gate",
    "a few hours of stored ocean": "a few hours of stored water",
    "Nobody could grind corn": "None could grind corn",
    "The margin is more talkative than the columns.": "The margin says more than the columns.",
    "Steam did not kill the mill; mud did.": "Mud, not steam, killed the mill.",
    "The court did not believe him, visited": "The court doubted it, visited",
}
_CORRECTED: Edits = {"dry summer of 1868": "dry summer of 1886"}
_REVISED: Edits = {
    "apparurent au large": "parurent au large",
    "Toute la flottille rentrait": "La flottille entière rentrait",
    "une ombre qui semblait respirer": "une ombre qui respirait",
    "À minuit, tous étaient au port.": "À minuit, ils étaient tous rentrés.",
    "Les nuits claires, en rentrant, il comptait": "Quand il rentrait, les nuits claires, il comptait",
}
_NOTICE = (
    "The ferry to Saltmarsh does not sail from {} to {} March, because the pier is repaired. A bus leaves the market "
    "at eight, at noon and at five. Tickets for the ferry are valid on the bus. Bicycles stay in the shed of the "
    "harbour office, which is open every morning. We ask all passengers for their patience."
)
_RELAUNCH = (
    "Welcome aboard. Choose your crossing, pay with any card, and show the code on your telephone at the gate. Season "
    "passes, group fares and gift vouchers are sold in our new shop. Dogs travel free, and coffee is served on deck "
    "from spring until the last regatta of autumn."
)


def edited(text: str, edits: Edits) -> str:
    """Return a text with its edits.

    Raises:
        ValueError: it does not contain a passage once.
    """
    for old, new in edits.items():
        if text.count(old) != 1:
            raise ValueError(f"{old!r} is {text.count(old)} times in the text, not once")
        text = text.replace(old, new)
    return text


def _article(name: str, edits: Edits = MappingProxyType({})) -> str:
    return edited((_ARTICLES / f"{name}-article.txt").read_text(encoding="utf-8"), edits)


def _documents() -> dict[str, str | Path]:
    """Return a folder as people keep it: formats and copies of articles, a draft, corrections, notices."""
    copied = ["tide-mill.docx", "tide-mill.txt", "phare.odt", "protokolle.md", "protokolle.rtf", "chaguan.docx"]
    files: dict[str, str | Path] = {name: _ARTICLES / name.replace(".", "-article.") for name in copied}
    return {f"articles/{name}": content for name, content in files.items()} | {
        "articles/protokolle (copy).md": _ARTICLES / "protokolle-article.md",
        "articles/tide-mill.pdf": _ARTICLES / "tide-mill-one-column.pdf",
        "articles/tide-mill-draft.txt": _article("tide-mill", _DRAFT),
        "articles/tide-mill-corrected.txt": _article("tide-mill", _CORRECTED),
        "articles/phare-revised.txt": _article("phare", _REVISED),
        "articles/notice-2025.txt": _NOTICE.format(3, 14),
        "articles/notice-2026.txt": _NOTICE.format(9, 20),
    }


def _rows() -> Iterator[str]:
    """Yield rows of a table: bills of one form, and the paragraphs of two articles, as they are and as edited."""
    bill = (
        "Bill number {} for the delivery of {} boxes of apples to the school kitchen. The amount of {} crowns is due "
        "within thirty days of the date of this bill. Please name the number of the bill with your payment."
    )
    for at in range(1, 13):
        yield bill.format(f"2026-{at:03}", 4 * at, 38 * at)
    yield bill.format("2026-007", 28, 266).replace("Please name", "Kindly name")
    for name, edits in (("tide-mill", _DRAFT), ("phare", _REVISED)):
        paragraphs, drafts = (_article(name, some).split("\n\n") for some in ({}, edits))
        for paragraph, draft in zip(paragraphs, drafts, strict=True):
            yield paragraph
            if draft != paragraph:
                yield from (draft, paragraph) if len(draft) > 500 else (draft,)


def _captures() -> Iterator[str]:
    """Yield lines of an annotated index: pages of a web site each spring and autumn, with a capture of each kind."""
    bus = {"at eight, at noon": "at seven, at noon"}
    free = {"Tickets for the ferry are valid on the bus.": "The bus is free, and dogs are welcome at the back of it."}
    storm = {free["Tickets for the ferry are valid on the bus."]: "In a storm the bus waits as well."}
    pages: dict[str, tuple[str, Sequence[Edits]]] = {
        "ferry": (_NOTICE.format(9, 20), ({}, bus, {}, free, storm, {}, {})),
        "mill": (_article("tide-mill"), ({}, {}, _CORRECTED, {}, _DRAFT, {}, {})),
        "harbour": (_article("tide-mill").partition("Voices")[2], ({},) * 7),
    }
    for name, (text, versions) in pages.items():
        for at, edits in enumerate(versions):
            text = edited(text, edits)
            is_revisit = name == "ferry" and at == 6
            yield _capture(name, at, text, {"mime": "warc/revisit"} if is_revisit else {})
    yield _capture("ferry", 7, _RELAUNCH, {})
    yield _capture("ferry", 8, _RELAUNCH[:100], {"simhash_incomplete": "the record is truncated"})
    yield _capture("mill", 7, "Page not found", {"simhash_warning": "error-page"})


def _capture(page: str, at: int, text: str, members: dict[str, str]) -> str:
    record = {"url": f"https://ferry.example/{page}", "status": "200", "simhash": str(fingerprint(text, "sd256"))}
    return f"example,ferry)/{page} {2022 + at // 2}{'0902' if at % 2 else '0410'}120000 {json.dumps(record | members)}"


def _lines(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


SAMPLES = {
    "dedupe": Sample(
        ("dedupe", "articles", "--html", _REPORT, "-o", "clusters.jsonl"),
        "A <code>dedupe</code> report: which documents in a folder to keep",
        _documents(),
    ),
    "table-dedupe": Sample(
        ("table", "dedupe", "texts.jsonl", "-o", "kept.jsonl", "--html", _REPORT),
        "A <code>table dedupe</code> report: it leaves out edited passages, and keeps bills because of their numbers",
        {"texts.jsonl": _lines(json.dumps({"text": text}) for text in _rows())},
    ),
    "archive-changes": Sample(
        ("archive", "changes", "annotated.cdxj", "-o", _REPORT),
        "An <code>archive changes</code> report: when the words of a page changed",
        {"annotated.cdxj": _lines(sorted(_captures()))},
    ),
    "conformance": Sample(
        (
            *("conformance", "run", "--quick", "--html", _REPORT, "--", sys.executable, "-m", "simhash_doc"),
            *("conformance", "adapter", "--mutant", "cap-seven"),
        ),
        "A <code>conformance run</code> report: an implementation that counts a token at most seven times",
    ),
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, sample in SAMPLES.items():
        files.append(File.generated(config, f"{_FOLDER}/{name}.html", content=written(sample)))
    return files


def written(sample: Sample) -> str:
    """Return the report that the command of a sample writes."""
    with TemporaryDirectory() as folder, chdir(folder):
        for name, content in sample.files.items():
            Path(name).parent.mkdir(exist_ok=True)
            Path(name).write_bytes(content.read_bytes() if isinstance(content, Path) else content.encode())
        result = CliRunner().invoke(cli, sample.command, prog_name="simhash-doc")
        if not Path(_REPORT).exists() or "pip install" in result.output:
            raise RuntimeError(f"{' '.join(sample.command)} wrote no report: {result.output} {result.exception}")
        return Path(_REPORT).read_text(encoding="utf-8")


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    def figure(match: re.Match[str]) -> str:
        title = SAMPLES[match[1]].title
        address = get_relative_url(f"{_FOLDER}/{match[1]}.html", page.file.url)
        return (
            f'<figure class="sample"><a href="{address}"><span class="sample-frame" aria-hidden="true">'
            f'<iframe src="{address}" loading="lazy" tabindex="-1" title="sample"></iframe></span>'
            f"<figcaption>{title}. Open the sample</figcaption></a></figure>"
        )

    return _MARK.sub(figure, markdown)
