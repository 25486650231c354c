"""One corpus, and each way in which a user leaves out its duplicates: files, a store, tables, columns, Spark."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simhash_doc import Policy, find_duplicates
from simhash_doc.duplicates.similarity import TextTokens
from simhash_doc.integrations.seen import SeenTexts
from tests.commands import run
from tests.duplicates.brute_force import brute_force, collection
from tests.extraction.samples import warc

SOURCES = ("a", "b")  # folders of files or of crawls, or tables
PLAIN = {"Content-Type": "text/plain; charset=utf-8"}

Texts = dict[str, str]

OPTIONS: dict[str, tuple[list[str], Policy]] = {
    "defaults": ([], Policy()),
    "numbers": (["--numbers", "ignore"], Policy(numbers="ignore")),
    "similarity": (["--min-similarity", "70"], Policy(min_similarity=0.7)),
    "the same text": (["--min-similarity", "100"], Policy(min_similarity=1)),
    "distance": (["--distance", "8"], Policy(distance=8)),
    "keep": (["--keep", "first"], Policy(keep="first")),
    "tokens": (["--min-tokens", "60"], Policy(min_tokens=60)),
    "protected": ([], Policy(protected=("b",))),
}
"""By name, the options of a command, and the policy that they make; what is protected has another name everywhere."""


def corpus() -> Texts:
    """Return texts by id, of both sources: copies, edits, bills, forms, lists, numbers of two scripts, short texts."""
    choose = random.Random(61)
    vocabulary = [f"{a}{b}{c}{d}" for a in "bdfgklmn" for b in "aeiou" for c in "prstvz" for d in "aeiou"]

    def words(count: int) -> list[str]:
        return choose.choices(vocabulary, k=count)

    def edited(original: list[str], count: int) -> str:
        changed = original.copy()
        for at in choose.sample(range(len(changed)), count):
            changed[at] = choose.choice(vocabulary)
        return " ".join(changed)

    texts = []
    for share in (0.02, 0.04, 0.05, 0.1, 0.2):
        for count in (50, 150):
            original = words(count)
            texts += [
                " ".join(original),
                edited(original, round(share * count)),
                " ".join(original).upper() + " indeed",
            ]
    terms = " ".join(words(80))
    texts += [f"bill {number} of {number % 5}.5.2026 {terms} total {number * 7}" for number in range(1, 13)]
    texts += [f"page 1 of 2 bill 3 of 3.5.2026 {terms} total 21", f"bill of {terms} total"]
    form = words(66)
    texts += [" ".join(f"{field} {number}" for field, number in zip(form, order, strict=True)) for order in (
        range(66), range(65, -1, -1), [0] * 66
    )]  # fmt: skip
    listed = [" ".join(words(9)) for _ in range(6)]
    texts += [" ".join(listed), " ".join(f"{number}. {one}" for number, one in enumerate(listed, 1))]
    note = f"{' '.join(words(40))} 17 "
    texts += [note, note.replace("17", "١٧"), note.replace("17", "71"), "same words twice", "same words twice", "12 34"]
    texts += [f"{note.replace('17', f'{number} mg')} ☑ yes ☐ no" for number in ("5", "0.5")]
    texts += [texts[-1].replace("☑ yes ☐", "☐ yes ☑"), " ".join(reversed(texts[-1].split())), f" {texts[-1].upper()}"]
    names = [f"{SOURCES[at % 2]}/{at:03}" for at in range(len(texts))]
    return dict(sorted(zip(names, texts, strict=True)))


TEXTS = corpus()


def has_words(text: str) -> bool:
    """Return whether a text has a token."""
    return bool(TextTokens(text).counted())


def generated(seed: int) -> dict[str, str]:
    """Return texts by id, of both sources: edits of few texts with few words and numbers, each with a word."""
    texts = [text for text in collection(seed) if has_words(text)]
    return dict(sorted((f"{SOURCES[at % 2]}/{at:03}", text) for at, text in enumerate(texts)))


def is_protected(name: str, policy: Policy) -> bool:
    """Return whether a policy protects the source of a text."""
    return name.partition("/")[0] in policy.protected


def by_brute_force(texts: Texts, policy: Policy) -> set[str]:
    """Return the ids that the definition leaves out."""
    found = brute_force([*texts.values()], policy, [is_protected(name, policy) for name in texts])
    return {name for at, name in enumerate(texts) if found[at] != at}


def write_files(folder: Path, texts: Texts) -> None:
    """Write texts as files of two folders."""
    for name, text in texts.items():
        path = folder / f"{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def write_tables(folder: Path, texts: Texts) -> list[str]:
    """Write texts as two tables of JSON lines; return their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{source}.jsonl" for source in SOURCES]
    for path in paths:
        rows = ({"id": name, "text": text} for name, text in texts.items() if name.startswith(path.stem))
        path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return [str(path) for path in paths]


def of_report(text: str) -> set[str]:
    """Return the ids of the documents that a report of clusters leaves out."""
    members = (member for line in text.splitlines() for member in json.loads(line)["documents"])
    removed = (one for one in members if one["kind"] in ("exact", "near-duplicate") and not one.get("protected"))
    return {"/".join(Path(one["path"].split("#")[-1]).with_suffix("").parts[-2:]) for one in removed}


def files(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out by `dedupe`."""
    write_files(folder / "files", texts)
    protected = [one for name in policy.protected for one in ("--never-remove", str(folder / "files" / name))]
    return of_report(run("dedupe", folder / "files", "--json", *options, *protected).stdout)


def crawl(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out captures of plain text in WARC files, in two folders, by `dedupe`."""
    pytest.importorskip("warcio")
    for source in SOURCES:
        names = [name for name in texts if name.startswith(source)]
        captured = [(f"https://example.org/{name}", texts[name].encode(), PLAIN) for name in names]
        (folder / source).mkdir()
        (folder / source / "crawl.warc.gz").write_bytes(warc(captured))
    protected = [one for name in policy.protected for one in ("--never-remove", str(folder / name))]
    return of_report(run("dedupe", folder, "--json", *options, *protected).stdout)


def store(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out by `store dedupe`."""
    pytest.importorskip("sqlalchemy")
    write_files(folder / "files", texts)
    protected = [one for name in policy.protected for one in ("--never-remove", str(folder / "files" / name))]
    command = "store", "dedupe", "--db", str(folder / "near.sqlite"), "--json"
    return of_report(run(*command, folder / "files", *options, *protected).stdout)


def tables(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out by `table dedupe`."""
    paths = write_tables(folder, texts)
    protected = [one for path in paths if Path(path).stem in policy.protected for one in ("--never-remove", path)]
    run("table", "dedupe", *paths, "-o", folder / "kept.jsonl", *options, *protected)
    return {*texts} - {json.loads(line)["id"] for line in (folder / "kept.jsonl").read_text().splitlines()}


def column(made: Callable[[list[str]], Any], texts: Texts, policy: Policy) -> set[str]:
    """Leave out by `find_duplicates`, from a column of texts."""
    protected = [is_protected(name, policy) for name in texts]
    kept = find_duplicates(made([*texts.values()]), policy=policy, protected=protected).kept.tolist()
    return {name for name, is_kept in zip(texts, kept, strict=True) if not is_kept}


def lists(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out from a list."""
    return column(list, texts, policy)


def arrow(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out from an Arrow column of several chunks."""
    pa = pytest.importorskip("pyarrow")
    return column(lambda values: pa.chunked_array([values[:9], values[9:]]), texts, policy)


def pandas(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out from a column of pandas."""
    return column(pytest.importorskip("pandas").Series, texts, policy)


def polars(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out from a column of polars."""
    return column(pytest.importorskip("polars").Series, texts, policy)


def stream(folder: Path, texts: Texts, options: list[str], policy: Policy) -> set[str]:
    """Leave out as the filters of datatrove and Scrapy do, which keep the first text, and protect none."""
    names = [*texts]
    near = SeenTexts(policy).add([*texts.values()], names)
    return {name for name, one in zip(names, near, strict=True) if one is not None}


Door = Callable[[Path, Texts, list[str], Policy], set[str]]
DOORS: dict[str, Door] = {
    door.__name__: door for door in (files, crawl, store, tables, lists, arrow, pandas, polars, stream)
}
