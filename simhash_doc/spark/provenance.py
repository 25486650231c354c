"""The provenance of a column of fingerprints: metadata of the column, which Spark keeps in Parquet."""

from __future__ import annotations

import warnings
from typing import Any

from pyspark.sql import DataFrame

from simhash_doc.ingest.errors import InvalidProvenanceError, ProvenanceWarning
from simhash_doc.ingest.provenance import METADATA_KEY, Provenance, ProvenanceCheck
from simhash_doc.spark.errors import BadInputError

_KEY = METADATA_KEY.decode()


def column_metadata(provenance: Provenance) -> dict[str, Any]:
    """Return the metadata of a column of fingerprints."""
    return {_KEY: provenance.to_json()}


def column_provenance(df: DataFrame, fp_col: str, what: str) -> Provenance | None:
    """Return the provenance of a column of fingerprints; None if it is not known.

    Args:
        what: the table, for messages.

    Raises:
        BadInputError: the metadata of the column are invalid.
    """
    text = df.schema[fp_col].metadata.get(_KEY)
    if text is None:
        return None
    try:
        return Provenance.from_json(str(text))
    except InvalidProvenanceError as error:
        raise BadInputError(f"{what}: column {fp_col!r}: {error}") from error


def check_combined(later: Provenance | None, earlier: list[Provenance], what: str) -> None:
    """Compare the provenance of fingerprints with that of those they are combined with.

    Raises:
        SchemeMismatchError: they cannot be compared.

    Warns:
        ProvenanceWarning: distances between them are less reliable.
    """
    if warning := ProvenanceCheck(earlier).add(later):
        warnings.warn(f"{what} are {warning}", ProvenanceWarning, stacklevel=3)
