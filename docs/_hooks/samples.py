"""Build a live sample of each HTML report, and show it where `<!-- sample: NAME -->` stands.

The commands write the samples during the build, from documents of the repository and from texts of this file. So a
sample is never older than the code.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

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
        command: the arguments, where OUTPUT is the report and INPUT what `rows` yields, if there is anything.
        title: what it shows, in a few words.
        ending: of the file INPUT.
        lines: the lines of INPUT.
    """

    command: tuple[str, ...]
    title: str
    ending: str = ""
    lines: tuple[str, ...] = ()


def _bills() -> Iterator[str]:
    """Yield rows of a table: bills of one form, and three letters, two of which were revised."""
    form = (
        "Bill number {} for the delivery of {} boxes of apples to the school kitchen. The amount of {} crowns is due "
        "within thirty days of the date of this bill. Please name the number of the bill with your payment."
    )
    for at in range(1, 13):
        yield form.format(f"2026-{at:03}", 4 * at, 38 * at)
    yield form.format("2026-007", 28, 266).replace("Please name", "Kindly name")
    letter = (
        "Dear members of the choir, the rehearsals begin again on the first Monday of September in the old granary "
        "behind the mill. Bring a cushion, because the chairs are hard, and a scarf, because the stove is slow. We "
        "will sing the songs of the harvest first, and try the new mass when everyone knows the old one again."
    )
    yield letter
    yield letter.replace("old granary", "old stable")
    yield letter.replace("Monday", "Tuesday").replace("slow", "late")


def _captures() -> Iterator[str]:
    """Yield lines of an annotated index: three pages of a web site, of which two changed."""
    news = (
        "The ferry to the island sails every hour in summer and every third hour in winter. Tickets are sold on board. "
        "Bicycles travel free, dogs pay half. In a storm the crossing is cancelled, and a flag is raised on the pier."
    )
    history = (
        "The town was founded by salt merchants who needed a harbour between two rivers. A fire destroyed it three "
        "times, and three times it was built again, each time a little further from the shore and in brick."
    )
    versions = {
        "ferry": (news, news, news.replace("half", "nothing"), news.replace("third", "second"), history),
        "history": (history,) * 5,
        "prices": (history + news, news + history, news, news.replace("summer", "spring"), news),
    }
    for name, texts in versions.items():
        for year, text in enumerate(texts, 2021):
            record = {
                "url": f"https://island.example/{name}",
                "status": "200",
                "simhash": str(fingerprint(text, "sd256")),
            }
            yield f"example,island)/{name} {year}0615120000 {json.dumps(record)}"


_ARTICLES = sorted(map(str, (ROOT / "conformance/vectors/extraction").glob("*-article.*")))  # those of the README
SAMPLES = {
    "dedupe": Sample(
        ("dedupe", *_ARTICLES, "--html", "OUTPUT", "-o", "REST"),
        "A report of <code>dedupe</code>: what to keep of the documents in a folder",
    ),
    "table-dedupe": Sample(
        ("table", "dedupe", "INPUT", "--html", "OUTPUT", "-o", "REST.jsonl"),
        "A report of <code>table dedupe</code>: bills are kept because of their numbers",
        ".jsonl",
        tuple(json.dumps({"id": at, "text": text}) for at, text in enumerate(_bills())),
    ),
    "archive-changes": Sample(
        ("archive", "changes", "INPUT", "-o", "OUTPUT"),
        "A report of <code>archive changes</code>: when a page changed",
        ".cdxj",
        tuple(_captures()),
    ),
    "conformance": Sample(
        (
            *("conformance", "run", "--quick", "--html", "OUTPUT", "--", sys.executable, "-m", "simhash_doc"),
            *("conformance", "adapter", "--mutant", "cap-seven"),
        ),
        "A report of <code>conformance run</code>: an implementation that counts a token seven times at most",
    ),
}


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for name, sample in SAMPLES.items():
        files.append(File.generated(config, f"{_FOLDER}/{name}.html", content=written(sample)))
    return files


def written(sample: Sample) -> str:
    """Return the report that the command of a sample writes."""
    with TemporaryDirectory() as name:
        folder = Path(name)
        source, output = folder / f"sample{sample.ending}", folder / "report.html"
        if sample.lines:
            source.write_text("\n".join(sample.lines) + "\n", encoding="utf-8")
        places = {"INPUT": source, "OUTPUT": output, "REST": folder / "rest.txt", "REST.jsonl": folder / "rest.jsonl"}
        arguments = [str(places.get(argument, argument)) for argument in sample.command]
        result = CliRunner().invoke(cli, arguments, prog_name="simhash-doc")
        if not output.exists() or "pip install" in result.output:
            raise RuntimeError(f"{' '.join(arguments)} wrote no complete report: {result.output} {result.exception}")
        return output.read_text(encoding="utf-8").replace(f"{folder}/", "").replace(f"{ROOT}/", "")


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
