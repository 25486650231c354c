"""Adapters of published similarity hashes for check.py: python adapters.py NAME.

Each is used as its own documentation shows. The package need not be installed with simhash-doc.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any

Hash = Callable[[str], str | None]  # None: the tool has no hash for this text
Adapter = tuple[str, Hash, Callable[[str, str], float] | None]  # package, hash, distance (None: differing bits)


def simhash_doc() -> Adapter:
    from simhash_doc import fingerprint
    from simhash_doc.errors import NoTokenError

    def of(text: str) -> str | None:
        try:
            return fingerprint(text).hex
        except NoTokenError:
            return None

    return "simhash-doc", of, None


def one_e0ng() -> Adapter:
    from simhash import Simhash

    return "simhash", lambda text: f"{Simhash(text).value:016x}", None


def trafilatura() -> Adapter:
    from trafilatura.deduplication import Simhash

    return "trafilatura", lambda text: f"{Simhash(text).hash:016x}", None


def data_juicer(**options: Any) -> Adapter:
    from data_juicer.ops.deduplicator.document_simhash_deduplicator import DocumentSimhashDeduplicator

    operator = DocumentSimhashDeduplicator(**options)
    key = "__dj__simhash"
    return "py-data-juicer", lambda text: f"{int(operator.compute_hash({'text': text})[key]):016x}", None


def simhash_pybind() -> Adapter:
    import simhash

    def of(text: str) -> str:
        shingles = (" ".join(shingle).encode() for shingle in simhash.shingle(text.split()))
        return f"{simhash.compute(map(simhash.unsigned_hash, shingles)):016x}"

    return "simhash-pybind", of, None


def datasketch() -> Adapter:
    from datasketch import MinHash

    def signature(text: str) -> MinHash:
        made = MinHash(num_perm=128)
        for word in text.split():
            made.update(word.encode())
        return made

    def of(text: str) -> str:
        return " ".join(map(str, signature(text).hashvalues))

    return "datasketch", of, _different_items


def datatrove() -> Adapter:
    from datatrove.pipeline.dedup.minhash import MinhashDedupSignature

    step = MinhashDedupSignature("/tmp/unused")

    def of(text: str) -> str | None:
        shingles = step.get_shingles(text)  # its `run` writes no signature for a text without any
        return (
            " ".join(str(item) for bucket in step.get_signature(shingles) for item in bucket) if shingles.size else None
        )

    return "datatrove", of, _different_items


def clickhouse(function: str) -> Adapter:
    import chdb

    def of(text: str) -> str:
        # An escape per byte: no text needs quotation.
        literal = "".join(f"\\x{byte:02x}" for byte in text.encode())
        return str(chdb.query(f"SELECT lower(hex({function}('{literal}')))", "TabSeparated")).strip().zfill(16)

    return "chdb-core", of, None


def daft_simhash() -> Adapter:
    return "daft", lambda text: f"{_daft('simhash', text):016x}", None


def daft_minhash() -> Adapter:
    def of(text: str) -> str:
        return " ".join(map(str, _daft("minhash", text, num_hashes=64, ngram_size=3)))

    return "daft", of, _different_items


def _daft(function: str, text: str, **options: int) -> Any:
    import daft
    from daft import functions

    frame = daft.from_pydict({"text": [text]})
    return frame.select(getattr(functions, function)(frame["text"], **options).alias("hash")).to_pydict()["hash"][0]


def ppdeep() -> Adapter:
    import ppdeep

    return "ppdeep", ppdeep.hash, lambda a, b: 0 if a == b else 100 - ppdeep.compare(a, b)


def tlsh() -> Adapter:
    import tlsh

    return "py-tlsh", lambda text: _no_null(tlsh.hash(text.encode())), tlsh.diff


def _no_null(value: str) -> str | None:
    return None if value in ("", "TNULL") else value


def gaoya() -> Adapter:
    """Its hashes are not shown: a text stands for its hash, and an index of the other text gives the distance."""
    from gaoya.minhash import MinHashStringIndex

    def distance(a: str, b: str) -> float:
        index = MinHashStringIndex(jaccard_threshold=0.01, num_bands=100, band_size=1)
        index.insert_document(1, a)
        return 1 - max((similarity for _, similarity in index.query(b, return_similarity=True)), default=0)

    return "gaoya", lambda text: text, distance


def _different_items(a: str, b: str) -> float:
    left, right = a.split(), b.split()
    return sum(x != y for x, y in zip(left, right, strict=True)) / len(left)


ADAPTERS: dict[str, Callable[[], Adapter]] = {
    "simhash-doc": simhash_doc,
    "simhash": one_e0ng,
    "trafilatura": trafilatura,
    "data-juicer": data_juicer,
    "data-juicer-character": lambda: data_juicer(tokenization="character"),
    "simhash-pybind": simhash_pybind,
    "datasketch": datasketch,
    "datatrove": datatrove,
    "ngramSimHash": lambda: clickhouse("ngramSimHash"),
    "ngramSimHashUTF8": lambda: clickhouse("ngramSimHashUTF8"),
    "wordShingleSimHashUTF8": lambda: clickhouse("wordShingleSimHashUTF8"),
    "daft-simhash": daft_simhash,
    "daft-minhash": daft_minhash,
    "ppdeep": ppdeep,
    "tlsh": tlsh,
    "gaoya": gaoya,
}


def main() -> None:
    name = sys.argv[1]
    package, of, distance = ADAPTERS[name]()
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            answer: dict[str, Any] = {"protocol": 1, "name": name, "version": f"{package} {version(package)}"}
            answer |= {"language": "Python", "unicode": "15.0", "schemes": [], "features": []}
            answer["operations"] = ["hash", "distance"] if distance else ["hash"]
        else:
            result = (
                of(request["text"]) if request["op"] == "hash" else distance and distance(request["a"], request["b"])
            )
            outcome = {"error": "no-hash"} if result is None else {"result": result}
            answer = {"id": request["id"], **outcome}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
