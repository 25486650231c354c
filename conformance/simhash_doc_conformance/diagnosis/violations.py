"""Name the requirement that a wrong value of a step violates, as far as the value shows it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import permutations
from typing import Any

from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.reference import BUCKET_LIMIT, LANE_BITS, LINK, LINK_FORMS, OCCURRENCE_CAP
from simhash_doc.schemes import get_schemes
from simhash_doc.unicode_data import REPLACEMENT, connectors, normalize, word_categories
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.formatting import permuted
from simhash_doc_conformance.vectors.cases import Case
from simhash_doc_conformance.vectors.extraction import bit_sums

_REFERENCE = Implementation()
_MOST_COMPARED = 12  # distinct tokens of a text of which each two are tried as one
_LINK_REQUIREMENTS = {form: f"SD-LINK-{number}" for number, form in enumerate(LINK_FORMS, 2)}


_OF_MISMATCHES = {"distance": "SD-DIST-2", "narrow": "SD-NARROW-2", "query": "SD-LOOK-4", "find_all": "SD-LOOK-4"}


def of_outcome(case: Case, answer: Mapping[str, Any]) -> str:
    """Return the requirement that a wrong answer about fingerprints violates, as far as errors and digits show it."""
    if case.op in _OF_MISMATCHES and "scheme-mismatch" in (case.expected.get("error"), answer.get("error")):
        both_errors = "error" in case.expected and "error" in answer
        return "SD-TEXT-9" if both_errors else _OF_MISMATCHES[case.op]
    if case.op == "distance" and "result" in case.expected and isinstance(answer.get("result"), Mapping):
        is_right = answer["result"].get("distance") == case.expected["result"]["distance"]
        return "SD-DIST-3" if is_right else "SD-DIST-1"
    if case.op == "encode" and "result" in case.expected and isinstance(answer.get("result"), str):
        return _of_text_form(case.expected["result"], answer["result"])
    if case.op != "decode" or "error" not in case.expected:
        return ""
    if "error" in answer:
        return "SD-TEXT-4"
    if case.members.get("scheme", "sd64") not in get_schemes():
        return "SD-TEXT-7"
    return "SD-TEXT-3" if case.expected["error"] in ("bad-character", "padding") else "SD-TEXT-5"


def _of_text_form(expected: str, given: str) -> str:
    """Return the requirement that a wrong text form violates."""
    if given == expected.replace("+custom", ""):
        return "SD-CUSTOM-2"
    if given.rpartition(":")[0] != expected.rpartition(":")[0]:
        return "SD-TEXT-5"
    if len(given) == len(expected) and given[:-1] == expected[:-1]:
        return "SD-TEXT-2"  # the spare bits are in the last character
    return ""


def of_folding(text: str, expected: str, given: str) -> str:
    """Return the requirement that a wrong folded text violates."""
    mapped = _REFERENCE.decomposed(_REFERENCE.map_characters(text))
    if normalize("NFC", mapped) != expected and _REFERENCE.bound_nonstarters(mapped) != mapped:
        return "SD-FOLD-4"
    if Counter(normalize("NFD", given)) == Counter(normalize("NFD", expected)):
        return "SD-FOLD-5"
    differs = (a for a, b in zip(expected, [*given, ""], strict=False) if a != b)
    return "SD-FOLD-2" if next(differs, "") == REPLACEMENT else "SD-FOLD-1"


def of_links(folded: str, given: str) -> str:
    """Return the requirement that a wrong link-free text violates: that of the first link that is treated wrongly."""
    place = 0  # in the link-free text
    end = 0  # of the previous link
    for link in LINK.finditer(folded):
        kept = folded[end : link.start()]
        if given[place : place + len(kept)] != kept:
            return "SD-LINK-1"
        place += len(kept) + 1
        end = link.end()
        following = folded[end : end + 8]
        if given[place - 1 : place] != " " or not given.startswith(following, place):
            if not given.startswith(link[0][:1], place - 1) and given[place - 1 : place] != " ":
                return "SD-LINK-1"  # it is removed, but not replaced by a space
            return next(_LINK_REQUIREMENTS[f] for f, p in LINK_FORMS.items() if re.fullmatch(p, link[0], re.ASCII))
    return "SD-LINK-1"


def of_kept_links(right: Mapping[str, Any], given: Sequence[str]) -> str | None:
    """Return the requirement of the links if the tokens are those of a text whose links were kept or only deleted."""
    folded = right["folded"]
    if right["prepared"] == folded:
        return None
    if Counter(given) == Counter(_REFERENCE.link_free_tokens(LINK.sub("", folded))) != Counter(right["tokens"]):
        return "SD-LINK-1"
    kept = Counter(_REFERENCE.link_free_tokens(folded))
    extra = Counter(given) - Counter(right["tokens"])
    return of_links(folded, folded) if extra and not extra - kept else None


def of_tokens(expected: Sequence[str], given: Sequence[str]) -> str:
    """Return the requirement that wrong tokens violate."""
    missing, extra = Counter(expected) - Counter(given), Counter(given) - Counter(expected)
    if missing and _without_connectors(missing) == _without_connectors(extra):
        return "SD-FILTER-1"
    if not extra and all(len(token) == 1 and _REFERENCE.is_continua(token) for token in missing):
        return "SD-SPLIT-3"
    both = [*missing, *extra]
    if not (extra and missing) and not all(_REFERENCE.is_token(token[:1]) for token in both):
        return "SD-FILTER-2"
    if not extra or (missing and _loses_or_adds(expected, given)):
        return "SD-RUN-1"
    if _cuts_runs(missing, extra):
        return "SD-RUN-1"
    kept = Counter(expected) & Counter(given)
    stretch = any(len(token) != 2 and all(map(_REFERENCE.is_continua, token)) for token in extra)
    bigrams = any(len(token) == 2 and _REFERENCE.is_continua(token[0]) for token in kept)
    return "SD-SPLIT-2" if stretch and not bigrams else "SD-SPLIT-1"


def _loses_or_adds(expected: Sequence[str], given: Sequence[str]) -> bool:
    """Return True if word characters are lost or others added, so that the difference is not only where runs are cut.

    A candidate without an Alphabetic character is not a token. So cutting loses such a character, or its absence adds
    one. A token that begins with a mark shows a cut, as only scripts without spaces have.
    """
    right, found = set("".join(expected)), set("".join(given))
    lost, added = right - found, found - right
    if not all(map(_REFERENCE.is_word, lost | added)):
        return True
    unspaced = any(word_categories().get(ord(character)) == "Lo" for character in right) or _begin_with_marks(given)
    return any(map(_REFERENCE.is_token, lost | added)) or bool(lost and not unspaced)


def _cuts_runs(missing: Iterable[str], extra: Iterable[str]) -> bool:
    """Return True if words are cut short or in parts, but not into bigrams, as only other scripts are."""
    words, parts = list(missing), list(extra)
    spaced = not any(map(_REFERENCE.is_continua, "".join(words))) and not _begin_with_marks(parts)
    within = all(any(part in word for word in words) for part in parts)
    return spaced and within and any(len(part) > 2 for part in parts)


def _begin_with_marks(tokens: Iterable[str]) -> bool:
    return any(word_categories().get(ord(token[0]), "").startswith("M") for token in tokens)


def _without_connectors(tokens: Counter[str]) -> Counter[str]:
    table = dict.fromkeys(map(ord, connectors()))
    found: Counter[str] = Counter()
    for token, count in tokens.items():
        found[token.translate(table)] += count
    return found


def of_hash(expected: str, given: object) -> str:
    """Return the requirement that a wrong hash violates: that of the lanes if the first lane is right."""
    digits = LANE_BITS // 4
    wide = len(expected) > digits and str(given)[:digits] == expected[:digits]
    return "SD-WIDE-2" if wide else "SD-HASH-1"


def of_buckets(tokens: Iterable[str], expected: Sequence[int], given: Sequence[int]) -> str:
    """Return the requirement that wrong buckets of right tokens and hashes violate.

    The buckets are the sum of a vector per number of occurrences times its weight. If other weights give the buckets
    exactly, the tokens were counted wrongly.
    """
    if len(given) != len(expected):
        return "SD-WIDE-2" if len(expected) > LANE_BITS else "SD-SUM-1"
    differing = [place for place, (a, b) in enumerate(zip(expected, given, strict=True)) if a != b]
    lanes = len(expected) // LANE_BITS
    sums = bit_sums({token: min(OCCURRENCE_CAP, count) for token, count in Counter(tokens).items()}, lanes)
    if all(abs(expected[place]) == BUCKET_LIMIT and _of_clamp(sums[place], given[place]) for place in differing):
        return "SD-BUCKET-1"
    if differing[0] >= LANE_BITS:
        return "SD-WIDE-2"
    import numpy as np

    counts = Counter(tokens)
    if _merged(counts, expected, given, lanes):
        return "SD-CAP-1"
    occurrences = sorted(set(counts.values()))
    if occurrences == [1] or 2 * len(occurrences) > LANE_BITS:
        return "SD-SUM-1"
    parts = [bit_sums({t: 1 for t, count in counts.items() if count == n}, lanes) for n in occurrences]
    free = [place for place, bucket in enumerate(given) if abs(bucket) < BUCKET_LIMIT]
    matrix, wanted = np.array(parts).T[free], np.array(given)[free]
    weights = np.rint(np.linalg.lstsq(matrix, wanted, rcond=None)[0]) if free else np.zeros(len(occurrences))
    exact = bool(free) and bool((matrix @ weights == wanted).all())
    right = [min(OCCURRENCE_CAP, n) for n in occurrences]
    signs = (weights >= 0).all() and (occurrences[0] > 1 or weights[0] == 1)
    return "SD-CAP-1" if exact and signs and weights.tolist() != right else "SD-SUM-1"


def _merged(counts: Counter[str], expected: Sequence[int], given: Sequence[int], lanes: int) -> bool:
    """Return True if the buckets are those of two tokens that count as one."""
    if len(counts) > _MOST_COMPARED:
        return False
    right = {token: min(OCCURRENCE_CAP, count) for token, count in counts.items()}
    for kept, other in permutations(counts, 2):
        together = {**right, kept: min(OCCURRENCE_CAP, counts[kept] + counts[other])}
        del together[other]
        sums = bit_sums(together, lanes)
        if [max(-BUCKET_LIMIT, min(BUCKET_LIMIT, total)) for total in sums] == list(given) != list(expected):
            return True
    return False


def _of_clamp(total: int, given: int) -> bool:
    """Return True if a wrong bucket is that of another limit or of none, so that its sum was right."""
    wrapped = (total + 128) % 256 - 128
    return given in (total, wrapped, wrapped % 256) or (given * total > 0 and abs(given) >= BUCKET_LIMIT // 2)


def of_fingerprint(expected: str, given: str) -> str:
    """Return the requirement that a wrong fingerprint of right buckets violates."""
    try:
        data = bytes(Fingerprint.parse(given))
    except SpecError:
        return "SD-TEXT-5" if ":" not in given else "SD-TEXT-1"
    right = bytes(Fingerprint.parse(expected))
    if data != right and permuted(right, data):
        return "SD-TEXT-1" if len(right) == LANE_BITS // 8 else "SD-WIDE-3"
    return "SD-SIGN-1" if data != right else "SD-TEXT-5"
