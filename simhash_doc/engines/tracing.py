"""Every intermediate value of a fingerprint, computed by the reference."""

from __future__ import annotations

from dataclasses import asdict, dataclass

from simhash_doc import reference
from simhash_doc.arguments import exact
from simhash_doc.schemes import AnyScheme, get_scheme


@dataclass(frozen=True, slots=True)
class TracedToken:
    """A distinct token.

    Attributes:
        token: its text.
        occurrences: how often it occurs.
        counted: how many of these count (SD-CAP-1).
        hashes: its hash for each lane, in hexadecimal.
    """

    token: str
    occurrences: int
    counted: int
    hashes: list[str]


@dataclass(frozen=True, slots=True)
class Trace:
    """Every intermediate value of one text's fingerprint (spec, section 2).

    `prepared` is the link-free text. `tokens` is ordered by UTF-8 bytes. `sums`, `buckets`, `hex` and `fingerprint`
    are None if there is no token. `fingerprint` is in base32.

    >>> traced = trace("The quick brown fox, https://example.org/")
    >>> traced.prepared, [token.token for token in traced.tokens], traced.hex
    ('the quick brown fox,  ', ['brown', 'fox', 'quick', 'the'], '5823032212128420')
    """

    scheme: str
    folded: str
    prepared: str
    tokens: list[TracedToken]
    sums: list[int] | None
    buckets: list[int] | None
    hex: str | None
    fingerprint: str | None

    def as_dict(self) -> dict[str, object]:
        """Return the trace as a dict for JSON.

        >>> sorted(trace("The quick brown fox").as_dict())
        ['buckets', 'fingerprint', 'folded', 'hex', 'prepared', 'scheme', 'sums', 'tokens']
        """
        return asdict(self)


def trace(text: str | bytes, scheme: AnyScheme = "sd64") -> Trace:
    """Return every intermediate value, computed by the reference.

    Raises:
        UnknownSchemeError: the scheme is not in the registry.
        TypeError: the text is neither str nor bytes.

    >>> trace("The quick brown fox").fingerprint
    'larqgiqsckcca'
    """
    text = exact(text)
    lanes = get_scheme(scheme).lanes
    decoded = reference.decode_utf8(text) if isinstance(text, bytes) else text
    folded = reference.fold(decoded)
    occurrences: dict[str, int] = {}
    for token in reference.tokens(decoded):
        occurrences[token] = occurrences.get(token, 0) + 1
    counted = {token: min(reference.OCCURRENCE_CAP, count) for token, count in occurrences.items()}
    sums = reference.bit_sums(counted, lanes) if counted else None
    clamped = reference.to_buckets(sums) if sums else None
    data = reference.to_bytes(clamped) if clamped else None
    return Trace(
        scheme=get_scheme(scheme).id,
        folded=folded,
        prepared=reference.remove_links(folded),
        tokens=[
            TracedToken(
                token=token,
                occurrences=occurrences[token],
                counted=counted[token],
                hashes=[f"{reference.hash_token(token, lane):016x}" for lane in range(lanes)],
            )
            for token in sorted(occurrences, key=lambda token: token.encode("utf-8"))
        ],
        sums=sums,
        buckets=clamped,
        hex=data.hex() if data else None,
        fingerprint=reference.encode(data) if data else None,
    )
