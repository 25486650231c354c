"""Complete runs from Parquet to Parquet: the command line and spark-submit jobs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame, SparkSession

from simhash_doc.provenance import InvalidProvenanceError, Provenance, ProvenanceCheck
from simhash_doc.schemes import scheme_of_bits
from simhash_doc.spark.columns import column_types
from simhash_doc.spark.fingerprinting import fingerprints
from simhash_doc.spark.incremental import (
    DOCUMENTS,
    DOCUMENTS_PER_FILE,
    FINGERPRINTS,
    IDS,
    PreviousRuns,
    add_documents,
    write_index,
)
from simhash_doc.spark.pairs import MAX_PAIRS, Pairs, find_all
from simhash_doc.spark.queries import QueryMatches, query
from simhash_doc.spark.session import fit_partitions
from simhash_doc.spark.storage import (
    BadInputError,
    atomic_output,
    check_combined,
    column_provenance,
    id_column,
    read_entries,
    read_json,
    read_table,
)
from simhash_doc.thresholds import Distance, resolve_distance

_FINGERPRINTS = "_fingerprints"


def run_find_all(
    spark: SparkSession,
    source: Sequence[str],
    output: str,
    *,
    input_format: str = "auto",
    id_col: str | None = None,
    fp_col: str = "fingerprint",
    distance: Distance = None,
    sd64_distance: int | None = None,
    values: bool = False,
    max_pairs: int = MAX_PAIRS,
) -> dict[str, Any]:
    """Write every pair to the folder `output`, of ids or with `values` of fingerprints; return the report."""
    with atomic_output(spark, output) as written:
        entries = read_entries(spark, source, input_format, id_col, fp_col, with_ids=not values)
        partitions = fit_partitions(entries)
        with find_all(entries, distance=_maximum_distance(distance, entries), sd64_distance=sd64_distance) as pairs:
            rows = written.write(pairs.values if values else pairs.ids(max_pairs), "")
            facts = {
                "command": "find-all",
                "entries": pairs.distinct.entries,
                "without_fingerprint": pairs.distinct.missing,
                "distinct": pairs.distinct.values,
                "pairs": rows.count(),
                "bits": pairs.distinct.bits,
                **_cost(pairs, partitions),
            }
            return written.report(facts)


def run_query(
    spark: SparkSession,
    index: Sequence[str],
    source: Sequence[str],
    output: str,
    *,
    input_format: str = "auto",
    id_col: str | None = None,
    fp_col: str = "fingerprint",
    distance: Distance = None,
) -> dict[str, Any]:
    """Write the matches of every query to the folder `output`; return the report."""
    with atomic_output(spark, output) as written:
        stored = read_entries(spark, index, input_format, id_col, fp_col, what="the index")
        queries = read_entries(spark, source, input_format, id_col, fp_col, what="the queries")
        partitions = fit_partitions(stored, queries)
        with query(stored, queries, distance=_maximum_distance(distance, stored)) as matches:
            rows = written.write(matches.ids, "")
            return written.report({"command": "query", "matches": rows.count(), **_cost(matches, partitions)})


def run_dedupe(
    spark: SparkSession,
    source: Sequence[str],
    output: str,
    *,
    input_format: str = "auto",
    previous: Sequence[str] = (),
    id_col: str | None = None,
    text_col: str | None = "text",
    fp_col: str = "fingerprint",
    scheme: str = "sd64",
    extract: bool = False,
    distance: Distance = None,
) -> dict[str, Any]:
    """Write the fingerprint and cluster of each document to `output`/documents; return the report.

    The cluster is the id of the representative (`simhash_doc.duplicates.definition`), by runs and ids.

    Args:
        previous: outputs of the previous runs, first to last, to whose clusters the documents are added. Their
            distance is the default, and also that of auto.
        text_col: column of texts, or of documents if `extract` is set; None to use the fingerprints of `fp_col`.

    Raises:
        SchemeMismatchError: the fingerprints of a previous run are of another scheme.
        BadInputError: a previous run is incomplete or damaged, or the provenance of `fp_col` is invalid.

    Warns:
        ProvenanceWarning: the texts of a previous run come from another extractor.
    """
    runs = _reports(spark, previous)
    if distance in (None, "auto") and runs:
        distance = list(runs.values())[-1]["distance"]
    for folder, run in runs.items():
        if run["distance"] != distance:
            raise BadInputError(f"{folder}: its clusters are of distance {run['distance']}, not {distance}")
    if text_col is None:
        new = read_entries(spark, source, input_format, id_col, fp_col)
        provenance = column_provenance(new, "the input")
    else:
        df = read_table(spark, source, input_format)
        id_col = id_column(df, id_col)
        column_types(df, id_col, text_col)
        texts = df.select(F.col(f"`{id_col}`").alias("id"), F.col(f"`{text_col}`").alias("text"))
        new = fingerprints(texts, "text", scheme, extract=extract).drop("text")
        provenance = Provenance.of_package(scheme, extracted=extract)
    check_combined(provenance, _provenances(runs), "the new documents")
    with atomic_output(spark, output) as written:
        if text_col is None:
            new = new.withColumn("reason", F.lit(None).cast("string"))
        else:  # computed once, as they are read again
            new = written.write(new, _FINGERPRINTS)
        partitions = fit_partitions(new)
        maximum = _maximum_distance(distance, new)
        with add_documents(new, PreviousRuns(spark, runs) if runs else None, maximum) as update:
            documents = new.join(update.documents.select("id", "cluster"), "id", "left")
            columns = documents.select("id", "fingerprint", "reason", "cluster")
            documents = written.write(columns, DOCUMENTS, DOCUMENTS_PER_FILE)
            pairs, run_id = update.pairs, os.urandom(8).hex()
            write_index(written, documents, run_id, pairs.distinct.bits)
            facts = {
                "command": "dedupe",
                "runs": [*(run["runs"][-1] for run in runs.values()), run_id],
                "index": True,
                "documents": pairs.distinct.entries + pairs.distinct.missing,
                "without_fingerprint": pairs.distinct.missing,
                "distinct": pairs.distinct.values,
                "new_clusters": documents.where(F.col("cluster") == F.col("id")).count(),
                "bits": pairs.distinct.bits,
                **_cost(pairs, partitions),
                "rounds": update.rounds,
                "provenance": provenance.to_dict() if provenance else None,
            }
            written.remove(_FINGERPRINTS)
            written.record_digests(DOCUMENTS, FINGERPRINTS, IDS)
            return written.report(facts)


def _cost(found: Pairs | QueryMatches, partitions: int) -> dict[str, Any]:
    return {
        **asdict(found.plan),
        "partitions": partitions,
        "popular_keys": [asdict(key) for key in found.popular],
    }


def _maximum_distance(distance: Distance, entries: DataFrame) -> int | None:
    """Return the maximum distance; None for the default. Entries are counted only for auto, as that takes a Spark job.

    Raises:
        ThresholdParameterError: auto, and none is recommended.
    """
    if distance != "auto":
        return distance
    known = entries.where("fingerprint IS NOT NULL")
    first, count = known.first(), known.count()
    if first is None:
        return None
    return resolve_distance(distance, scheme_of_bits(8 * len(first["fingerprint"])), count).chosen


def _reports(spark: SparkSession, previous: Sequence[str]) -> dict[str, dict[str, Any]]:
    """Return the reports of the previous runs by their folders, after checking that each continues the one before."""
    runs = {folder.rstrip("/"): read_json(spark, folder) for folder in previous}
    done: list[str] = []
    for folder, run in runs.items():
        if run.get("command") != "dedupe":
            raise BadInputError(f"{folder}: is the output of {run.get('command')}, not of dedupe")
        for name, kind in (("runs", list), ("distance", int), ("bits", int), ("distinct", int)):
            if not isinstance(run.get(name), kind):
                raise BadInputError(f"{folder}: its report is invalid: {name!r} is missing or of another type")
        if run["runs"][:-1] != done:
            raise BadInputError(f"{folder}: does not follow the runs before it: name all previous runs, first to last")
        done = run["runs"]
    return runs


def _provenances(runs: dict[str, dict[str, Any]]) -> list[Provenance]:
    """Return the provenances in the reports of the previous runs, which can be compared with each other."""
    check = ProvenanceCheck()
    for folder, run in runs.items():
        if run.get("provenance") is not None:
            try:
                check.add(Provenance.from_dict(run["provenance"]))
            except InvalidProvenanceError as error:
                raise BadInputError(f"{folder}: its report is invalid: {error}") from error
    return check.known
