"""Engine `python`: one document at a time, and nothing to load but the standard library and xxhash.

It is the fastest engine for small documents, and the only one that runs a tokenizer or stop list of the caller.

Tokens are computed by methods of `str` and `bytes` on the complete text, not character by character. A text has few
distinct characters. What a character is, or folds to, is looked up once per distinct character, and `replace`,
`translate` and `split` do the rest. After folding the words are the runs that `split` leaves: every character in no
word has become a space, and so have the stretches of scriptio continua, whose bigrams are counted before. Links are
ASCII, so replacing another character by a space neither creates nor breaks a link.

Sums per bit are carry-save additions of integers of any width: one operation on a *bit plane* counts all positions of
all lanes. A hash here is an integer of all lanes, lane 0 the most significant.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from enum import IntEnum
from functools import cache, partial
from operator import add, and_

from xxhash import xxh64_digest, xxh64_intdigest

from simhash_doc.arguments import Tokenizer, texts
from simhash_doc.engines.base import LARGE_DOCUMENT, AnyText, Measurement, Measurements, TokenCounter
from simhash_doc.engines.strings import (
    DIGEST_LENGTH,
    MARKS,
    REMOVED,
    classes,
    compose,
    has_digest,
    link_free_text,
    without_digests,
    without_marked_links,
)
from simhash_doc.reference import OCCURRENCE_CAP, trim
from simhash_doc.schemes import LANE_BITS
from simhash_doc.unicode_data import connectors, fold_map, members

Planes = list[int]  # bit i of plane j is bit j of the number of ones that are counted at position i


class PythonEngine:
    """The pipeline through strings, regular expressions and integers."""

    name = "python"

    def fingerprint(self, text: AnyText, lanes: int) -> int | None:
        if len(text) > LARGE_DOCUMENT:
            measured = self._measure_large(text, lanes)
            return measured.value if measured.tokens else None
        counts = count_tokens(_decoded(text))
        if not counts:
            return None
        planes, weight = _count_ones(_hash_tokens(counts, lanes), counts.values())
        return _majority(planes, weight, lanes)

    def measure(self, text: AnyText, lanes: int) -> Measurement:
        if len(text) > LARGE_DOCUMENT:
            return self._measure_large(text, lanes)
        counts = count_tokens(_decoded(text))
        planes, weight = _count_ones(_hash_tokens(counts, lanes), counts.values())
        sums = _bit_sums(planes, weight, lanes)
        return Measurement(_majority(planes, weight, lanes), counts.total(), *_statistics(counts), tuple(sums))

    def measure_batch(self, texts: Sequence[AnyText | None], lanes: int) -> Measurements:
        result = Measurements.empty(len(texts), lanes)
        for at, text in enumerate(texts):
            if text is None:
                continue
            if not isinstance(text, str | bytes):
                raise TypeError(f"document {at} is {type(text).__name__}; expected str, bytes or None")
            if len(text) > LARGE_DOCUMENT:
                result.put_measured(at, self._measure_large(text, lanes))
            elif counts := count_tokens(_decoded(text)):
                planes, weight = _count_ones(_hash_tokens(counts, lanes), counts.values())
                result.put(at, _majority(planes, weight, lanes), _statistics(counts))
        return result

    def token_counter(self) -> TokenCounter:
        from simhash_doc.engines.token_counts import TextCounter

        return TextCounter(count_tokens)

    def _measure_large(self, text: AnyText, lanes: int) -> Measurement:
        from simhash_doc.engines.base import utf8

        counter = self.token_counter()
        counter.feed(utf8(text) if isinstance(text, str) else text)
        return counter.measure(lanes)


def custom_token_counter(tokenizer: Tokenizer | None, stop_tokens: Collection[str]) -> TokenCounter:
    """Return a counter for a tokenizer or stop list of the caller.

    Args:
        tokenizer: called once with the complete link-free text, in place of steps 3 to 5.
        stop_tokens: tokens that are left out.

    Raises:
        ValueError: without a tokenizer, a stop token is not a token of any text, so it would leave out nothing.
    """
    from simhash_doc.engines.token_counts import TextCounter

    for token in () if tokenizer else sorted(stop_tokens):
        found = [one.decode() for one in count_tokens(token)]
        if found != [token]:
            expected = f"write {', '.join(map(repr, found))}" if found else "no text contains it"
            raise ValueError(f"stop_tokens has {token!r}, which is not a token: {expected}")
    stop = frozenset(token.encode("utf-8", "surrogatepass") for token in stop_tokens)
    count = partial(_count_custom_tokens, tokenizer=tokenizer, stop_tokens=stop)
    return TextCounter(count, in_pieces=tokenizer is None)


def _statistics(counts: Counter[bytes]) -> tuple[int, int, int]:
    """Return a row of `Measurements.statistics`."""
    capped = [min(count, OCCURRENCE_CAP) for count in counts.values()]
    return (len(capped), sum(capped), sum(count * count for count in capped))


def _count_custom_tokens(text: str, tokenizer: Tokenizer | None, stop_tokens: frozenset[bytes]) -> Counter[bytes]:
    if tokenizer is None:
        found = count_tokens(text)
    else:
        tokens = Counter(texts(tokenizer(link_free_text(text)), "tokens", "what the tokenizer returns"))
        found = Counter({token.encode("utf-8"): count for token, count in tokens.items()})
    for token in stop_tokens & found.keys():
        del found[token]
    return found


def _decoded(text: AnyText) -> str:
    # A byte order mark folds to nothing, wherever it is.
    return text.decode("utf-8", "replace") if isinstance(text, bytes) else text


def _hash_tokens(tokens: Iterable[bytes], lanes: int) -> list[int]:
    """Return the hash of each token (SD-HASH-1, SD-WIDE-2)."""
    if lanes == 1:
        return [xxh64_intdigest(token) for token in tokens]
    seeds = range(lanes)
    return [int.from_bytes(b"".join([xxh64_digest(token, seed) for seed in seeds]), "big") for token in tokens]


def _count_ones(hashes: Iterable[int], occurrences: Iterable[int]) -> tuple[Planes, int]:
    """Return the planes over all hashes, each counted as often as its token counts, and the sum of these counts."""
    by_power: list[list[int]] = [[] for _ in range(OCCURRENCE_CAP.bit_length())]
    ones = by_power[0]
    weight = 0
    for token_hash, count in zip(hashes, occurrences, strict=True):
        if count == 1:
            ones.append(token_hash)
            weight += 1
            continue
        capped = min(OCCURRENCE_CAP, count)
        weight += capped
        for power, group in enumerate(by_power):
            if capped >> power & 1:
                group.append(token_hash)
    planes: Planes = []
    carries: list[int] = []
    while by_power or carries:
        plane, carries = _add((by_power.pop(0) if by_power else []) + carries)
        planes.append(plane)
    return planes, weight


def _add(numbers: list[int]) -> tuple[int, list[int]]:
    """Return the sum of bits at each position modulo 2, and numbers whose bits are the carries."""
    carries: list[int] = []
    while len(numbers) > 1:
        if len(numbers) % 3:
            numbers += [0] * (3 - len(numbers) % 3)
        each = iter(numbers)
        numbers = []
        for a, b, c in zip(each, each, each, strict=True):
            either = a ^ b
            numbers.append(either ^ c)
            carries.append(a & b | either & c)
    return (numbers[0] if numbers else 0), carries


def _majority(planes: Planes, weight: int, lanes: int) -> int:
    """Return the bits at which more than half of the weight are ones (SD-SIGN-1)."""
    half = weight >> 1
    more, equal = 0, (1 << LANE_BITS * lanes) - 1
    for power in range(max(len(planes), half.bit_length()) - 1, -1, -1):
        plane = planes[power] if power < len(planes) else 0
        if half >> power & 1:
            equal &= plane
        else:
            more |= equal & plane
            equal &= ~plane
    return more


def _bit_sums(planes: Planes, weight: int, lanes: int) -> list[int]:
    """Return the exact sums, bit 0 of lane 0 first (SD-SUM-1, SD-WIDE-2)."""
    bits = LANE_BITS * lanes
    columns = zip(*(f"{plane:0{bits}b}" for plane in reversed(planes)), strict=True)
    sums = [2 * int("".join(column), 2) - weight for column in columns]  # most significant first
    return [total for start in range(0, bits, LANE_BITS) for total in reversed(sums[start : start + LANE_BITS])]


_WORD_BYTES = b"abcdefghijklmnopqrstuvwxyz0123456789_"
_TO_SPACES = bytes(byte if byte in _WORD_BYTES or 0x80 <= byte < REMOVED[0] else 0x20 for byte in range(256))
_FIRST_LETTER, _UNDERSCORE = ord("a"), ord("_")
_MAX_REPLACED = 100  # distinct characters; with more, one `translate` of the text is faster


class _Kind(IntEnum):
    OUTSIDE, WORD, CONTINUA, CONNECTOR = range(4)


def count_tokens(text: str) -> Counter[bytes]:
    """Return the tokens of a text with their occurrences (SD-FOLD-1 to SD-FILTER-2)."""
    if text.isascii():
        return _count_words(text.lower().encode("ascii"), has_connectors=False)
    folded, characters = _folded(text)
    counts: Counter[bytes] = Counter()
    kinds = {character: _KINDS[character] for character in characters if not character.isascii()}
    if _Kind.CONTINUA in kinds.values():
        counts.update(_bigrams(folded))
        folded = _continua_stretch().sub(" ", folded)
    for character, kind in kinds.items():
        if kind is _Kind.OUTSIDE:
            folded = folded.replace(character, " ")
    words = _count_words(folded.encode("utf-8"), has_connectors=_Kind.CONNECTOR in kinds.values())
    if not counts:
        return words
    counts.update(words)
    return counts


@cache
def _continua_stretch() -> re.Pattern[str]:
    """Return the pattern of one or more word characters of scriptio continua."""
    low, high = classes(bytes(map(and_, members("word"), members("continua"))))
    return re.compile(f"(?:{low}+|{high}+)+")


def _bigrams(folded: str) -> dict[bytes, int]:
    """Return the occurrences of the bigrams, and stretches of one, of a folded text (SD-SPLIT-2, SD-SPLIT-3)."""
    counts: Counter[str] = Counter()
    for stretch in _continua_stretch().findall(folded):
        counts.update(map(add, stretch, stretch[1:]) if len(stretch) > 1 else (stretch,))
    alphabetic = members("alphabetic")
    return {
        token.encode("utf-8"): count
        for token, count in counts.items()
        if alphabetic[ord(token[0])] or alphabetic[ord(token[-1])]
    }


def _folded(text: str) -> tuple[str, set[str]]:
    """Return the folded text and its distinct characters (SD-FOLD-1 to SD-FOLD-5).

    White space becomes one space, which changes no token.
    """
    fold = fold_map()
    stretches = text.split()
    characters = _distinct(stretches)
    changes = {c: target for c in characters if (target := fold[ord(c)]) != c}
    mapped = " ".join(stretches)
    if len(changes) > _MAX_REPLACED:
        mapped = mapped.translate(fold)
    else:
        # In any order: no character of a target is mapped itself.
        for character, target in changes.items():
            mapped = mapped.replace(character, target)
    folded = compose(mapped)
    if folded == mapped:
        return folded, characters.difference(changes).union(*changes.values())
    return folded, _distinct(folded.split())


def _distinct(stretches: list[str]) -> set[str]:
    """Return the distinct characters of stretches of text; most stretches occur several times."""
    return set("".join(set(stretches)))


class _Kinds(dict[str, _Kind]):
    """The kinds of characters that are not ASCII, looked up when they are first seen."""

    def __missing__(self, character: str) -> _Kind:
        code_point = ord(character)
        if not members("word")[code_point]:
            kind = _Kind.OUTSIDE
        elif members("continua")[code_point]:
            kind = _Kind.CONTINUA
        else:
            kind = _Kind.CONNECTOR if character in connectors() else _Kind.WORD
        self[character] = kind
        return kind


_KINDS = _Kinds()


def _count_words(folded: bytes, *, has_connectors: bool) -> Counter[bytes]:
    """Return the words of a folded text.

    Args:
        folded: UTF-8 in which every character that is not ASCII is in a word, and none is of scriptio continua.
        has_connectors: True if one of them is a connector.
    """
    if MARKS.search(folded):
        folded = without_marked_links(folded)
    words = Counter(folded.translate(_TO_SPACES).split())
    if any(len(word) >= DIGEST_LENGTH and has_digest(word) for word in words):
        words = Counter(without_digests(folded).translate(_TO_SPACES).split())
    if has_connectors:
        doubtful = list(words)
    else:
        # Digits and the underscore are below the letters.
        doubtful = [
            word
            for word in words
            if not _FIRST_LETTER <= word[0] < 0x80 or word[-1] == _UNDERSCORE
            if word[0] < 0x80 or word[-1] == _UNDERSCORE or not _LETTERS[word[: _LENGTHS[word[0]]]]
        ]
    for word in doubtful:
        occurrences = words.pop(word)
        token = trim(word.decode("utf-8"))
        if token is not None:
            words[token.encode("utf-8")] += occurrences
    return words


class _Letters(dict[bytes, bool]):
    """Whether characters, in UTF-8, are Alphabetic; looked up when they are first seen."""

    def __missing__(self, character: bytes) -> bool:
        self[character] = is_letter = bool(members("alphabetic")[ord(character.decode("utf-8"))])
        return is_letter


_LETTERS = _Letters()
_LENGTHS = bytes(2 if lead < 0xE0 else 3 if lead < 0xF0 else 4 for lead in range(256))  # of a character, by its lead
