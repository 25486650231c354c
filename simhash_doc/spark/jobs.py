"""Complete runs from Parquet to Parquet: the command line and spark-submit jobs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import reduce
from typing import Any

import pyspark.sql.functions as F  # noqa: N812
from pyspark.sql import DataFrame, SparkSession

from simhash_doc.duplicates.component import NUMBERS
from simhash_doc.duplicates.policy import Policy
from simhash_doc.ingest import EXTRACTOR
from simhash_doc.provenance import InvalidProvenanceError, Provenance, ProvenanceCheck
from simhash_doc.schemes import get_scheme, scheme_of_bits
from simhash_doc.spark.columns import column_types
from simhash_doc.spark.fingerprinting import fingerprinted_texts, fingerprints
from simhash_doc.spark.incremental import (
    DOCUMENTS,
    DOCUMENTS_PER_FILE,
    FINGERPRINTS,
    IDS,
    PreviousRuns,
    add_documents,
    representatives,
    write_index,
)
from simhash_doc.spark.near_pairs import MAX_PAIRS, SparkPairs, find_all
from simhash_doc.spark.preference import with_sortable_preferences
from simhash_doc.spark.queries import QueryMatches, query
from simhash_doc.spark.session import fit_partitions
from simhash_doc.spark.similar import find_similar, identified
from simhash_doc.spark.storage import (
    BadInputError,
    atomic_output,
    check_combined,
    column_provenance,
    id_column_name,
    read_entry_table,
    read_json,
    read_table,
)
from simhash_doc.thresholds import Distance, resolve_distance

_FINGERPRINTS = "_fingerprints"


@dataclass(frozen=True)
class JobInput:
    """What a job reads.

    Attributes:
        paths: files or folders.
        input_format: of the files, as `read_table` names it.
        id_col: column with the ids; None for id, or path.
        fp_col: column with fingerprints.
        text_col: column with texts, or documents if `extract` is set; None for fingerprints.
        extract: whether the texts of documents are extracted.
    """

    paths: Sequence[str]
    input_format: str = "auto"
    id_col: str | None = None
    fp_col: str = "fingerprint"
    text_col: str | None = None
    extract: bool = False

    def entries(self, spark: SparkSession, what: str = "the input", *, with_ids: bool = True) -> DataFrame:
        """Return columns id and fingerprint."""
        columns = self.id_col, self.fp_col
        return read_entry_table(spark, self.paths, self.input_format, *columns, what=what, with_ids=with_ids)

    def texts(self, spark: SparkSession, preferred: str | None = None) -> DataFrame:
        """Return columns id, text, and preferred if there is a column of this name."""
        df = read_table(spark, self.paths, self.input_format)
        named = {"id": id_column_name(df, self.id_col), "text": self.text_col or "text"}
        named |= {"preferred": preferred} if preferred else {}
        column_types(df, *named.values())
        return df.select(*(F.col(f"`{column}`").alias(name) for name, column in named.items()))

    def protected_texts(self, spark: SparkSession, policy: Policy) -> DataFrame:
        """Return columns id, text, protected, and preferred, which sorts, if the policy names a column.

        Raises:
            BadInputError: what the policy protects is not among the paths.
            BadColumnError, TabularUsageError: the values of the column have no order.
        """
        protected = {path.rstrip("/"): path for path in policy.protected}
        given = {path.rstrip("/") for path in self.paths}
        if missing := [path for place, path in protected.items() if place not in given]:
            raise BadInputError(f"--never-remove {missing[0]}: is not among the inputs: {', '.join(self.paths)}")
        parts = [
            replace(self, paths=paths).texts(spark, policy.column).withColumn("protected", F.lit(kind))
            for kind in (False, True)
            if (paths := [path for path in self.paths if (path.rstrip("/") in protected) is kind])
        ]
        texts = reduce(lambda one, other: one.unionByName(other), parts)
        return with_sortable_preferences(texts, policy.column) if policy.column else texts


def run_find_all(
    spark: SparkSession,
    source: JobInput,
    output: str,
    *,
    distance: Distance = None,
    sd64_distance: int | None = None,
    values: bool = False,
    max_pairs: int = MAX_PAIRS,
) -> dict[str, Any]:
    """Write every pair to the folder `output`, of ids or with `values` of fingerprints; return the report."""
    with atomic_output(spark, output) as written:
        entries = source.entries(spark, with_ids=not values)
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
    spark: SparkSession, index: JobInput, source: JobInput, output: str, *, distance: Distance = None
) -> dict[str, Any]:
    """Write the matches of every query to the folder `output`; return the report."""
    with atomic_output(spark, output) as written:
        stored, queries = index.entries(spark, "the index"), source.entries(spark, "the queries")
        partitions = fit_partitions(stored, queries)
        with query(stored, queries, distance=_maximum_distance(distance, stored)) as matches:
            rows = written.write(matches.ids, "")
            return written.report({"command": "query", "matches": rows.count(), **_cost(matches, partitions)})


def run_dedupe(
    spark: SparkSession,
    source: JobInput,
    output: str,
    *,
    previous: Sequence[str] = (),
    scheme: str = "sd64",
    distance: Distance = None,
    sd64_distance: int | None = None,
) -> dict[str, Any]:
    """Write the fingerprint of each document, and what it is a candidate of, to `output`/documents; return the report.

    Texts are not compared, so nothing may be left out. The column candidate_of has the id of the first near document
    that is a candidate of none, by runs and ids; of that document, and of one without a fingerprint, its own id.

    Args:
        source: texts, or fingerprints.
        previous: outputs of the previous runs, first to last, to whose documents these are added. Their distance is
            the default, and also that of auto.
        scheme: short id of the scheme of texts.
        sd64_distance: see `find_all`; without previous runs only.

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
    if source.text_col is None:
        new = source.entries(spark)
        provenance = column_provenance(new, "the input")
    else:
        new = fingerprints(source.texts(spark), scheme=get_scheme(scheme), extract=source.extract).drop("text")
        provenance = Provenance.of_package(scheme, extractor=EXTRACTOR if source.extract else None)
    check_combined(provenance, _provenances(runs), "the new documents")
    with atomic_output(spark, output) as written:
        if source.text_col is None:
            new = new.withColumn("reason", F.lit(None).cast("string"))
        else:  # computed once, as they are read again
            new = written.write(new, _FINGERPRINTS)
        partitions = fit_partitions(new)
        maximum = _maximum_distance(distance, new)
        with add_documents(new, PreviousRuns(spark, runs) if runs else None, maximum, sd64_distance) as update:
            found = new.join(update.documents.select("id", "cluster"), "id", "left")
            candidate_of = F.coalesce("cluster", "id").alias("candidate_of")
            documents = found.select("id", "fingerprint", "reason", candidate_of)
            documents = written.write(documents, DOCUMENTS, DOCUMENTS_PER_FILE)
            documents = documents.withColumnRenamed("candidate_of", "cluster")
            pairs, run_id = update.pairs, os.urandom(8).hex()
            write_index(written, documents, run_id, pairs.distinct.bits)
            facts = {
                "command": "dedupe",
                "confirm": "none",
                "runs": [*(run["runs"][-1] for run in runs.values()), run_id],
                "index": True,
                **_counts(documents, "no_candidate"),
                "distinct": pairs.distinct.values,
                "bits": pairs.distinct.bits,
                "new_clusters": representatives(documents).count(),
                **_cost(pairs, partitions),
                "rounds": update.rounds,
                "provenance": provenance.to_dict() if provenance else None,
            }
            written.remove(_FINGERPRINTS)
            written.record_digests(DOCUMENTS, FINGERPRINTS, IDS)
            return written.report(facts)


def run_dedupe_texts(
    spark: SparkSession, source: JobInput, output: str, policy: Policy | None = None, sd64_distance: int | None = None
) -> dict[str, Any]:
    """Write the fingerprint and cluster of each document to `output`/documents; return the report.

    With the rows in the order of their ids, the result is that of `find_duplicates`. The columns are those of
    `SimilarRows`.

    Args:
        source: texts, or documents that are extracted.
        policy: what is left out; None for the defaults.
        sd64_distance: see `find_all`.

    Raises:
        BadInputError: what the policy protects is not among the paths.
    """
    policy = policy or Policy()
    texts, extract = source.protected_texts(spark, policy), source.extract
    with atomic_output(spark, output) as written:
        # Computed once, as they are read again. Texts are read again from the source, unless they were extracted.
        computed = identified(fingerprinted_texts(texts, policy.scheme, extract=extract), policy)
        rows = written.write(computed if extract else computed.drop("text"), _FINGERPRINTS)
        partitions = fit_partitions(rows)
        compared = (rows if extract else texts).select("id", "text")
        with find_similar(rows, compared, policy, sd64_distance) as found:
            documents = written.write(found.documents, DOCUMENTS, DOCUMENTS_PER_FILE)
            facts = {
                "command": "dedupe",
                "confirm": "text",
                **asdict(policy),
                "runs": [os.urandom(8).hex()],
                **_counts(documents, "kept"),
                **_groups(documents),
                "bits": found.pairs.distinct.bits,
                "compared": found.pairs.distinct.entries,
                **_cost(found.pairs, partitions),
                "rounds": found.rounds,
                "provenance": Provenance.of_package(policy.scheme, extractor=EXTRACTOR if extract else None).to_dict(),
            }
            written.remove(_FINGERPRINTS)
            written.record_digests(DOCUMENTS)
            return written.report(facts)


def _counts(documents: DataFrame, own: str) -> dict[str, Any]:
    """Return the numbers of documents, those without a fingerprint, and those whose cluster is their own id."""
    kept = F.count(F.when(F.col("cluster") == F.col("id"), 1))
    missing = F.count(F.when(F.col("fingerprint").isNull(), 1))
    row = documents.agg(F.count("*"), missing, kept).first()
    assert row is not None
    return dict(zip(("documents", "without_fingerprint", own), row, strict=True))


def _groups(documents: DataFrame) -> dict[str, Any]:
    """Return what a user may not expect to be kept or left out."""
    other = F.count(F.when(F.col("numbers") == NUMBERS[2], 1))
    row = documents.agg(F.count("resembles"), other).first()
    sizes = documents.groupBy("cluster").agg(F.count("*").alias("documents"), F.min("similarity").alias("similarity"))
    largest = sizes.orderBy(F.desc("documents"), "cluster").first()
    assert row is not None
    names = ("kept_by_numbers", "left_out_with_other_numbers")
    facts: dict[str, Any] = dict(zip(names, row, strict=True))
    if largest is not None and largest["documents"] > 1:
        facts["largest_cluster"] = largest.asDict() | {"cluster": str(largest["cluster"])}
    return facts


def _cost(found: SparkPairs | QueryMatches, partitions: int) -> dict[str, Any]:
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
        if run.get("confirm", "none") != "none":
            raise BadInputError(
                f"{folder}: its duplicates were confirmed by texts, which a later run does not have; run --confirm "
                "none, or give all documents to one run"
            )
        for name, kind in (("runs", list), ("distance", int), ("bits", int), ("distinct", int)):
            if type(run.get(name)) is not kind:  # isinstance would accept a bool as an int
                raise BadInputError(f"{folder}: its report is invalid: {name!r} is missing or of another type")
        if not (run["runs"] and all(isinstance(one, str) for one in run["runs"])):
            raise BadInputError(f"{folder}: its report is invalid: 'runs' is {run['runs']!r:.60}, not names of runs")
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
