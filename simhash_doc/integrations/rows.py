"""Fingerprints for hosts that pass batches of rows, as a mapping or a pyarrow table: Hugging Face datasets, Ray Data.

from simhash_doc.integrations.rows import AddFingerprintColumns

dataset = dataset.map(AddFingerprintColumns("text", "sd256"), batched=True)  # datasets
data = data.map_batches(AddFingerprintColumns("text", "sd256"), batch_format="pyarrow")  # Ray Data
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from simhash_doc.batch.api import fingerprint_many
from simhash_doc.schemes import AnyScheme


@dataclass(frozen=True, slots=True)
class AddFingerprintColumns:
    """Adds columns to a batch: ``fingerprint``, ``distinct_tokens`` and ``support``, as our tables have them.

    A null or a text without a token has no fingerprint: None, 0 and 0.

    Args:
        column: name of the column with the texts.
        scheme: short id of the scheme.
    """

    column: str
    scheme: AnyScheme = "sd64"

    def __call__(self, batch: Any) -> Any:
        """Return the columns of the batch and the added ones: a table for a table, otherwise a dictionary.

        Raises:
            KeyError: the batch has no such column.
            UnknownSchemeError: the scheme is not in the registry.
        """
        measured = fingerprint_many(batch[self.column], self.scheme)
        forms = pa.array(measured)
        if isinstance(batch, pa.Table):
            table = batch.append_column("fingerprint", forms)
            table = table.append_column("distinct_tokens", pa.array(measured.distinct_tokens))
            return table.append_column("support", pa.array(measured.support))
        return {
            **batch,
            "fingerprint": _typed(forms),
            "distinct_tokens": measured.distinct_tokens,
            "support": measured.support,
        }


def _typed(forms: pa.Array) -> npt.NDArray[Any]:
    """Return text forms as an array that is one of strings also if all are missing: hosts take its type for all rows.

    Not always, because fewer hosts and versions of Arrow know this type of NumPy than arrays of objects.
    """
    if forms.null_count < len(forms) or not len(forms):
        return forms.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
    typed = np.full(len(forms), None, np.dtypes.StringDType(na_object=None))
    try:
        pa.array(typed[:1])
    except pa.ArrowNotImplementedError:  # an older version
        return forms.to_numpy(zero_copy_only=False)  # type: ignore[no-any-return]
    return typed
