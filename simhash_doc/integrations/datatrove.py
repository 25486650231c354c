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
from simhash_doc.integrations.seen import SeenTexts
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import AnyScheme

_BATCH = 1000


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
    """Drops documents near an earlier one of the same task, or near one of an index.

    It compares fingerprints in the order of arrival, not texts: it cannot promise that no number is lost, or that what
    is dropped is similar. Give an `exclusion_writer`, and confirm what it has by `find_duplicates`.

    A dropped document gets the metadata ``near_duplicate_of``, an id, and ``near_duplicate_distance``, in bits. Each
    task of datatrove sees its own documents only: to compare all with each other, run this step with one task.

    Args:
        scheme: short id of the scheme.
        distance: most bits in which fingerprints differ; None for `close` of the scheme.
        against: an index that `simhash-doc index build` has written, of documents that came earlier: new against old.
            It decides on scheme and distance.
        exclusion_writer: writes the dropped documents.
    """

    name = "simhash-doc near-duplicates"

    def __init__(
        self,
        scheme: AnyScheme = "sd256",
        distance: int | None = None,
        against: str | None = None,
        exclusion_writer: DiskWriter | None = None,
    ) -> None:
        super().__init__(exclusion_writer, _BATCH)
        self.scheme, self.distance, self.against = scheme, distance, against
        self._seen: SeenTexts | None = None

    def run(self, data: DocumentsPipeline, rank: int = 0, world_size: int = 1) -> DocumentsPipeline:
        self._seen = SeenTexts(self.scheme, self.distance, Corpus.open(self.against) if self.against else None)
        yield from super().run(data, rank, world_size)

    def filter(self, doc: Document) -> bool | tuple[bool, str]:
        return self.filter_batch([doc])[0]

    def filter_batch(self, batch: list[Document]) -> list[bool | tuple[bool, str]]:
        assert self._seen, "the filter runs in a pipeline"
        results: list[bool | tuple[bool, str]] = []
        found = self._seen.add([document.text for document in batch], [document.id for document in batch])
        for document, near in zip(batch, found, strict=True):
            if near:
                document.metadata |= {"near_duplicate_of": near.id, "near_duplicate_distance": near.distance}
            results.append((False, "near_duplicate") if near else True)
        return results
