"""Every public function with what is nearly right: the right answer, or an error that names the argument.

`CALLS` has each function with good arguments. A test compares its keys with the public names, so that a new function
is swept too. Each argument in turn is replaced by a value of another kind. What comes is never another answer than for
the value that was meant.
"""

from __future__ import annotations

import importlib
import inspect
import io
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pytest
from hypothesis import given
from hypothesis import strategies as st

import simhash_doc
from simhash_doc import (
    Accumulator,
    Fingerprint,
    Fingerprints,
    Policy,
    Scheme,
    find_duplicates,
    fingerprint,
    fingerprint_many,
    get_scheme,
    get_schemes,
)
from simhash_doc.errors import SimhashDocError
from simhash_doc.lookup import BadValueError, Corpus, IsslIndex, PairFile, find_all, find_clusters
from simhash_doc.provenance import Provenance, ProvenanceCheck
from simhash_doc.store import Document, FingerprintStore

pd = pytest.importorskip("pandas")
pl = pytest.importorskip("polars")

MODULES = (
    "simhash_doc",
    "simhash_doc.lookup",
    "simhash_doc.ingest",
    "simhash_doc.store",
    "simhash_doc_extraction",
    "simhash_doc.provenance",
)
TEXTS = ["the tide mill ground flour", "the tide mill ground corn", "a lamp at the pier"]
PRINTS = [fingerprint(text) for text in TEXTS]
PRINTS_128 = [fingerprint(text, "sd128") for text in TEXTS]
FOLDER = tempfile.TemporaryDirectory()
ONE, SMALL = PRINTS[0], [3, 7, 5 << 60]


def corpus() -> Corpus:
    made = Corpus()
    made.add_many(PRINTS, ids=["a", "b", "c"])
    return made


def store() -> FingerprintStore:
    made = FingerprintStore(Path(tempfile.mkdtemp(dir=FOLDER.name), "near.sqlite"))
    made.add_many([Document(name, one) for name, one in zip("abc", PRINTS, strict=True)])
    return made


def issl() -> IsslIndex:
    return IsslIndex(PRINTS, bits=64)


def call(module: str, path: str, /, **good: Any) -> tuple[str, Callable[..., Any], dict[str, Any]]:
    """Return the name of a function, the function, and arguments by name with which it works."""

    def called(**arguments: Any) -> Any:
        owner: Any = importlib.import_module(module)
        made = {"Corpus.": corpus, "FingerprintStore.": store, "IsslIndex.": issl}
        for prefix, make in made.items():
            if path.startswith(prefix):
                owner = make()
        names = path.split(".")
        for name in names[1:] if owner.__class__ is not ModuleType else names:
            owner = getattr(owner, name)
        result = owner(**arguments)
        return list(result) if isinstance(result, Iterator) else result

    called.__name__ = path
    return f"{module}.{path}", called, good


MAIN, LOOK, INGEST, STORE, TEXT, FROM = MODULES
CALLS = [
    call(MAIN, "fingerprint", text=TEXTS[0], scheme="sd64", stop_tokens=["the"]),
    call(MAIN, "fingerprint_many", texts=TEXTS, scheme="sd64", workers=1),
    call(MAIN, "fingerprint_batches", texts=TEXTS, scheme="sd64", workers=1),
    call(MAIN, "trace", text=TEXTS[0], scheme="sd64"),
    call(MAIN, "get_scheme", scheme="sd64"),
    call(MAIN, "set_engine", name="auto"),
    call(MAIN, "engine_info", size=1000),
    call(MAIN, "threshold_for", scheme="sd64", tokens=100, collection=1000),
    call(MAIN, "Accumulator", scheme="sd64", stop_tokens=["the"]),
    call(MAIN, "Fingerprint", value=5, scheme="sd64"),
    call(MAIN, "Fingerprint.parse", text=str(ONE), scheme="sd64"),
    call(MAIN, "Fingerprint.from_bytes", data=bytes(ONE), scheme="sd64"),
    call(MAIN, "Fingerprint.from_hex", text=ONE.hex, scheme="sd64"),
    call(MAIN, "Fingerprint.from_lanes", lanes=ONE.lanes, scheme="sd64"),
    call(MAIN, "Fingerprint.from_signed", value=ONE.signed, scheme="sd64"),
    call(MAIN, "find_duplicates", texts=TEXTS, preferred=[3, 1, 2], protected=[False, True, False], workers=1),
    call(MAIN, "Policy", scheme="sd64", distance=3, min_similarity=0.9, min_tokens=2, protected=["old/"]),
    call(LOOK, "find_all", values=PRINTS, distance=30, blocks=31, scheme="sd64", against=PRINTS),
    call(LOOK, "find_clusters", values=PRINTS, distance=30, scheme="sd64", min_support=0.0),
    call(LOOK, "plan", fingerprints=1000, distance=3, blocks=4, memory=10**9, scheme="sd64"),
    call(LOOK, "shard_of", value=ONE, bits=4, scheme="sd64"),
    call(LOOK, "shards_to_search", value=ONE, bits=4, distance=1, scheme="sd64"),
    call(LOOK, "Corpus", distance=3, blocks=5, scheme="sd64"),
    call(LOOK, "Corpus.insert", value=ONE, id="x"),
    call(LOOK, "Corpus.add_many", values=PRINTS, ids=["x", "y", "z"]),
    call(LOOK, "Corpus.remove", value=ONE, id="a"),
    call(LOOK, "Corpus.remove_many", values=PRINTS, ids=["a", "b", "c"]),
    call(LOOK, "Corpus.remove_ids", ids=["a", "b"]),
    call(LOOK, "Corpus.find", value=ONE, distance=3, limit=2),
    call(LOOK, "Corpus.find_all", value=ONE),
    call(LOOK, "Corpus.find_first", value=ONE),
    call(LOOK, "Corpus.find_many", values=PRINTS, distance=3, limit=2),
    call(LOOK, "Corpus.nearest", value=ONE, k=2),
    call(LOOK, "Corpus.nearest_many", values=PRINTS, k=2),
    call(LOOK, "Corpus.ids_of", value=ONE),
    call(LOOK, "IsslIndex", signatures=PRINTS, bits=64),
    call(LOOK, "IsslIndex.search", queries=PRINTS, k=2, max_error=2, candidates=100, workers=1),
    call(LOOK, "IsslIndex.exhaustive", queries=PRINTS, k=2),
    call(LOOK, "merge_topk", parts=[issl().search(PRINTS, k=2)], offsets=[0], k=2),
    call(LOOK, "recall", found=issl().search(PRINTS, k=2), exact=issl().exhaustive(PRINTS, k=2)),
    call(LOOK, "clusters_of", pairs=find_all(PRINTS), memory=10**9),
    call(LOOK, "PairFile", path="pairs.npy", memory=1 << 30),
    call(INGEST, "fingerprint_documents", paths=["missing.txt"], scheme="sd64", workers=1),
    call(INGEST, "extract_documents", paths=["missing.txt"], workers=1),
    call(INGEST, "extract_contents", contents=[], workers=1),
    call(INGEST, "Selection", include=["*.txt"], exclude=["*.md"]),
    call(INGEST, "IgnoreRules", lines=["build/"]),
    call(INGEST, "ReadOptions", format="html", min_tokens=2),
    call(INGEST, "extract_in_sandbox", data=b"some plain text", name="a.txt", content_type="text/plain"),
    call(STORE, "FingerprintStore", url=Path(FOLDER.name, "other.sqlite"), timeout=5.0),
    call(STORE, "FingerprintStore.find", fingerprint=ONE, distance=3, limit=2),
    call(STORE, "FingerprintStore.find_many", fingerprints=PRINTS, distance=3, limit=2),
    call(STORE, "FingerprintStore.pairs", distance=3),
    call(STORE, "FingerprintStore.clusters", distance=3),
    call(STORE, "FingerprintStore.remove", ids=["a"]),
    call(STORE, "FingerprintStore.add_many", documents=[Document("x", ONE)], batch=5),
    call(STORE, "FingerprintStore.add_provenances", provenances=[]),
    call(STORE, "FingerprintStore.create_collection", name="other", scheme="sd64", slices=4),
    call(TEXT, "extract", data=b"some plain text", name="a.txt", content_type="text/plain"),
    call(TEXT, "detect", data=b"some plain text", name="a.txt", media_type="text/plain"),
    call(TEXT, "extract_each", source=io.BytesIO(b"some plain text"), name="a.txt"),
    call(TEXT, "warning_kind", warning="frames not read: 2"),
    call(TEXT, "Limits", input_bytes=5, seconds=2.5, pages=7),
    call(TEXT, "extract_each", source=io.BytesIO(b"some plain text"), select=lambda record: True),
    call(MAIN, "fingerprint", text=TEXTS[0], tokenizer=str.split),
    call(MAIN, "Accumulator", tokenizer=str.split),
    call(MAIN, "find_duplicates", texts=TEXTS, progress=lambda done, total: None),
    call(LOOK, "PairFile", path="pairs.npy", memory=1 << 30, progress=lambda done, total: None),
    call(STORE, "FingerprintStore.upsert_many", documents=[Document("x", ONE)], progress=lambda done, total: None),
    call(FROM, "Provenance.of_package", scheme="sd64"),
    call(FROM, "ProvenanceCheck", known=[]),
]
# Functions without an argument that could be misread, and what others return.
NOT_SWEPT = {
    "get_schemes",
    *("WorkerFailedError", "Trace", "Measurement", "EngineInfo", "Scheme", "Fingerprints"),
    *("Pairs", "Clusters", "Match", "Matches", "RemoveResult", "Plan", "TopK"),
    *("Results", "FingerprintResult", "TextResult", "SkippedFile", "Software"),
    *("Document", "DocumentMatch", "DocumentPair", "WriteResult", "Collection", "CollectionStats", "Verification"),
    *("ExtractedText", "BlockDecision", "Record", "DuplicateRows"),
}
COLLECTIONS = {
    *("stop_tokens", "texts", "values", "ids", "signatures", "queries", "parts", "offsets", "contents", "include"),
    *("exclude", "lines", "preferred", "protected", "fingerprints", "documents", "provenances", "lanes", "paths"),
    *("against", "known"),
}
FUNCTIONS = {"tokenizer", "progress", "select"}
OPTIONAL = {"ids", "workers", "preferred", "protected", "against"}
REALS = {"min_support", "min_similarity", "seconds", "timeout"}
NAMES = {"name", "content_type", "media_type", "format"}
NUMBERS = {
    *("workers", "tokens", "collection", "distance", "blocks", "memory", "bits", "k", "limit", "max_error"),
    *("candidates", "min_tokens", "batch", "slices", "input_bytes", "pages", "size"),
}
ERRORS = (TypeError, ValueError, SimhashDocError, OSError)  # of `find_all`, whose values may be in a file
PATHS = {"paths"}  # of which one is a str
TAKES_ONE = {"FingerprintStore.remove"}  # one id as a str


def test_every_public_function_is_swept() -> None:
    swept = {
        name.removeprefix(f"{module}.").split(".")[0] for module in MODULES for name, _, _ in CALLS if module in name
    }
    for module in MODULES:
        public = importlib.import_module(module)
        for name in public.__all__:
            found = getattr(public, name)
            is_error = inspect.isclass(found) and issubclass(found, BaseException)
            assert not callable(found) or is_error or name in swept | NOT_SWEPT, name


@pytest.mark.parametrize(("name", "function", "good"), CALLS, ids=[name for name, *_ in CALLS])
def test_good_arguments_are_taken(name: str, function: Callable[..., Any], good: Mapping[str, Any]) -> None:
    function(**good)


def arguments(kinds: set[str]) -> list[Any]:
    return [
        pytest.param(function, good, argument, id=f"{name}({argument})")
        for name, function, good in CALLS
        for argument in good
        if argument in kinds
    ]


def refused(function: Callable[..., Any], good: Mapping[str, Any], argument: str, value: object) -> None:
    """Check that a value is refused by an error, which says something."""
    with pytest.raises(ERRORS) as caught, warnings.catch_warnings(action="ignore"):
        function(**{**good, argument: value})
    assert str(caught.value)


@pytest.mark.parametrize(("function", "good", "argument"), arguments(COLLECTIONS - PATHS))
@given(text=st.text(max_size=5), data=st.binary(max_size=9))
def test_one_text_is_no_collection(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str, text: str, data: bytes
) -> None:
    for value in (data, bytearray(data), Path("a"), *([] if function.__name__ in TAKES_ONE else [text])):
        refused(function, good, argument, value)


@pytest.mark.parametrize(("function", "good", "argument"), arguments(COLLECTIONS))
def test_a_number_none_and_a_mapping_are_no_collection(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str
) -> None:
    items = [*range(3)]
    for value in (2.5, float("nan"), Decimal(3), object(), dict.fromkeys(range(len(items))), dict(enumerate(items))):
        refused(function, good, argument, value)
    if argument not in ("ids", "fingerprints", "lanes"):
        refused(function, good, argument, 7)
    if argument not in OPTIONAL:
        refused(function, good, argument, None)


@pytest.mark.parametrize(("function", "good", "argument"), arguments(NUMBERS))
@given(
    value=st.one_of(
        st.floats(),
        st.booleans(),
        st.text(max_size=2).filter(lambda text: text != "auto"),
        st.sampled_from([np.float64(3), Decimal(3), [3], (3,), np.array([3, 4]), "auto"]),
    )
)
def test_only_an_integer_is_a_number(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str, value: object
) -> None:
    if isinstance(value, str) and value == "auto" and argument == "distance":
        return  # see `threshold_for`; a test of the search has it
    refused(function, good, argument, value)


@pytest.mark.parametrize(("function", "good", "argument"), arguments(NUMBERS))
def test_integers_of_numpy_are_integers(function: Callable[..., Any], good: Mapping[str, Any], argument: str) -> None:
    for kind in (np.int64, np.uint8 if good[argument] < 256 else np.uint64):
        function(**{**good, argument: kind(good[argument])})


@pytest.mark.parametrize(("function", "good", "argument"), arguments(REALS))
@given(value=st.one_of(st.just(float("nan")), st.booleans(), st.text(max_size=2), st.none(), st.just([0.5])))
def test_only_a_number_is_a_real_number(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str, value: object
) -> None:
    refused(function, good, argument, value)


@pytest.mark.parametrize(("function", "good", "argument"), arguments(REALS))
def test_an_integer_and_a_number_of_numpy_are_real_numbers(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str
) -> None:
    for kind in (np.float32, np.float64, *([int, np.int64] if good[argument] >= 1 else [])):
        function(**{**good, argument: kind(good[argument])})


@pytest.mark.parametrize(("function", "good", "argument"), arguments(NAMES))
@pytest.mark.parametrize("value", [5, 2.5, b"a.txt", ["a.txt"], float("nan"), True, object()])
def test_only_a_str_is_a_name(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str, value: object
) -> None:
    refused(function, good, argument, value)


@pytest.mark.parametrize(("function", "good", "argument"), arguments(FUNCTIONS))
@pytest.mark.parametrize("value", ["split", 5, True, b"a", ["a"], float("nan")])
def test_only_a_function_is_a_function(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str, value: object
) -> None:
    refused(function, good, argument, value)


@pytest.mark.parametrize(
    "returned", ["the tide", b"the tide", None, 5, [5], [b"the"], {"the": 1}, [None], float("nan")]
)
def test_a_tokenizer_returns_tokens_and_not_letters(returned: Any) -> None:
    accumulator = Accumulator(tokenizer=lambda text: returned)
    accumulator.update(TEXTS[0])
    reads: list[Callable[[], object]] = [
        lambda: fingerprint(TEXTS[0], tokenizer=lambda text: returned),
        accumulator.fingerprint,
    ]
    for read in reads:
        with pytest.raises(TypeError, match=r"tokens (is|has)"):
            read()


@pytest.mark.parametrize("provenances", ["abc", [5], [None], Provenance.of_package("sd64"), {"a": 1}])
def test_provenances_are_a_collection_of_provenances(provenances: Any) -> None:
    for take in (
        lambda: corpus().add_many(PRINTS, provenances=provenances),
        lambda: store().add_provenances(provenances),
        lambda: ProvenanceCheck(provenances),
    ):
        with pytest.raises(TypeError, match=r"provenances (is|has)"):
            take()


@pytest.mark.parametrize(("function", "good", "argument"), arguments({"data"}))
@pytest.mark.parametrize("value", ["a text", None, 5, [1, 2], Path("a.txt"), float("nan"), io.BytesIO(b"a")])
def test_only_bytes_are_data(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str, value: object
) -> None:
    refused(function, good, argument, value)


@pytest.mark.parametrize("column", [5, b"text", ["text"], None, "other", float("nan")])
def test_a_column_is_named_by_a_str(column: Any) -> None:
    for table in TABLES.values():
        with pytest.raises((TypeError, KeyError), match=r"column|text"):
            find_duplicates(table({"text": TEXTS}), column)


@pytest.mark.parametrize(("function", "good", "argument"), arguments({"scheme"}))
def test_a_scheme_is_its_short_id_or_the_object(
    function: Callable[..., Any], good: Mapping[str, Any], argument: str
) -> None:
    function(**{**good, argument: get_scheme("sd64")})
    for value in (b"sd64", 64, "SD64", "sd65", ["sd64"], float("nan")):
        refused(function, good, argument, value)


FORMS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list,
    "tuple": tuple,
    "iterator": iter,
    "object": lambda values: np.array(values, object),
    "pandas object": lambda values: pd.Series(values, dtype=object),
    "pandas index": lambda values: pd.Series(values, index=range(5, 5 + len(values)), dtype=object),
    "arrow": lambda values: pa.array([str(value) if isinstance(value, Fingerprint) else value for value in values]),
    "arrow sliced": lambda values: pa.array(["sd64:aaaaaaaaaaaaa", *map(str, values)]).slice(1),
    "arrow chunked": lambda values: pa.chunked_array([[str(one)] for one in values], pa.string()),
    "polars": lambda values: pl.Series(list(map(str, values)), dtype=pl.String),
    "frame of polars": lambda values: pl.DataFrame({"fingerprint": list(map(str, values))}),
    "frame of pandas": lambda values: pd.DataFrame({"fingerprint": list(map(str, values)), "other": 1}),
    "table of arrow": lambda values: pa.table({"other": [1] * len(values), "fingerprint": list(map(str, values))}),
    "texts of numpy": lambda values: np.array(list(map(str, values)), "U18"),
}
ORDERS = st.sampled_from(["<u8", ">u8"])
INTEGERS: dict[str, Callable[[np.ndarray[Any, np.dtype[np.uint64]]], Any]] = {
    "little": lambda values: values.astype("<u8"),
    "big": lambda values: values.astype(">u8"),
    "strided": lambda values: np.repeat(values, 3)[::3],
    "reversed": lambda values: values[::-1].copy()[::-1],
    "column": lambda values: np.stack([values, values ^ np.uint64(1)], axis=1)[:, 0],
    "read-only": lambda values: np.frombuffer(values.tobytes(), np.uint64),
    "memoryview": lambda values: list(memoryview(values.tobytes()).cast("Q")),
    "masked": lambda values: np.ma.MaskedArray(values, np.zeros(len(values), bool)),
    "pandas UInt64": lambda values: pd.Series(values, dtype="UInt64"),
    "pandas arrow": lambda values: pd.Series(values, dtype=pd.ArrowDtype(pa.uint64())),
    "pandas uint64": lambda values: pd.Series(values, dtype="uint64"),
    "polars": lambda values: pl.Series(values.tolist(), dtype=pl.UInt64),
    "arrow": lambda values: pa.array(values.tolist(), pa.uint64()),
    "arrow chunked": lambda values: pa.chunked_array(
        [pa.array([one], pa.uint64()) for one in values.tolist()], pa.uint64()
    ),
    "arrow sliced": lambda values: pa.array([1, *values.tolist()], pa.uint64()).slice(1),
    "numbers of numpy": list,
    "list": lambda values: values.tolist(),
}
SEARCHES: list[Callable[[Any], Any]] = [
    lambda values: list(find_all(values, distance=20)),
    lambda values: [members.tolist() for members in find_clusters(values, distance=20)],
    lambda values: [[match.value for match in found] for found in stored().find_many(values)],
    lambda values: Corpus().add_many(values, ids=range(5)),
]
VALUES = st.lists(st.integers(0, 2**64 - 1), min_size=5, max_size=5)


def stored() -> Corpus:
    made = Corpus()
    made.add_many(SMALL)
    return made


@pytest.mark.parametrize("form", FORMS)
@given(values=VALUES)
def test_fingerprints_in_any_form_are_the_same(form: str, values: list[int]) -> None:
    prints = [Fingerprint(value) for value in values]
    for search in SEARCHES:
        assert search(FORMS[form](prints)) == search(values)


@pytest.mark.parametrize("form", INTEGERS)
@given(values=VALUES)
def test_integers_in_any_form_are_the_same(form: str, values: list[int]) -> None:
    for search in SEARCHES:
        assert search(INTEGERS[form](np.array(values, np.uint64))) == search(values)


@given(values=VALUES, gone=st.sets(st.integers(0, 4), max_size=4))
def test_missing_fingerprints_are_in_no_answer_in_any_form(values: list[int], gone: set[int]) -> None:
    kept = [None if at in gone else value for at, value in enumerate(values)]
    prints = [None if value is None else str(Fingerprint(value)) for value in kept]
    forms: list[Any] = [
        kept,
        prints,
        pd.Series(kept, dtype="UInt64"),
        pd.Series(prints, dtype="string"),
        pd.Series(prints, dtype=object),
        pl.Series(prints, dtype=pl.String),
        pl.Series(kept, dtype=pl.UInt64),
        pa.array(kept, pa.uint64()),
        pa.chunked_array([[one] for one in prints], pa.string()),
        np.ma.MaskedArray(np.array(values, np.uint64), [at in gone for at in range(5)]),
    ]
    expected = [pair for pair in find_all(values, distance=30) if not {pair[0], pair[1]} & gone]
    for form in forms:
        assert list(find_all(form, distance=30)) == expected


@given(st.sampled_from(["u1", "i1", ">u2", "<i4", ">u4", "UInt8", "UInt32"]), st.sampled_from([1, 2, 4, 8]))
def test_the_bytes_or_halves_of_lanes_are_no_lanes(kind: str, count: int) -> None:
    given = pd.Series(range(count), dtype=kind) if kind.startswith("UI") else np.arange(count, dtype=kind)
    for one in (given, pl.Series(range(count), dtype=pl.UInt8), pa.array(range(count), pa.uint16())):
        with pytest.raises(TypeError, match=r"lanes are of type (u|U)?[iI]nt\d+; expected 64 bits"):
            Fingerprint.from_lanes(one)
    if isinstance(given, np.ndarray):
        with pytest.raises(BadValueError, match="lanes have 64 bits"):
            find_all(np.stack([given, given]))


@pytest.mark.parametrize("wrong", [True, np.True_, [True], (False,), np.array([True])])
def test_a_bool_is_no_value(wrong: Any) -> None:
    for make in (Fingerprint, Fingerprint.from_signed, Fingerprint.from_lanes):
        with pytest.raises(TypeError, match=r"expected (an|a collection of) integer"):
            make(wrong)


def test_the_registry_does_not_change() -> None:
    get_schemes().clear()
    assert [*get_schemes()] == ["sd64", "sd128", "sd256", "sd512"]
    for name, scheme in get_schemes().items():
        assert (scheme == name, hash(scheme) == hash(name), f"{scheme:>7}") == (True, True, f"{name:>7}")


@pytest.mark.parametrize("chosen", [None, True, "a", 1.0, (0, 0), [0.5], [[0]], ..., ["a"], np.zeros((1, 1), int)])
def test_fingerprints_are_chosen_by_positions_or_bools(chosen: Any) -> None:
    for scheme in ("sd64", "sd256"):
        with pytest.raises(TypeError, match="an index is"):
            fingerprint_many(TEXTS, scheme)[chosen]


@given(st.lists(st.booleans(), min_size=3, max_size=3))
def test_masks_and_positions_in_any_form_choose_the_same(mask: list[bool]) -> None:
    found, at = fingerprint_many(TEXTS, "sd128"), [at for at, chosen in enumerate(mask) if chosen]
    expected = [PRINTS_128[one] for one in at]
    forms: list[Any] = [mask, np.array(mask), pd.Series(mask), pl.Series(mask), pd.array(mask), at, np.array(at, "u1")]
    for chosen in forms:
        assert list(found[chosen]) == expected


@pytest.mark.parametrize("order", ["<u8", ">u8", "=u8", np.uint64])
def test_arrays_of_fingerprints_have_each_byte_order(order: Any) -> None:
    found = np.asarray(fingerprint_many(TEXTS), order)
    assert (found.dtype == np.dtype(order), found.tolist()) == (True, [one.value for one in PRINTS])


@pytest.mark.parametrize("rows", [{"text": "a"}, {"id": 1}])
def test_rows_for_texts_are_told_to_give_the_text(rows: Any) -> None:
    for read in (fingerprint_many, find_duplicates):
        with pytest.raises(TypeError, match="give the value of the key"):
            read([rows])


def test_a_table_for_a_column_is_refused() -> None:
    tables = (pd.DataFrame, pl.DataFrame, pa.table, pa.RecordBatch.from_pydict)
    for table in [make({"text": TEXTS}) for make in tables]:
        with pytest.raises(TypeError, match=rf"texts is a {type(table).__name__}.*column"):
            fingerprint_many(table)
    lazy: Any = pl.DataFrame({"fingerprint": ["sd64:aaaaaaaaaaaaa"]}).lazy()
    for read in (fingerprint_many, find_duplicates, find_all, find_clusters, Corpus().add_many, Corpus().find_many):
        with pytest.raises(TypeError, match=r"is a LazyFrame, which has no rows yet; give its collect\(\)"):
            read(lazy)
    data: Any = pyarrow.dataset.dataset(pa.table({"fingerprint": ["sd64:aaaaaaaaaaaaa"]}))
    for read in (fingerprint_many, find_duplicates, find_all):
        with pytest.raises(TypeError, match=r"Dataset, which has no rows yet; give its to_table\(\)"):
            read(data)


@pytest.mark.parametrize("missing", [None, float("nan"), np.nan, pd.NA, pd.NaT])
def test_a_missing_id_is_none_in_any_column(missing: Any) -> None:
    for ids in (
        ["a", missing],
        pd.Series(["a", missing], dtype=object),
        pd.Series(["a", None]),
        pl.Series(["a", None]),
    ):
        made = Corpus()
        made.add_many([3, 5], ids=ids)
        assert (made.ids_of(3), made.ids_of(5)) == (("a",), ())


@pytest.mark.parametrize("where", ["lang=en", [("lang", "en")], 5, {"lang"}])
def test_a_filter_is_a_dict(where: Any) -> None:
    with pytest.raises(TypeError, match="where is"):
        store().find(ONE, where=where)


@pytest.mark.parametrize("wrong", [[5], [b"text/html"], [None, "text/html"], ["text/html"] * 3, []])
def test_each_content_has_one_content_type(wrong: Any) -> None:
    from simhash_doc.ingest import extract_contents

    with pytest.raises((TypeError, ValueError), match="content_type"):
        list(extract_contents([b"<p>text"], content_type=wrong, workers=1))


@pytest.mark.parametrize("wrong", [np.float64, np.float32, np.bool_, "datetime64[ns]", "c16"])
def test_arrays_of_other_types_are_refused(wrong: Any) -> None:
    for search in SEARCHES:
        with pytest.raises((TypeError, BadValueError)):
            search(np.zeros(5, wrong))
        with pytest.raises((TypeError, BadValueError)):
            search([1, 2, 3, 4, np.zeros(1, wrong)])
    with pytest.raises(BadValueError, match="float"):
        find_all(pd.Series([1, None, 3]))  # which pandas makes floats


@given(st.lists(st.sampled_from([*TEXTS, "", "12 34", None]), max_size=8), st.sampled_from(["sd64", "sd256"]))
def test_fingerprints_of_texts_are_taken_as_they_are(texts: list[str | None], scheme: Any) -> None:
    found = fingerprint_many(texts, scheme)
    listed = list(found)
    assert [one is None for one in listed] == found.missing.tolist() == [one is None for one in found.text_forms()]
    assert list(find_all(found, distance=20, scheme=scheme)) == list(find_all(listed, distance=20, scheme=scheme))
    assert [found[at] for at in range(len(found))] == listed == list(found[:])
    assert found.to_polars().to_list() == pa.array(found).to_pylist() == found.text_forms()
    assert [None if one is pd.NA else one for one in found.to_pandas()] == found.text_forms()
    if found.missing.any():
        for take in (np.asarray, attrgetter("values")):
            with pytest.raises(ValueError, match="no fingerprint, the first at position"):
                take(found)
    for array in (found[~found.missing].values, np.asarray(found[~found.missing]), found.distinct_tokens, found.weight):
        with pytest.raises(ValueError, match="read-only"):
            array[:] = 0
    present = [one for one in found if one is not None]
    for array in (found[~found.missing].values, np.array(found[~found.missing])):
        assert [Fingerprint.from_lanes(row, scheme) for row in array] == present
    with pytest.raises(TypeError, match="expected uint64"):
        np.asarray(found, np.float64)


def test_a_column_of_a_frame_is_exact_or_an_error() -> None:
    frame = pd.DataFrame({"text": [*TEXTS, "12 34"]}, index=[7, 3, 5, 9])
    with pytest.raises(ValueError, match="to_pandas"):
        frame["fp"] = fingerprint_many(frame["text"])
    frame["fp"] = fingerprint_many(frame["text"]).to_pandas()
    assert [None if one is pd.NA else one for one in frame["fp"]] == fingerprint_many(frame["text"]).text_forms()


@given(st.integers(0, 2**512 - 1), st.sampled_from(["sd64", "sd128", "sd256", "sd512"]))
def test_rows_digits_and_signed_integers_give_the_fingerprint_back(number: int, scheme: Any) -> None:
    known: Scheme = get_scheme(scheme)
    one = Fingerprint(number % 2**known.bits, known)
    row = np.array(one.lanes, np.uint64)
    for order in ("<u8", ">u8"):
        assert Fingerprint.from_lanes(row.astype(order)) == one
    assert Fingerprint.from_hex(one.hex) == Fingerprint.from_signed(one.signed, known) == one
    assert Fingerprint.from_bytes(bytes(one)) == one
    assert -(2 ** (known.bits - 1)) <= one.signed < 2 ** (known.bits - 1)
    with pytest.raises(TypeError, match="from_lanes"):
        Fingerprint.from_bytes(row)  # type: ignore[arg-type]


def test_one_path_is_one_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from simhash_doc.ingest import fingerprint_documents

    monkeypatch.chdir(tmp_path)
    Path("n.txt").write_text("alpha beta")
    Path("private.txt").write_text("other words")
    for path in ("n.txt", Path("n.txt"), ["n.txt"], {Path("n.txt")}, iter(["n.txt"])):
        assert [Path(result.path).name for result in fingerprint_documents(path)] == ["n.txt"]
    with pytest.raises(TypeError, match="expected a str or os"):
        fingerprint_documents([b"n.txt"])  # type: ignore[list-item]


def test_names_that_were_read_for_another_are_refused() -> None:
    for wrong in (
        lambda: find_all(SMALL, 6),  # type: ignore[call-arg]
        lambda: find_clusters(SMALL, 6),  # type: ignore[call-arg]
        lambda: Corpus(6),  # type: ignore[call-arg]
        lambda: store().find(ONE, 6),  # type: ignore[call-arg]
        lambda: store().pairs(6),  # type: ignore[call-arg]
        lambda: simhash_doc.lookup.plan(100, 6),  # type: ignore[call-arg]
    ):
        with pytest.raises(TypeError, match="positional argument"):
            wrong()


def test_a_search_with_a_distance_for_the_collection() -> None:
    near = find_all(SMALL, distance="auto")
    assert list(near) == list(find_all(SMALL, distance=6))
    assert PairFile(path="x", memory=1 << 30).path == "x"
    assert isinstance(fingerprint_many(TEXTS), Fingerprints)


FRAMES: dict[str, Callable[[list[str]], Any]] = {
    "list": list,
    "bytes": lambda texts: [text.encode() for text in texts],
    "array": np.array,
    "pandas": pd.Series,
    "polars": pl.Series,
    "arrow": pa.array,
    "arrow chunked": lambda texts: pa.chunked_array([[text] for text in texts]),
}
TABLES: dict[str, Callable[[dict[str, list[str]]], Any]] = {
    "dict": dict,
    "dicts": lambda columns: [{"text": text} for text in columns["text"]],
    "pandas": pd.DataFrame,
    "polars": pl.DataFrame,
    "arrow": pa.table,
}


def test_texts_in_any_form_have_the_same_duplicates_and_others_are_refused() -> None:
    texts = [*TEXTS, TEXTS[0]]
    expected = find_duplicates(texts).reasons.tolist()
    for form in FRAMES.values():
        assert find_duplicates(form(texts)).reasons.tolist() == expected
    for table in TABLES.values():
        given = table({"text": texts})
        assert find_duplicates(given, "text").reasons.tolist() == expected
        with pytest.raises(TypeError, match="text"):
            find_duplicates(given)
        with pytest.raises(KeyError, match="other"):
            find_duplicates(given, "other")
    wrong: list[Any] = [bytearray(b"a"), memoryview(b"a"), Path("a"), 5, float("nan")]
    for one in wrong:
        with pytest.raises(TypeError, match="text 1 is"):
            find_duplicates([TEXTS[0], one])
        with pytest.raises(TypeError, match="texts is"):
            find_duplicates(one)


@pytest.mark.parametrize("wrong", [["False", "True", "True"], [0, 1, 0], [None, True, False], [0.5, 1.0, 0.0]])
def test_whether_a_row_is_protected_is_a_bool(wrong: Any) -> None:
    with pytest.raises(TypeError, match="protected has items of another type than bool"):
        find_duplicates(TEXTS, protected=wrong)


def test_a_policy_is_a_policy() -> None:
    for wrong in ("sd64", {"distance": 3}, 3):
        with pytest.raises(TypeError, match="policy is"):
            find_duplicates(TEXTS, policy=wrong)  # type: ignore[arg-type]
    values: list[dict[str, Any]] = [{"min_similarity": "0.9"}, {"min_similarity": True}, {"protected": "old/"}]
    for value in values:
        with pytest.raises(TypeError, match=next(iter(value))):
            Policy(**value)
