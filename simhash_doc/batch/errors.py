"""The error of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from simhash_doc.errors import SimhashDocError

if TYPE_CHECKING:
    import numpy as np

_SHOWN = 10


class WorkerFailedError(SimhashDocError, RuntimeError):
    """The worker process of some documents failed twice; all other documents have their fingerprint.

    Attributes:
        failures: of each batch that failed, the numbers of its documents in the input (from 0), and the reason.
        fingerprints: the result of `fingerprint_many`, masked also where the worker failed. None from
            `fingerprint_batches`, which has yielded it.
    """

    code = "worker-failed"

    def __init__(
        self,
        failures: Sequence[tuple[range, str]],
        fingerprints: np.ma.MaskedArray[Any, np.dtype[np.uint64]] | None = None,
    ) -> None:
        self.failures = list(failures)
        self.fingerprints = fingerprints
        shown = "; ".join(f"{numbers.start} to {numbers.stop - 1}: {why}" for numbers, why in self.failures[:_SHOWN])
        more = f"; and {len(self.failures) - _SHOWN} more" if len(self.failures) > _SHOWN else ""
        super().__init__(f"the worker of some documents failed; all others have their fingerprint: {shown}{more}")

    def __reduce__(self) -> tuple[object, ...]:
        return type(self), (self.failures, self.fingerprints)
