"""Steps of a datatrove pipeline: fingerprints as metadata, and a filter of near-duplicates.

from simhash_doc.integrations.datatrove import AddFingerprints, NearDuplicateFilter

pipeline = [reader, AddFingerprints("sd256"), NearDuplicateFilter(exclusion_writer=writer), kept_writer]
"""

from __future__ import annotations

from datatrove.data import Document, DocumentsPipeline
from datatrove.pipeline.base import PipelineStep
from datatrove.pipeline.filters.base_filter import BaseFilter
from datatrove.pipeline.writers.disk_base import DiskWriter
from datatrove.utils.batching import batched

from simhash_doc.batch.api import fingerprint_many
from simhash_doc.duplicates.policy import FIRST, Numbers, Policy
from simhash_doc.integrations.seen import SeenTexts
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import AnyScheme

_BATCH = 1000
_DEFAULT = Policy()


class AddFingerprints(PipelineStep):
    """Adds ``simhash``, the text form, and ``simhash_support`` to the metadata of each document.

    The text form of a document without a token is empty, and not None: writers of typed files take the type of a column
    from the first document.

    Args:
        scheme: short id of the scheme.
    """

    type = "🔢 - SIGNATURE"
    name = "simhash-doc"

    def __init__(self, scheme: AnyScheme = "sd64") -> None:
        super().__init__()
        self.scheme = scheme

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        for batch in batched(data, _BATCH):
            with self.track_time("batch"):
                measured = fingerprint_many([document.text for document in batch], self.scheme)
            for document, form, support in zip(batch, measured.text_forms(), measured.support.tolist(), strict=True):
                document.metadata |= {"simhash": form or "", "simhash_support": round(support, 2)}
                self.stat_update("fingerprint" if form else "without a token")
                yield document


class NearDuplicateFilter(BaseFilter):
    """Drops documents that duplicate an earlier document of the same task, by the rule of `find_duplicates`.

    The filter compares words and numbers, so it loses no number. It keeps the first document, even if a later document
    is longer. Each task of datatrove sees only its own documents. To compare all documents, run this step with one
    task.

    A dropped document gets the metadata ``near_duplicate_of``, an id, and ``near_duplicate_distance``, in bits. The
    filter keeps a document that is near an indexed one, because the index has no texts. Such a document gets
    ``candidate_of`` and ``candidate_distance``.

    Args:
        scheme: of the fingerprints, as for `simhash_doc.Policy`.
        distance: as for `simhash_doc.Policy`.
        min_similarity: as for `simhash_doc.Policy`.
        numbers: as for `simhash_doc.Policy`.
        min_tokens: as for `simhash_doc.Policy`.
        against: an index of earlier documents, written by `simhash-doc index build`.
        exclusion_writer: writes the dropped documents.
    """

    name = "simhash-doc near-duplicates"

    def __init__(
        self,
        scheme: str = _DEFAULT.scheme,
        distance: int | None = None,
        against: str | None = None,
        exclusion_writer: DiskWriter | None = None,
        min_similarity: float = _DEFAULT.min_similarity,
        numbers: Numbers = _DEFAULT.numbers,
        min_tokens: int = _DEFAULT.min_tokens,
    ) -> None:
        super().__init__(exclusion_writer, _BATCH)
        self.policy, self.against = Policy(scheme, distance, min_similarity, numbers, FIRST, min_tokens), against
        self._seen: SeenTexts | None = None

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        self._seen = SeenTexts(self.policy, Corpus.open(self.against) if self.against else None)
        yield from super().run(data, rank, world_size)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        assert self._seen, "the filter runs in a pipeline"
        results: list[bool | tuple[bool, str]] = []
        found = self._seen.add([document.text for document in batch], [document.id for document in batch])
        for document, near in zip(batch, found, strict=True):
            if near is None or near.candidate:
                results.append(True)
            else:
                results.append((False, "near_duplicate"))
            if near:
                name = "candidate" if near.candidate else "near_duplicate"
                document.metadata |= {f"{name}_of": near.id, f"{name}_distance": near.distance}
        return results
