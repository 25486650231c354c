"""The text form of many fingerprints at once."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from simhash_doc.reference import BASE32

_DIGITS = np.frombuffer(BASE32.encode("ascii"), np.uint8)


def encode_base32(values: npt.NDArray[np.uint64]) -> npt.NDArray[np.bytes_]:
    """Return the fingerprints in base32, as `reference.encode` does for one (SD-TEXT-1, SD-TEXT-2).

    Args:
        values: Lanes of n fingerprints, shape (n, lanes), lane 0 first.

    Returns:
        Shape (n,), ASCII, without the scheme.
    """
    n, lanes = values.shape
    characters = -(-64 * lanes // 5)
    bits = np.zeros((n, 5 * characters), np.uint8)
    bits[:, : 64 * lanes] = np.unpackbits(values.astype(">u8").view(np.uint8).reshape(n, 8 * lanes), axis=1)
    digits = np.packbits(bits.reshape(n, characters, 5), axis=2)[:, :, 0] >> 3
    return np.ascontiguousarray(_DIGITS[digits]).view(f"S{characters}")[:, 0]
