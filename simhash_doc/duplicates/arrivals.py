"""The rule for texts that come one after the other: each is decided before the next one is known."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from simhash_doc.arrays import Lanes
from simhash_doc.duplicates.confirmation import NumberIndex
from simhash_doc.duplicates.definition import Representatives
from simhash_doc.duplicates.numbers import contains, numbers_of
from simhash_doc.duplicates.packed import Integers, among_sorted
from simhash_doc.duplicates.policy import FIRST, LONGEST, Policy
from simhash_doc.duplicates.similarity import TextTokens, marked
from simhash_doc.lookup.positions import Positions
from simhash_doc.schemes import get_scheme


class Arrival(NamedTuple):
    """A text, as it is compared.

    Attributes:
        fingerprint: shape (lanes,).
        tokens: the numbers of those that kept texts have, ascending.
        size: how many tokens it has, each counted at most 8 times.
        distinct: how many of them are distinct.
        numbers: those in the text, in order.
    """

    fingerprint: Lanes
    tokens: Integers
    size: int
    distinct: int
    numbers: tuple[str, ...]


class KeptTexts:
    """The texts that were kept so far, numbered from 0. A new one is left out for the first that the policy allows.

    The answers are those of `find_duplicates` with the rule `first`. It keeps no texts. A kept text takes about 1,000
    bytes, 4 for each token and 150 for each number; each token that no text before it has takes 150 more.

    Args:
        policy: what is left out; `keep` is ``longest`` or ``first``, of which a stream can only do the second.

    Raises:
        ValueError: the policy prefers other texts than the first, or protects sources.
    """

    def __init__(self, policy: Policy) -> None:
        if policy.keep not in (LONGEST, FIRST) or policy.protected:
            raise ValueError("the policy has a rule of its own for what is kept; a stream keeps what comes first")
        self._policy = policy
        self._representatives = Representatives(get_scheme(policy.scheme).lanes, policy.bits)
        self._known: dict[bytes | tuple[bytes, int], int] = {}  # odd numbers are repetitions of a token
        self._tokens: list[Integers] = []
        self._distinct: list[int] = []
        self._numbers: list[tuple[str, ...]] = []
        self._by_numbers = NumberIndex[str]()

    def __len__(self) -> int:
        return len(self._tokens)

    def take(self, text: str, fingerprint: Lanes) -> tuple[int, int] | None:
        """Return the kept text that a text is left out for, and the distance in bits; otherwise keep the text.

        A text with too few tokens is neither compared nor kept.

        Args:
            text: the text.
            fingerprint: shape (lanes,).
        """
        counted = TextTokens(text).counted()
        if len(counted) < max(self._policy.min_tokens, 1):
            return None
        if self._policy.is_whole:
            counted = TextTokens(marked(text)).counted()
        known = np.sort(np.array([self._known[one] for one in counted if one in self._known], np.int32))
        distinct = sum(type(one) is bytes for one in counted)
        numbers = tuple(numbers_of(text)) if self._policy.keeps_numbers else ()
        arrival = Arrival(fingerprint, known, len(counted), distinct, numbers)
        for kept, distance in self._near(arrival):
            if contains(self._numbers[kept], numbers) and self._is_similar(arrival, kept):
                return kept, distance
        tokens = [self._known.setdefault(one, 2 * len(self._known) + (type(one) is tuple)) for one in counted]
        self._keep(fingerprint, np.sort(np.array(tokens, np.int32)), numbers)
        return None

    def _near(self, arrival: Arrival) -> Iterator[tuple[int, int]]:
        lists = self._by_numbers.lists(arrival.numbers)
        among: Positions | None = None
        if lists is not None:
            among = np.unique(np.concatenate([np.empty(0, np.int64), *map(np.asarray, lists)]))
        return self._representatives.near(arrival.fingerprint, among)

    def _is_similar(self, arrival: Arrival, kept: int) -> bool:
        other = self._tokens[kept]
        common = arrival.tokens[among_sorted(other, arrival.tokens)]
        distinct = int((common % 2 == 0).sum())
        of_all = len(common) / (arrival.size + len(other) - len(common))
        of_distinct = distinct / (arrival.distinct + self._distinct[kept] - distinct)
        return min(of_all, of_distinct) >= self._policy.min_similarity

    def _keep(self, fingerprint: Lanes, tokens: Integers, numbers: tuple[str, ...]) -> None:
        self._by_numbers.add(self._representatives.add(fingerprint), numbers)
        self._tokens.append(tokens)
        self._distinct.append(int((tokens % 2 == 0).sum()))
        self._numbers.append(numbers)

    def state(self) -> dict[str, Any]:
        """Return all that is known of the kept texts as arrays, for `restore`."""
        tokens = [[one.decode(), 1] if isinstance(one, bytes) else [one[0].decode(), one[1]] for one in self._known]
        return {
            "fingerprints": self._representatives.fingerprints,
            "known": _bytes_of(tokens),
            "numbers": _bytes_of(self._numbers),
            "tokens": np.concatenate([np.empty(0, np.int32), *self._tokens]),
            "sizes": np.array([len(one) for one in self._tokens], np.int64),
        }

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Keep what `state` of another one has returned, before anything else."""
        for at, (token, count) in enumerate(_of_bytes(state["known"])):
            self._known[token.encode() if count == 1 else (token.encode(), count)] = 2 * at + (count > 1)
        tokens = np.split(state["tokens"], np.cumsum(state["sizes"])[:-1])
        for kept in zip(state["fingerprints"], tokens, map(tuple, _of_bytes(state["numbers"])), strict=False):
            self._keep(*kept)


def _bytes_of(value: object) -> npt.NDArray[Any]:
    return np.frombuffer(json.dumps(value).encode(), np.uint8)


def _of_bytes(array: npt.NDArray[Any]) -> Any:
    return json.loads(array.tobytes())
