"""A deduplicator of data-juicer: near fingerprints, confirmed by the texts, in any script and of any length.

In a configuration:

    custom_operator_paths: ["simhash_doc/integrations/data_juicer.py"]  # where the package is installed
    process:
      - simhash_doc_deduplicator: {min_similarity: 0.9}

In Python, importing this module registers the operator.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from data_juicer.ops.base_op import OPERATORS, Deduplicator

from simhash_doc.duplicates.policy import Numbers, Policy
from simhash_doc.duplicates.rows import NEAR, find_duplicates

_DEFAULT = Policy()


@OPERATORS.register_module("simhash_doc_deduplicator")
class SimhashDocDeduplicator(Deduplicator):
    """Keeps one sample of each cluster of near-duplicates, by the rule of `simhash_doc.find_duplicates`.

    Args:
        scheme: of the fingerprints, as for `simhash_doc.Policy`.
        distance: as for `simhash_doc.Policy`.
        min_similarity: as for `simhash_doc.Policy`.
        numbers: as for `simhash_doc.Policy`.
        min_tokens: as for `simhash_doc.Policy`.
        keep: ``longest`` or ``first``.
        *args: of the operators of data-juicer.
        **kwargs: the same, such as ``text_key``.
    """

    def __init__(
        self,
        scheme: str = _DEFAULT.scheme,
        distance: int | None = None,
        min_similarity: float = _DEFAULT.min_similarity,
        numbers: Numbers = _DEFAULT.numbers,
        keep: str = _DEFAULT.keep,
        min_tokens: int = _DEFAULT.min_tokens,
        *args: Any,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._policy = Policy(scheme, distance, min_similarity, numbers, keep, min_tokens)

    def compute_hash(self, sample: Any) -> Any:
        """Return the sample as it is: `process` reads the texts of all."""
        return sample

    def process(self, dataset: Any, show_num: int = 0) -> tuple[Any, dict[int, list[Any]]]:
        """Return the samples that are kept, and at most `show_num` pairs of a kept and a dropped near-duplicate."""
        found = find_duplicates(dataset[self.text_key], policy=self._policy)
        near = np.flatnonzero(found.reasons == NEAR)[:show_num].tolist()
        pairs = {number: [dataset[int(found.representatives[row])], dataset[row]] for number, row in enumerate(near)}
        return dataset.select(np.flatnonzero(found.kept)), pairs
