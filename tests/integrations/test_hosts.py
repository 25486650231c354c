"""Each integration in its real host: the page about it runs, and fingerprints, nulls and 64-bit values are right."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from simhash_doc import find_duplicates, fingerprint
from simhash_doc.errors import NoTokenError, SchemeMismatchError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.integrations.archive import Annotated, Captures
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import SchemeId

pytestmark = pytest.mark.slow

PAGE = Path(__file__).parents[2] / "docs/how-to/use-in-a-pipeline.md"
BLOCKS = dict(re.findall(r'```python title="([^"]+)"\n(.*?)```', PAGE.read_text(encoding="utf-8"), re.DOTALL))
TEXTS = BLOCKS.pop("The texts of the examples")
VECTORS = BLOCKS.pop("The bytes of the examples")
_RANDOM = np.random.default_rng(7).integers(0, 2**64, 1000, np.uint64).tolist()
VALUES = [0, 1 << 63, (1 << 64) - 1, *_RANDOM]


def run_block(title: str) -> dict[str, Any]:
    """Run a block of the page after the texts of the examples; return its names."""
    names: dict[str, Any] = {}
    before = TEXTS + VECTORS if "vectors" in BLOCKS[title] else TEXTS
    exec(compile(before + BLOCKS[title], title, "exec"), names)
    return names


def of(text: str | None, scheme: SchemeId = "sd256") -> str | None:
    """Return the text form that the package gives."""
    try:
        return None if text is None else str(fingerprint(text, scheme))
    except NoTokenError:
        return None


def expected(names: dict[str, Any]) -> list[str | None]:
    """Return the fingerprints of the texts of the examples."""
    return [of(text) for text in names["texts"]]


def first_bits(forms: list[str | None]) -> list[int | None]:
    return [None if form is None else Fingerprint.parse(form).narrow("sd64").value for form in forms]


def test_polars() -> None:
    pytest.importorskip("polars")
    names = run_block("polars")
    forms = expected(names)
    assert names["result"]["simhash"].to_list() == forms
    assert names["result"]["value"].to_list() == first_bits(forms)
    assert names["result"]["sd64"].to_list() == [of(text, "sd64") for text in names["texts"]]
    distances = names["result"]["distance"].to_list()
    first = Fingerprint.parse(forms[0] or "")
    assert distances == [None if form is None else first.distance(Fingerprint.parse(form)) for form in forms]


def test_polars_does_not_mix_schemes() -> None:
    pl = pytest.importorskip("polars")
    import simhash_doc.integrations.polars  # noqa: F401

    frame = pl.DataFrame({"a": [of("one two")], "b": [of("one two", "sd64")]})
    # polars wraps errors of functions in its own, which is no Exception in older versions
    with pytest.raises(BaseException, match="256 and 64 bits"):
        frame.select(pl.col("a").simhash.distance(pl.col("b")))


def test_polars_categories_are_texts() -> None:
    pl = pytest.importorskip("polars")
    import simhash_doc.integrations.polars  # noqa: F401

    texts = ["one two three", "four five", None, "one two three"]
    for kind in (pl.Categorical, pl.Enum(["one two three", "four five"]), pl.String):
        frame = pl.DataFrame({"text": pl.Series(texts).cast(kind)})
        assert frame.select(pl.col("text").simhash.fingerprint())["text"].to_list() == [
            of(text, "sd64") for text in texts
        ]
        assert find_duplicates(frame, "text").representatives.tolist() == [0, 1, 2, 0]


def test_scrapy_keeps_what_an_index_cannot_confirm_and_what_the_policy_keeps(tmp_path: Path) -> None:
    settings = pytest.importorskip("scrapy.settings").Settings()
    from scrapy.exceptions import DropItem

    from simhash_doc.integrations.scrapy import NearDuplicatePipeline

    names: dict[str, Any] = {}
    exec(TEXTS, names)
    old = Corpus(scheme="sd256")
    old.insert(fingerprint(names["mill"], "sd256").value, id="old page")
    old.save(tmp_path / "old.sdix")
    settings.set("SIMHASH_AGAINST", str(tmp_path / "old.sdix"))
    bills = [{"text": f"{names['mill']} {number}"} for number in (7, 8)]
    for policy, dropped in (({}, False), ({"numbers": "ignore"}, True)):
        settings.set("SIMHASH_POLICY", policy)
        crawler: Any = SimpleNamespace(settings=settings, stats=None)
        pipeline = NearDuplicatePipeline(crawler)
        assert pipeline.process_item(bills[0]) is bills[0]
        with pytest.raises(DropItem) if dropped else nullcontext():
            pipeline.process_item(bills[1])


@pytest.mark.parametrize(
    ("name", "right"),
    [
        ("SIMHASH_DISTANCE", 'SIMHASH_POLICY = {"distance": ...}'),
        ("SIMHASH_MIN_SIMILARITY", 'SIMHASH_POLICY = {"min_similarity": ...}'),
        ("SIMHASH_FEILD", "SIMHASH_FIELD"),
        ("SIMHASH_COLUMN", "SIMHASH_FIELD, SIMHASH_ID_FIELD, SIMHASH_POLICY, SIMHASH_AGAINST"),
    ],
)
def test_scrapy_refuses_an_unknown_setting(name: str, right: str) -> None:
    settings = pytest.importorskip("scrapy.settings").Settings({name: 8, "SIMHASH_FIELD": "text"})
    from simhash_doc.integrations.scrapy import NearDuplicatePipeline

    crawler: Any = SimpleNamespace(settings=settings, stats=None)
    with pytest.raises(ValueError, match=f"{name} is unknown; expected {re.escape(right)}$"):
        NearDuplicatePipeline(crawler)


@pytest.mark.parametrize("arguments", [(), (None,)])
def test_scrapy_gives_the_spider_in_older_versions(arguments: tuple[None, ...]) -> None:
    settings = pytest.importorskip("scrapy.settings").Settings()
    crawler: Any = SimpleNamespace(settings=settings, stats=None)
    from simhash_doc.integrations.scrapy import NearDuplicatePipeline

    item = {"text": "one two three", "url": "a"}
    assert NearDuplicatePipeline(crawler).process_item(item, *arguments)["simhash"] == of("one two three")


def test_pandas() -> None:
    pd = pytest.importorskip("pandas")
    names = run_block("pandas")
    frame, forms = names["frame"], expected(names)
    assert [None if pd.isna(form) else form for form in frame["simhash"]] == forms
    assert [None if pd.isna(value) else int(value) for value in frame["value"]] == first_bits(forms)
    assert frame["distance"].isna().tolist() == [True, True, True, True, False]
    with pytest.raises(ValueError, match="different indexes"):
        frame["simhash"].simhash.distance(frame["simhash"][::-1])
    for other in (forms[0], forms, frame[["simhash"]], frame["simhash"].to_numpy()):
        with pytest.raises(TypeError, match="expected a series"):
            frame["simhash"].simhash.distance(other)
    with pytest.raises(SchemeMismatchError):
        frame["text"].simhash.fingerprint("sd64").simhash.narrow("sd256")


def test_duckdb() -> None:
    duckdb = pytest.importorskip("duckdb")
    names = run_block("DuckDB")
    mill, longer = names["texts"][0], names["texts"][3]
    assert names["near"] == [(mill, longer, fingerprint(mill).distance(fingerprint(longer)))]
    rows = names["connection"].execute(
        "SELECT simhash_sd256(text), simhash_to_sd64(simhash_sd256(text)), simhash_distance(simhash_sd64(text), "
        "simhash_sd64(text)) FROM page ORDER BY rowid"
    )
    wanted = [(of(text), of(text, "sd64"), None if of(text) is None else 0) for text in names["texts"]]
    assert rows.fetchall() == wanted
    with pytest.raises(duckdb.Error, match="fingerprint"):
        names["connection"].execute("SELECT simhash_value('no fingerprint')").fetchall()


def test_datasets() -> None:
    pytest.importorskip("datasets")
    names = run_block("datasets")
    assert names["dataset"]["fingerprint"][:] == expected(names)
    assert names["dataset"]["distinct_tokens"][1:3] == [0, 0]


def test_ray() -> None:
    ray = pytest.importorskip("ray")
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False)
    try:
        names = run_block("Ray Data")
    finally:
        ray.shutdown()
    assert {row["text"]: row["fingerprint"] for row in names["rows"]} == dict(
        zip(names["texts"], expected(names), strict=True)
    )


def test_daft() -> None:
    pytest.importorskip("daft")
    names = run_block("Daft")
    forms = expected(names)
    columns = names["frame"].to_pydict()
    assert (columns["simhash"], columns["value"]) == (forms, first_bits(forms))
    assert columns["self"] == [None if form is None else 0 for form in forms]


def test_datatrove(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("datatrove")
    monkeypatch.chdir(tmp_path)
    run_block("datatrove")
    kept, dropped = (
        [json.loads(line) for path in Path(name).iterdir() for line in path.open()] for name in ("kept", "dropped")
    )
    assert [one["id"] for one in kept] == ["page-0", "page-1", "page-4"]
    assert [one["metadata"]["near_duplicate_of"] for one in dropped] == ["page-0"]
    for document in (*kept, *dropped):
        assert document["metadata"]["simhash"] == (of(document["text"]) or "")


def has_typed_strings() -> bool:
    """Return True if this version of pyarrow reads arrays of strings without a value as strings."""
    import pyarrow as pa

    try:
        return bool(pa.array(np.full(1, None, np.dtypes.StringDType(na_object=None))).type == pa.string())
    except pa.ArrowNotImplementedError:
        return False


def test_datasets_whose_first_batch_has_no_fingerprint() -> None:
    datasets = pytest.importorskip("datasets")
    from simhash_doc.integrations.rows import AddFingerprintColumns

    for first in (None, "", "12 34"):
        texts = [first] * 5 + ["the clock of the town hall"] + [first] * 3
        dataset = datasets.Dataset.from_dict({"text": texts, "n": range(9)})
        if not has_typed_strings():  # then the host refuses them: nothing is lost in silence
            with pytest.raises(Exception, match="null"):
                dataset.map(AddFingerprintColumns("text", "sd256"), batched=True, batch_size=2)
            continue
        mapped = dataset.map(AddFingerprintColumns("text", "sd256"), batched=True, batch_size=2)
        assert mapped["fingerprint"][:] == [of(text) for text in texts]
        assert str(mapped.features["fingerprint"].dtype) == "string"
        arrow = dataset.with_format("arrow").map(AddFingerprintColumns("text", "sd256"), batched=True, batch_size=2)
        assert arrow.with_format(None)["fingerprint"][:] == [of(text) for text in texts]
        empty = datasets.Dataset.from_dict({"text": texts[:3]}).map(AddFingerprintColumns("text"), batched=True)
        assert empty["fingerprint"][:] == [None] * 3


def test_documents_of_datatrove_without_a_fingerprint(tmp_path: Path) -> None:
    """A typed file takes its types from the first document; empty texts equal none, as in `find_duplicates`."""
    data = pytest.importorskip("datatrove.data")
    from datatrove.pipeline.writers.parquet import ParquetWriter

    from simhash_doc.integrations.datatrove import AddFingerprints, NearDuplicateFilter

    texts = ["12 34", "12 34", "the clock of the town hall"]
    documents = [data.Document(text, str(number)) for number, text in enumerate(texts)]
    steps = ParquetWriter(str(tmp_path), batch_size=1).run(AddFingerprints("sd256").run(iter(documents)))
    assert [one.metadata["simhash"] for one in steps] == [of(text) or "" for text in texts]
    pq = pytest.importorskip("pyarrow.parquet")
    rows = [row for path in tmp_path.iterdir() for row in pq.read_table(path).to_pylist()]
    assert [row["metadata"]["simhash"] for row in rows] == ["", "", of(texts[2])]

    texts = ["", "12 34", "", "12 34", texts[2], ""]
    documents = [data.Document(text, str(number)) for number, text in enumerate(texts)]
    kept = [int(one.id) for one in NearDuplicateFilter().run(iter(documents))]
    assert kept == np.flatnonzero(find_duplicates(texts).kept).tolist() == [0, 1, 2, 4, 5]


def test_datatrove_against_an_index(tmp_path: Path) -> None:
    data = pytest.importorskip("datatrove.data")
    from simhash_doc.integrations.datatrove import NearDuplicateFilter

    names: dict[str, Any] = {}
    exec(TEXTS, names)
    old = Corpus(scheme="sd256")
    old.insert(fingerprint(names["mill"], "sd256").value, id="old page")
    old.save(tmp_path / "old.sdix")
    documents = [data.Document(text, str(number)) for number, text in enumerate(names["texts"]) if text]
    step = NearDuplicateFilter(against=str(tmp_path / "old.sdix"))
    assert [document.id for document in step.run(iter(documents))] == ["0", "1", "4"]
    known = {
        document.id: [document.metadata.get(f"{name}_of") for name in ("candidate", "near_duplicate")]
        for document in documents
    }
    assert known == {"0": ["old page", None], "1": [None, None], "3": [None, "0"], "4": [None, None]}


def test_data_juicer() -> None:
    pytest.importorskip("data_juicer")
    names = run_block("data-juicer")
    assert names["kept"]["text"][:] == [names["texts"][1], names["texts"][3], names["texts"][4]]
    assert [[sample["text"] for sample in pair] for pair in names["pairs"].values()] == [
        [names["texts"][3], names["texts"][0]]
    ]


def test_scrapy(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    (tmp_path / "crawl.py").write_text(TEXTS + BLOCKS["Scrapy"], encoding="utf-8")
    done = subprocess.run([sys.executable, "crawl.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
    items = [json.loads(line) for line in (tmp_path / "items.jsonl").open()]
    assert {item["text"]: item["simhash"] for item in items} == {item["text"]: of(item["text"]) for item in items}
    assert len(items) == 3  # one of the two mills, whichever came first
    assert "'simhash/dropped': 1" in done.stderr


def test_scrapy_remembers_across_a_pause(tmp_path: Path) -> None:
    pytest.importorskip("scrapy")
    page = TEXTS + BLOCKS["Scrapy"].replace(
        '"ITEM_PIPELINES"', f'"JOBDIR": {str(tmp_path / "job")!r}, "ITEM_PIPELINES"'
    )
    (tmp_path / "crawl.py").write_text(page, encoding="utf-8")
    dropped = []
    for _ in range(2):
        done = subprocess.run([sys.executable, "crawl.py"], cwd=tmp_path, capture_output=True, text=True, check=True)
        dropped += re.findall(r"'simhash/dropped': (\d+)", done.stderr)
    assert dropped == ["1", "4"]


def ranking(names: dict[str, Any]) -> list[int]:
    """Return the distances of the first text to all that have a fingerprint, ascending."""
    forms = [Fingerprint.parse(form) for form in (of(text) for text in names["texts"]) if form]
    return sorted(forms[0].distance(form) for form in forms)


def test_faiss() -> None:
    pytest.importorskip("faiss")
    names = run_block("faiss")
    assert names["distances"][0].tolist() == ranking(names)
    assert sorted(names["rows"][0].tolist()) == [0, 1, 2]


def test_lancedb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("lancedb")
    monkeypatch.chdir(tmp_path)
    names = run_block("LanceDB")
    assert [row["_distance"] for row in names["found"]] == ranking(names)
    assert bytes(names["found"][0]["simhash"]) == bytes(fingerprint(names["mill"], "sd256"))


def test_qdrant() -> None:
    pytest.importorskip("qdrant_client")
    names = run_block("Qdrant")
    assert names["bits"] == ranking(names)


def test_pywb_reads_an_annotated_index_back() -> None:
    objects = pytest.importorskip("pywb.warcserver.index.cdxobject")
    url, form = "https://example.org/", of("The quick brown fox")
    captures = Captures()
    captures.put("20240501083000", url, {"simhash": form, "simhash_support": 4.0})
    line = f"org,example)/ 20240501083000 {json.dumps({'url': url, 'mime': 'text/html', 'offset': '0'})}\n".encode()
    (annotated,) = Annotated().annotate([line], captures)
    read = objects.CDXObject(annotated.rstrip())
    assert (read["url"], read["timestamp"], read["simhash"]) == (url, "20240501083000", form)
    assert json.loads(read.to_cdxj().split(" ", 2)[2])["simhash"] == form
    assert read.to_json().count(str(form)) == 1


def through_polars(values: list[int]) -> list[int]:
    import polars as pl

    import simhash_doc.integrations.polars  # noqa: F401

    forms = pl.DataFrame({"form": [str(Fingerprint(value, "sd64")) for value in values]})
    form: Any = pl.col("form")
    return forms.select(form.simhash.value())["form"].to_list()


def through_pandas(values: list[int]) -> list[int]:
    import pandas as pd

    import simhash_doc.integrations.pandas  # noqa: F401

    forms = pd.Series([str(Fingerprint(value, "sd64")) for value in values] + [None])
    back: list[int] = forms.simhash.value().dropna().tolist()
    return back


def through_duckdb(values: list[int]) -> list[int]:
    import duckdb

    from simhash_doc.integrations.duckdb import register

    connection = register(duckdb.connect())
    forms = [str(Fingerprint(value, "sd64")) for value in values]
    connection.execute("CREATE TABLE t AS SELECT simhash_value(unnest($1::VARCHAR[])) AS value", [forms])
    return [value for (value,) in connection.sql("SELECT value FROM t").fetchall()]


def through_daft(values: list[int]) -> list[int]:
    import daft

    from simhash_doc.integrations.daft import value

    frame = daft.from_pydict({"form": [str(Fingerprint(one, "sd64")) for one in values]})
    back: list[int] = frame.with_column("value", value(frame["form"])).to_pydict()["value"]
    return back


@pytest.mark.parametrize("through", [through_polars, through_pandas, through_duckdb, through_daft])
def test_64_bit_values_survive_the_host(through: Callable[[list[int]], list[int]]) -> None:
    pytest.importorskip(through.__name__.removeprefix("through_"))
    assert through(VALUES) == VALUES
