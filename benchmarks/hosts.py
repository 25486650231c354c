"""Pace of the integrations in their hosts, and of what the hosts themselves have against duplicates.

    pip install -e '.[hosts]' spacy simhash-pybind scipy    # in an environment of its own
    mvn install -DskipTests -f ports/java                   # for solr and nutch, which need Maven and Java
    python -m benchmarks.hosts CORPUS_DIR [PART...]         # some minutes, each host in a process of its own

It writes docs/benchmarks/hosts.json: for each row the texts in a second of processor time, all threads together, the
median of three passes over 20,000 passages of 100 words; and how many are kept. A third of the passages are copies with
replaced words.
"""

from __future__ import annotations

import json
import re
import resource
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import results
from benchmarks.calibration.corpus import corpus_parser
from benchmarks.measuring import Row, chosen_parts, isolated, machine, version
from benchmarks.methods import texts_of

SCHEME, PASSES, WARMING = "sd256", 3, 500
JVM, JAVA = ("solr", "nutch"), Path(__file__).parents[1] / "ports/java/integrations"
Work = Callable[[list[str]], int | None]
"""Passes texts through a host; returns how many are kept, None if nothing is dropped."""


def polars() -> dict[str, Work]:
    import polars as pl

    import simhash_doc.integrations.polars  # noqa: F401
    from simhash_doc import find_duplicates

    def fingerprints(texts: list[str]) -> None:
        pl.DataFrame({"text": texts}).with_columns(pl.col("text").simhash.fingerprint(SCHEME))

    return {
        "fingerprint": fingerprints,
        "find_duplicates": lambda texts: int(find_duplicates(pl.DataFrame({"text": texts})["text"]).kept.sum()),
        "own: unique, equal texts": lambda texts: pl.DataFrame({"text": texts}).unique("text").height,
    }


def pandas() -> dict[str, Work]:
    import pandas as pd

    import simhash_doc.integrations.pandas  # noqa: F401

    def fingerprints(texts: list[str]) -> None:
        pd.Series(texts).simhash.fingerprint(SCHEME)

    return {
        "fingerprint": fingerprints,
        "own: drop_duplicates, equal texts": lambda texts: len(pd.DataFrame({"text": texts}).drop_duplicates("text")),
    }


def duckdb() -> dict[str, Work]:
    import duckdb as host

    from simhash_doc.integrations.duckdb import register

    def query(texts: list[str], select: str) -> Any:
        connection = register(host.connect())
        connection.execute("CREATE TABLE page AS SELECT unnest($1::VARCHAR[]) AS text", [texts])
        return connection.execute(select).fetchone()

    return {
        f"simhash_{SCHEME}": lambda texts: query(texts, f"SELECT max(simhash_{SCHEME}(text)) FROM page") and None,
        "own: DISTINCT, equal texts": lambda texts: query(texts, "SELECT count(DISTINCT text) FROM page")[0],
    }


def datasets() -> dict[str, Work]:
    from datasets import Dataset, disable_caching, disable_progress_bars

    from simhash_doc.integrations.rows import AddFingerprintColumns

    disable_caching()
    disable_progress_bars()

    def fingerprints(texts: list[str]) -> None:
        Dataset.from_dict({"text": texts}).map(AddFingerprintColumns("text", SCHEME), batched=True)

    return {"AddFingerprintColumns": fingerprints}


def daft() -> dict[str, Work]:
    import daft as host

    from simhash_doc.integrations.daft import fingerprint

    def frame(texts: list[str], column: Callable[[Any], Any]) -> None:
        data = host.from_pydict({"text": texts})
        data.with_column("added", column(data["text"])).collect()

    return {
        "fingerprint": lambda texts: frame(texts, lambda text: fingerprint(text, SCHEME)),
        "own: minhash, 128 values, signatures only": lambda texts: frame(
            texts, lambda text: text.minhash(num_hashes=128, ngram_size=3)
        ),
    }


def datatrove() -> dict[str, Work]:
    from datatrove.data import Document
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.base import PipelineStep
    from datatrove.pipeline.dedup import minhash
    from datatrove.utils.hashing import HashConfig

    from simhash_doc.integrations.datatrove import AddFingerprints, NearDuplicateFilter

    def executed(steps: list[Any], folder: str, tasks: int = 1) -> int:
        last = LocalPipelineExecutor(steps, tasks=tasks, workers=1, logging_dir=f"{folder}/logs").run().stats[-1].stats
        return int(last["forwarded"].total) if "forwarded" in last else 0

    def through(texts: list[str], *steps: PipelineStep) -> int:
        with tempfile.TemporaryDirectory() as folder:
            return executed([[Document(text, str(row)) for row, text in enumerate(texts)], *steps], folder)

    def own(texts: list[str]) -> int:
        config = minhash.MinhashConfig(hash_config=HashConfig(hash_fc="sha1"))  # its xxhash fails on this release
        documents = [Document(text, str(row)) for row, text in enumerate(texts)]
        with tempfile.TemporaryDirectory() as at:
            executed([documents, minhash.MinhashDedupSignature(f"{at}/sigs", config)], f"{at}/1")
            buckets = minhash.MinhashDedupBuckets(f"{at}/sigs", f"{at}/buckets", config=config)
            executed([buckets], f"{at}/2", config.num_buckets)
            executed([minhash.MinhashDedupCluster(f"{at}/buckets", f"{at}/remove", config)], f"{at}/3")
            return executed([documents, minhash.MinhashDedupFilter(f"{at}/remove")], f"{at}/4")

    return {
        "AddFingerprints": lambda texts: print(through(texts, AddFingerprints(SCHEME))),
        "NearDuplicateFilter": lambda texts: through(texts, NearDuplicateFilter()),
        "own: MinHash, 14 buckets of 8": own,
    }


def data_juicer() -> dict[str, Work]:
    from data_juicer.ops.deduplicator.document_minhash_deduplicator import DocumentMinhashDeduplicator
    from data_juicer.ops.deduplicator.document_simhash_deduplicator import DocumentSimhashDeduplicator
    from datasets import Dataset, disable_caching, disable_progress_bars

    from simhash_doc.integrations.data_juicer import SimhashDocDeduplicator

    disable_caching()
    disable_progress_bars()

    def through(operator: type) -> Work:
        def run(texts: list[str]) -> int:
            step = operator()
            return len(step.process(Dataset.from_dict({"text": texts}).map(step.compute_hash))[0])

        return run

    return {
        "SimhashDocDeduplicator": through(SimhashDocDeduplicator),
        "own: document_simhash_deduplicator": through(DocumentSimhashDeduplicator),
        "own: document_minhash_deduplicator": through(DocumentMinhashDeduplicator),
    }


def scrapy() -> dict[str, Work]:
    from scrapy.exceptions import DropItem
    from scrapy.utils.test import get_crawler

    from simhash_doc.integrations.scrapy import NearDuplicatePipeline

    def through(texts: list[str]) -> int:
        pipeline, dropped = NearDuplicatePipeline(get_crawler()), 0
        for row, text in enumerate(texts):
            try:
                pipeline.process_item({"text": text, "url": str(row)})
            except DropItem:
                dropped += 1
        return len(texts) - dropped

    return {"NearDuplicatePipeline": through}


HOSTS: dict[str, Callable[[], dict[str, Work]]] = {
    host.__name__.replace("_", "-"): host
    for host in (polars, pandas, duckdb, datasets, daft, datatrove, data_juicer, scrapy)
}


def processor_time() -> float:
    """Return the seconds of all threads and ended children."""
    spent = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(one.ru_utime + one.ru_stime for one in spent)


def measured(host: str, texts: list[str]) -> list[Row]:
    """Return a row for each of the steps of a host."""
    works = HOSTS[host]()
    for work in works.values():
        work(texts[:WARMING])  # imports and compiles
    times: dict[str, list[float]] = {name: [] for name in works}
    kept: dict[str, int | None] = {}
    for _ in range(PASSES):
        for name, work in works.items():
            begun = processor_time()
            kept[name] = work(texts)
            times[name].append(processor_time() - begun)
    return [
        {"host": host, "step": name, "texts": round(len(texts) / sorted(times[name])[PASSES // 2]), "kept": kept[name]}
        for name in works
    ]


def measured_in_java(host: str, texts: list[str]) -> list[Row]:
    """Return a row for each of the steps of a host of the JVM, which Pace.java measures after three passes."""
    with tempfile.TemporaryDirectory() as folder:
        settings = {
            "buildDirectory": f"{folder}/target",
            "disable.v2.api": "true",
            "exec.args": f"{host} {folder}/home",
            "exec.classpathScope": "test",
            "exec.mainClass": "io.github.simhashdoc.integrations.Pace",
            "log4j2.level": "OFF",
        }
        command = ["mvn", "-B", "-q", "test-compile", "org.codehaus.mojo:exec-maven-plugin:3.5.0:java"]
        command += [f"-D{name}={value}" for name, value in settings.items()]
        lines = "\n".join(texts).encode()
        done = subprocess.run(command, cwd=JAVA, input=lines, stdout=subprocess.PIPE, check=True)
    return [json.loads(row) for row in re.findall(rb"\{.*\}", done.stdout)]


def version_of(host: str) -> str | None:
    """Return the release of a host, from pom.xml if it is one of the JVM."""
    if host not in JVM:
        return version(host.replace("data-juicer", "py-data-juicer"))
    pom = (JAVA / "pom.xml").read_text(encoding="utf-8")
    return str(re.findall(rf"<artifactId>{host}(?:-core)?</artifactId>\s*<version>(.*)</version>", pom)[0])


def main() -> None:
    options = chosen_parts(corpus_parser(__doc__), (*HOSTS, *JVM))
    texts = texts_of(options.corpus, 100)
    last = results.read("hosts")
    rows = [row for row in last.get("rows", ()) if row["host"] not in options.parts]
    for host in options.parts:
        found = measured_in_java(host, texts) if host in JVM else isolated(measured, host, texts)[0]
        rows += found
        print(*found, sep="\n", flush=True)
    versions = last.get("versions", {}) | {host: version_of(host) for host in options.parts}
    if set(JVM) & set(options.parts):
        java = subprocess.run(["java", "--version"], stdout=subprocess.PIPE, text=True, check=True)
        versions["java"] = java.stdout.split()[1]
    results.write("hosts", {"machine": machine(), "versions": versions, "rows": rows})


if __name__ == "__main__":
    main()
