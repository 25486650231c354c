"""Diagnose wrong answers: the first step that differs and the requirement that it violates; the bugs that explain all.

Imported when there is a wrong answer, because the mutants and their answers are many.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

from simhash_doc.errors import SpecError
from simhash_doc.fingerprint import Fingerprint
from simhash_doc.reference import BUCKET_LIMIT, LANE_BITS, LINK, LINK_FORMS, OCCURRENCE_CAP
from simhash_doc.schemes import get_schemes
from simhash_doc.unicode_data import REPLACEMENT, connectors, normalize, word_categories
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.diagnosis.suspects import Explanation, Observations, Suspect
from simhash_doc_conformance.formatting import difference, is_texts, json_text, outcome_text, plainness
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import digest, fast_bit_sums, first_step
from simhash_doc_conformance.pipeline import ON_INPUTS, STEPS, TRACED, step_of
from simhash_doc_conformance.protocol import Ask
from simhash_doc_conformance.running.judge import FirstDifference, Verdict, outcome_of, shown_outcomes
from simhash_doc_conformance.vectors.cases import Case, same_outcome, same_result
from simhash_doc_conformance.vectors.extraction import bit_sums, differences
from simhash_doc_conformance.vectors.inputs import described_size, read_input
from simhash_doc_conformance.vectors.requirements import cite

_HASHED_TOGETHER, _MOST_HASHED = 500, 20_000  # tokens whose hashes are requested: at once, and in all
_LONGEST = 100_000  # characters of a text whose steps are compared: the reference takes a second for so many
_LINK_REQUIREMENTS = {form: f"SD-LINK-{number}" for number, form in enumerate(LINK_FORMS, 2)}
_REFERENCE = Implementation()
Wrong = dict[str, tuple[Case, FirstDifference]]  # cases with a wrong answer, by id
_TYPES = {dict: "an object", list: "an array", str: "a string", bool: "a Boolean", int: "a number", float: "a number"}
_TEXTS, _NUMBERS = [""], [0]  # an example of each type: an array of strings, and of numbers
_TRACE = {"folded": "", "prepared": "", "tokens": _TEXTS, "buckets": _NUMBERS, "fingerprint": ""}
# Results of the right type (PROTOCOL.md), by operation. Items and members are examples of their types.
_RESULTS: dict[str, Any] = {
    **dict.fromkeys(("fingerprint", "encode", "narrow", "fold"), ""),
    **dict.fromkeys(("tokens", "hash_tokens"), _TEXTS),
    "buckets": _NUMBERS,
    "query": [_TEXTS],
    "find_all": [_TEXTS],
    "update": [[_TEXTS]],
    "decode": {"scheme": "", "hex": "", "canonical": True},
    "distance": {"distance": 0, "similarity": 0},
    "trace": _TRACE,
}


def explain(case: Case, answer: Mapping[str, Any], ask: Ask) -> FirstDifference:
    """Return where a wrong answer begins to differ. `ask` sends further requests to the implementation."""
    return replace(_explained(case, answer, ask), answered=digest(case.op, answer))


def _explained(case: Case, answer: Mapping[str, Any], ask: Ask) -> FirstDifference:
    step = step_of(case.op)
    if form := _wrong_form(case, answer):
        return FirstDifference(step, "", [f"the result is {form}; see PROTOCOL.md"], form)
    long = described_size(case.members.get("recipe", "")) > _LONGEST
    if case.op in ON_INPUTS and not long and (found := first_difference(case, answer, ask)):
        return found
    if case.op == "extract":
        lines = differences(case.members, answer["result"]) if isinstance(answer.get("result"), str) else []
        return FirstDifference(step, "", lines)
    if case.expected and same_outcome(case.op, case.expected, answer):
        return FirstDifference(step, "", [])
    requirements = ", ".join(map(cite, case.requirements))
    if long:
        lines = [f"the steps of texts of over {_LONGEST:,} characters are not compared; see {requirements}"]
    elif case.op in set(ON_INPUTS) - {"fold"}:
        lines = [f"no step before {case.op!r} is shown to differ; see {requirements}"]
    else:
        lines = [f"first step that differs: {STEPS[step].title}; see {requirements}"]
    if "result" in case.expected and "result" in answer:
        lines += difference(case.op, case.expected["result"], answer["result"])
    return FirstDifference(step, "", lines)


def _wrong_form(case: Case, answer: Mapping[str, Any]) -> str:
    """Return how the type of a result differs from that of the operation; nothing if it does not.

    The digest of a result counts as right: the session computes it of any result of the right type.
    """
    if "result" not in case.expected or "result" not in answer or case.op not in _RESULTS:
        return ""
    given, expected = answer["result"], case.expected["result"]
    if case.members.get("digest") and type(given) is type(expected):
        return ""
    return form_of(_RESULTS[case.op], given)


def form_of(right: Any, given: Any) -> str:
    """Return how the type of a value differs from that of an example, also in items and members; nothing if not.

    >>> form_of("", 5), form_of([""], ["a", 5])
    ('a number instead of a string', 'an array with a number instead of a string')
    """
    given_type, right_type = (_TYPES.get(type(value), "null") for value in (given, right))
    if given_type != right_type:
        return f"{given_type} instead of {right_type}"
    if isinstance(given, list):
        found = next(filter(None, (form_of(right[0], item) for item in given)), "")
        return found and f"an array with {found}"
    if isinstance(given, dict):
        wrong = ((name, form_of(right[name], given[name])) for name in right if name in given)
        return next((f"an object with {form} in {name!r}" for name, form in wrong if form), "")
    return ""


def first_difference(case: Case, answer: Mapping[str, Any], ask: Ask) -> FirstDifference | None:
    """Request the values of the steps; return the first that differs from the reference, None if none does."""
    members = {"scheme": "sd64", **case.members}
    members.pop("digest", None)
    if members["scheme"] not in get_schemes():
        return None  # the error of the scheme comes before all steps
    given = _steps(case.op, members, answer, ask)
    hashes_tokens = "result" in ask({"op": "hash_tokens", "tokens": [], "scheme": members["scheme"]})
    if not (given or hashes_tokens):
        return None
    right = _traced(json.dumps({"op": "trace", **members}))
    hidden: list[str] = []  # the steps since the last one that the implementation shows
    for name in TRACED:
        if name == "hashes" and hashes_tokens:
            if found := _hash_difference(right["tokens"], members["scheme"], ask):
                return found
            hidden = []
        elif name not in given or name not in right:
            hidden.append(name)
        elif "error" in given[name] or not same_result(name, right[name], given[name]["result"]):
            return _described(case, name, hidden, members, right, given[name], ask)
        else:
            hidden = []
    return None


def _described(
    case: Case,
    name: str,
    hidden: Sequence[str],
    members: Mapping[str, Any],
    right: Mapping[str, Any],
    outcome: dict[str, Any],
    ask: Ask,
) -> FirstDifference:
    """Return the difference of a step, of which `hidden` are the steps before it that may be the wrong ones."""
    title, requirement = STEPS[name].title, STEPS[name].requirement
    given: Any = outcome.get("result")
    step = name
    if type(given) is type(right[name]):
        requirement = _violated(name, members, right, given, ask)
    if name == "tokens" and hidden and is_texts(given) and (kept := _of_kept_links(right, given)):
        step, requirement = "prepared", kept
        title = f"{title}, in which links were kept"
    elif name != "tokens" and hidden and requirement not in ("SD-CAP-1", "SD-BUCKET-1"):
        requirement = _of_steps(case, {*hidden, name}) or STEPS[hidden[0]].requirement
        title = f"{title}, or {' or '.join(STEPS[earlier].title for earlier in hidden)}, not shown"
    lines = [f"first step that differs: {title}; see {cite(requirement)}"]
    if form := "result" in outcome and form_of(_TRACE[name], given):
        lines.insert(0, f"the value of {name!r} is {form}; see PROTOCOL.md")
    if "error" in outcome:
        return FirstDifference(step, requirement, [*lines, f"  given    {outcome_text(name, outcome)}"])
    if name != step_of(case.op):  # otherwise the verdict shows both
        expected, found = shown_outcomes(name, {"result": right[name]}, outcome)
        lines += [f"  expected {expected}", f"  given    {found}"]
    return FirstDifference(step, requirement, lines + difference(name, right[name], given))


def _of_steps(case: Case, steps: Set[str]) -> str | None:
    """Return the first requirement of a case that one of the steps can violate, which its mutants show."""
    violated = {mutant.requirement for mutant in mutants().values() if first_step(mutant) in steps}
    return next((name for name in case.requirements if name in violated), None)


@lru_cache(maxsize=4)  # consecutive cases often have the same text
def _traced(request: str) -> Mapping[str, Any]:
    """Return the trace of the reference for a request in JSON. A long text is cut into tokens once, not for each step.

    The result is shared: do not change it.
    """
    implementation = Implementation()
    implementation.bit_sums = partial(fast_bit_sums, implementation)  # type: ignore[method-assign]
    implementation.tokens = lru_cache(maxsize=1)(implementation.tokens)  # type: ignore[method-assign]
    implementation.buckets = lru_cache(maxsize=1)(implementation.buckets)  # type: ignore[method-assign]
    traced: Mapping[str, Any] = Adapter(implementation).answer(json.loads(request))["result"]
    return traced


def _steps(op: str, members: Mapping[str, Any], answer: Mapping[str, Any], ask: Ask) -> dict[str, dict[str, Any]]:
    """Return the results and errors of the steps that the implementation shows.

    They come from `trace`, or from the operations of single steps.
    """
    traced = (answer if op == "trace" else ask({"op": "trace", **members})).get("result")
    if isinstance(traced, dict):
        return {name: {"result": value} for name, value in traced.items() if name in TRACED}
    single = {"folded": "fold", "tokens": "tokens", "buckets": "buckets", "fingerprint": "fingerprint"}
    outcomes = {name: outcome_of(ask({"op": op, **members})) for name, op in single.items()}
    return {name: outcome for name, outcome in outcomes.items() if outcome}


def _hash_difference(tokens: Iterable[str], scheme: str, ask: Ask) -> FirstDifference | None:
    distinct = sorted(set(tokens), key=lambda token: (len(token), token))[:_MOST_HASHED]
    for start in range(0, len(distinct), _HASHED_TOGETHER):
        asked = distinct[start : start + _HASHED_TOGETHER]
        given = ask({"op": "hash_tokens", "tokens": asked, "scheme": scheme}).get("result")
        right = _REFERENCE.token_hashes(asked, scheme)
        if not isinstance(given, list) or len(given) != len(right):
            return None
        if given != right:
            rows = zip(asked, right, given, strict=True)
            token, expected, found = next(row for row in rows if row[1] != row[2])
            lines = [f"  expected {expected}", f"  given    {found}"]
            requirement = of_hash(expected, found)
            heading = f"first step that differs: the hash of the token {token!r}; see {cite(requirement)}"
            return FirstDifference("hashes", requirement, [heading, *lines])
    return None


def _violated(step: str, members: Mapping[str, Any], right: Mapping[str, Any], given: Any, ask: Ask) -> str:
    """Return the requirement that a step violates, as far as its value shows it."""
    if step == "folded":
        text = _REFERENCE.read(read_input(members))
        if not {"text", "recipe"} & members.keys() and ask({"op": "fold", "text": text}).get("result") == right[step]:
            return "SD-INPUT-2" if "bytes" in members else "SD-INPUT-3"
        return of_folding(text, right[step], given)
    if step == "prepared":
        return of_links(right["folded"], given)
    if step == "tokens" and is_texts(given):
        return of_tokens(right[step], given)
    if step == "buckets" and all(isinstance(bucket, int) for bucket in given):
        return of_buckets(right["tokens"], right[step], given)
    return of_fingerprint(right[step], given) if step == "fingerprint" else STEPS[step].requirement


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
            return next(_LINK_REQUIREMENTS[f] for f, p in LINK_FORMS.items() if re.fullmatch(p, link[0], re.ASCII))
    return "SD-LINK-1"


def _of_kept_links(right: Mapping[str, Any], given: Sequence[str]) -> str | None:
    """Return the requirement of the links if the tokens are those of a text in which links were kept."""
    if right["prepared"] == right["folded"]:
        return None
    kept = Counter(_REFERENCE.link_free_tokens(right["folded"]))
    extra = Counter(given) - Counter(right["tokens"])
    return of_links(right["folded"], right["folded"]) if extra and not extra - kept else None


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
    if not extra or (missing and _loses_or_adds("".join(expected), "".join(given))):
        return "SD-RUN-1"
    kept = Counter(expected) & Counter(given)
    stretch = any(len(token) != 2 and all(map(_REFERENCE.is_continua, token)) for token in extra)
    bigrams = any(len(token) == 2 and _REFERENCE.is_continua(token[0]) for token in kept)
    return "SD-SPLIT-2" if stretch and not bigrams else "SD-SPLIT-1"


def _loses_or_adds(expected: str, given: str) -> bool:
    """Return True if word characters are lost or others added, so that the difference is not only where runs are cut.

    A candidate without an Alphabetic character is not a token. So cutting loses such a character, or its absence adds
    one.
    """
    lost, added = set(expected) - set(given), set(given) - set(expected)
    unspaced = any(word_categories().get(ord(character)) == "Lo" for character in expected)
    return any(map(_REFERENCE.is_token, lost | added)) or bool(lost and not unspaced)


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
    if all(abs(expected[place]) == BUCKET_LIMIT for place in differing):
        return "SD-BUCKET-1"
    if differing[0] >= LANE_BITS:
        return "SD-WIDE-2"
    import numpy as np

    counts = Counter(tokens)
    occurrences = sorted(set(counts.values()))
    if occurrences == [1] or 2 * len(occurrences) > LANE_BITS:
        return "SD-SUM-1"
    sums = [
        bit_sums({t: 1 for t, count in counts.items() if count == n}, len(expected) // LANE_BITS) for n in occurrences
    ]
    free = [place for place, bucket in enumerate(given) if abs(bucket) < BUCKET_LIMIT]
    matrix, wanted = np.array(sums).T[free], np.array(given)[free]
    weights = np.rint(np.linalg.lstsq(matrix, wanted, rcond=None)[0]) if free else np.zeros(len(occurrences))
    exact = bool(free) and bool((matrix @ weights == wanted).all())
    right = [min(OCCURRENCE_CAP, n) for n in occurrences]
    signs = (weights >= 0).all() and (occurrences[0] > 1 or weights[0] == 1)
    return "SD-CAP-1" if exact and signs and weights.tolist() != right else "SD-SUM-1"


def of_fingerprint(expected: str, given: str) -> str:
    """Return the requirement that a wrong fingerprint of right buckets violates."""
    try:
        data = bytes(Fingerprint.parse(given))
    except SpecError:
        return "SD-TEXT-5" if ":" not in given else "SD-TEXT-1"
    right = bytes(Fingerprint.parse(expected))
    if sorted(data) == sorted(right) and data != right:
        return "SD-TEXT-1" if len(right) == LANE_BITS // 8 else "SD-WIDE-3"
    return "SD-SIGN-1" if data != right else "SD-TEXT-5"


def conclude(verdicts: Iterable[Verdict]) -> tuple[tuple[Verdict, ...], list[str]]:
    """Rank the mistakes over all verdicts.

    Returns:
        The verdicts with the wrong steps and likely mistakes; and a line for each mistake and each step without one, in
        the order to mend.
    """
    verdicts = tuple(verdicts)
    wrong = {verdict.case.id: (verdict.case, verdict.first) for verdict in verdicts if verdict.first is not None}
    if not wrong:
        return verdicts, []
    explanation = Observations(
        wrong={name: first.answered for name, (_, first) in wrong.items()},
        right={verdict.case.id for verdict in verdicts if verdict.status == "passed"},
        cases={verdict.case.id: verdict.case for verdict in verdicts},
        steps={name: first.step for name, (_, first) in wrong.items()},
    ).explain()
    return tuple(_annotated(verdict, explanation.suspects) for verdict in verdicts), _summary(explanation, wrong)


def _summary(explanation: Explanation, wrong: Wrong) -> list[str]:
    lines = [(first_step(mutants()[one.name]), _line_of(one, explanation.comparable)) for one in explanation.suspects]
    unexplained: dict[str, Wrong] = {}
    for name in explanation.unexplained:
        unexplained.setdefault(wrong[name][1].step, {})[name] = wrong[name]
    known = "the named bugs" if explanation.suspects else "a known bug"
    lines += [(step, _line_of_unexplained(names, known)) for step, names in unexplained.items()]
    places = list(STEPS)
    lines.sort(key=lambda line: places.index(line[0]))
    if len(lines) < 2 or all(suspect.title == "Possible bug" for suspect in explanation.suspects):
        return [line for _, line in lines]
    shown = [f"{number}. {STEPS[step].title}: {line}" for number, (step, line) in enumerate(lines, 1)]
    return ["Mend in this order, because a wrong step makes the later ones wrong:", *shown]


def _line_of(suspect: Suspect, comparable: int) -> str:
    explained = len(suspect.cases)
    agreement = ""
    if suspect.agreeing != suspect.changed:
        agreement = f"agrees with {suspect.agreeing} of the {suspect.changed} answers that show it; "
    share = f"all {explained}" if explained == comparable else f"{explained} of {comparable}"
    return (
        f"{suspect.title}: {_mistake(suspect)}; {agreement}explains {share} comparable wrong answers; "
        f"see {cite(mutants()[suspect.name].requirement)}"
    )


def _line_of_unexplained(wrong: Wrong, known: str) -> str:
    """Return a line for the wrong answers at one step that no named bug gives."""

    def place(name: str) -> tuple[bool, bool, tuple[int, bool, int], str]:
        """Return the place for sorting: a wrong form, and what its case is about, come first."""
        case, first = wrong[name]
        about = (first.requirement or case.requirements[0]) in case.requirements
        return not first.form, not about, plainness(json_text(case.members)), name

    plainest = min(wrong, key=place)
    case, first = wrong[plainest]
    violated = first.requirement if first.requirement in case.requirements else case.requirements[0]
    what = "1 wrong answer" if len(wrong) == 1 else f"{len(wrong)} wrong answers"
    forms = Counter(first.form for _, first in wrong.values() if first.form)
    begin = "".join(f"{number} results are {form}; " for form, number in forms.items())
    return f"{what} not explained by {known}; {begin}begin with {plainest}; see {cite(violated)}"


def _annotated(verdict: Verdict, suspects: Iterable[Suspect]) -> Verdict:
    if verdict.first is None:
        return verdict
    step, requirement = verdict.first.step, verdict.first.requirement
    named = [suspect for suspect in suspects if verdict.case.id in suspect.cases]
    if named:
        first, order = mutants()[named[0].name], list(STEPS)
        if order.index(first_step(first)) < order.index(step):
            # The implementation does not show the step of its first mistake.
            step, requirement = first_step(first), first.requirement
    lines = [*(f"{suspect.title}: {_mistake(suspect)}" for suspect in named), *verdict.diagnosis]
    return replace(verdict, diagnosis=lines, step=step, violated=requirement)


def _mistake(suspect: Suspect) -> str:
    return f"{mutants()[suspect.name].mistake} [{suspect.name}]"
