"""Diagnose wrong answers: the first step that differs and the requirement that it violates; the bugs that explain all.

Imported when there is a wrong answer, because the mutants and their answers are many.
"""

from __future__ import annotations

import json
import string
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import Any

from simhash_doc.schemes import get_schemes
from simhash_doc_conformance.adapters.adapter import Adapter
from simhash_doc_conformance.adapters.implementation import Implementation
from simhash_doc_conformance.diagnosis.answers import STEP_RESULTS, adapter_findings, form_of, plainest, wrong_form
from simhash_doc_conformance.diagnosis.pieces import of_pieces
from simhash_doc_conformance.diagnosis.platform import platform_findings
from simhash_doc_conformance.diagnosis.state import Fresh, state_finding
from simhash_doc_conformance.diagnosis.suspects import Explanation, Nearest, Observations, Suspect
from simhash_doc_conformance.diagnosis.violations import (
    of_buckets,
    of_fingerprint,
    of_folding,
    of_hash,
    of_kept_links,
    of_links,
    of_outcome,
    of_tokens,
)
from simhash_doc_conformance.formatting import difference, is_texts, outcome_text
from simhash_doc_conformance.mutants import mutants
from simhash_doc_conformance.mutants.analysis import digest, fast_bit_sums, first_step, published_wrong_answers
from simhash_doc_conformance.pipeline import ADAPTER, ON_INPUTS, STEPS, TRACED, step_of
from simhash_doc_conformance.protocol import Ask
from simhash_doc_conformance.running.judge import FirstDifference, Verdict, outcome_of, shown_outcomes
from simhash_doc_conformance.vectors.cases import Case, same_outcome, same_result
from simhash_doc_conformance.vectors.extraction import differences
from simhash_doc_conformance.vectors.inputs import described_size, read_input
from simhash_doc_conformance.vectors.requirements import cite

_HASHED_TOGETHER, _MOST_HASHED = 500, 20_000  # tokens whose hashes are requested: at once, and in all
# Tokens of each branch of XXH64, and of lengths that a byte or two do not hold.
_HASHED = [(string.printable * 701)[:length] for length in (*range(1, 72), 300, 70_100)]
_LONGEST = 100_000  # characters of a text whose steps are compared: the reference takes a second for so many
_OF_PLATFORM = ("folded", "prepared", "tokens", "buckets", "fingerprint")  # steps that libraries of platforms do
_REFERENCE = Implementation()
Wrong = dict[str, tuple[Case, FirstDifference]]  # cases with a wrong answer, by id


def explain(case: Case, answer: Mapping[str, Any], ask: Ask) -> FirstDifference:
    """Return where a wrong answer begins to differ. `ask` sends further requests to the implementation."""
    return replace(_explained(case, answer, ask), answered=digest(case.op, answer))


def _explained(case: Case, answer: Mapping[str, Any], ask: Ask) -> FirstDifference:
    step = step_of(case.op)
    if form := wrong_form(case, answer):
        return FirstDifference(step, "", [f"the result is {form}; see PROTOCOL.md"], form)
    long = described_size(case.members.get("recipe", "")) > _LONGEST
    if found := of_pieces(case, ask):
        return found
    # The adapter computes a digest with its own XXH64.
    if "digest" in case.members and case.op in ON_INPUTS and (found := _hash_difference(_HASHED, "sd64", ask)):
        return found
    if case.op in ON_INPUTS and not long and (found := first_difference(case, answer, ask)):
        return found
    if case.op == "extract":
        lines = differences(case.members, answer["result"]) if isinstance(answer.get("result"), str) else []
        return FirstDifference(step, "", lines)
    if case.expected and same_outcome(case.op, case.expected, answer):
        return FirstDifference(step, "", [])
    requirement = of_outcome(case, answer)
    requirements = ", ".join(map(cite, [requirement] if requirement else case.requirements))
    if long:
        lines = [f"the steps of texts of over {_LONGEST:,} characters are not compared; see {requirements}"]
    elif case.op in set(ON_INPUTS) - {"fold"}:
        lines = [f"no step before {case.op!r} is shown to differ; see {requirements}"]
    else:
        lines = [f"first step that differs: {STEPS[step].title}; see {requirements}"]
    if "result" in case.expected and "result" in answer:
        lines += difference(case.op, case.expected["result"], answer["result"])
    return FirstDifference(step, requirement, lines)


def first_difference(case: Case, answer: Mapping[str, Any], ask: Ask) -> FirstDifference | None:
    """Request the values of the steps; return the first that differs from the reference, None if none does."""
    members = {"scheme": "sd64", **case.members}
    members.pop("digest", None)
    if members["scheme"] not in get_schemes():
        return None  # the error of the scheme comes before all steps
    given = _steps(case.op, members, answer, ask)
    hashed = ask({"op": "hash_tokens", "tokens": ["a"], "scheme": members["scheme"]})
    hashes_tokens = not form_of([""], hashed.get("result"))
    if not (given or hashes_tokens):
        return None
    if "digest" not in case.members and case.op != "trace":
        given[step_of(case.op)] = outcome_of(answer)
    # A value of a wrong type says nothing about its step, so the step counts as not shown.
    forms = {name: form_of(STEP_RESULTS[name], value["result"]) for name, value in given.items() if "result" in value}
    given = {name: outcome for name, outcome in given.items() if not forms.get(name)}
    notes = [f"the value of {name!r} is {form}; see PROTOCOL.md" for name, form in forms.items() if form]
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
            found = _described(case, name, hidden, members, right, given[name], ask)
            return replace(found, lines=[*notes, *found.lines])
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
    if name == "tokens" and hidden and is_texts(given) and (kept := of_kept_links(right, given)):
        step, requirement = "prepared", kept
        title = f"{title}, in which links were kept"
    elif name != "tokens" and hidden and requirement not in ("SD-CAP-1", "SD-BUCKET-1"):
        requirement = _of_steps(case, {*hidden, name}, STEPS[hidden[0]].requirement)
        earlier = ", ".join(STEPS[one].title for one in hidden)
        title = f"{title}, or an earlier one that the adapter does not show ({earlier})"
    cited = requirement or ", ".join(case.requirements)
    lines = [f"first step that differs: {title}; see {', '.join(map(cite, cited.split(', ')))}"]
    if "error" in outcome:
        return FirstDifference(step, requirement, [*lines, f"  given    {outcome_text(name, outcome)}"])
    if name != step_of(case.op):  # otherwise the verdict shows both
        expected, found = shown_outcomes(name, {"result": right[name]}, outcome)
        lines += [f"  expected {expected}", f"  given    {found}"]
    return FirstDifference(step, requirement, lines + difference(name, right[name], given))


def _of_steps(case: Case, steps: Set[str], usual: str) -> str:
    """Return the requirement of a case that one of the steps can violate, which its mutants show.

    It is empty if there are several, and the usual one if there is none.
    """
    violated = {mutant.requirement for mutant in mutants().values() if first_step(mutant) in steps}
    found = [name for name in case.requirements if name in violated]
    return "" if len(found) > 1 else [*found, usual][0]


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


def conclude(
    verdicts: Iterable[Verdict], fresh: Fresh | None = None, ask: Ask | None = None
) -> tuple[tuple[Verdict, ...], list[str]]:
    """Rank the mistakes over all verdicts.

    Args:
        verdicts: those of a run.
        fresh: answers a request with a process of its own, to tell what depends on earlier requests.
        ask: sends further requests to the implementation, to tell what comes from its platform.

    Returns:
        The verdicts with the wrong steps and likely mistakes; and a line for each fault of the adapter, each mistake
        and each step without one, in the order to mend.
    """
    verdicts = tuple(map(_of_adapter, verdicts))
    found = adapter_findings(verdicts)
    wrong = {v.case.id: (v.case, v.first) for v in verdicts if v.first is not None and v.step != ADAPTER}
    suspects: tuple[Suspect, ...] = ()
    violated: dict[str, str] = {}
    if wrong:
        observations = Observations(
            wrong={name: first.answered for name, (_, first) in wrong.items()},
            right={verdict.case.id for verdict in verdicts if verdict.status == "passed"},
            cases={verdict.case.id: verdict.case for verdict in verdicts},
            steps={name: first.step for name, (_, first) in wrong.items()},
        )
        explanation = observations.explain()
        suspects = explanation.suspects
        unexplained = [wrong[name][0] for name in wrong if name in explanation.unexplained]
        if fresh and unexplained and (finding := state_finding(unexplained, fresh)):
            found.append(finding)
        passed = Counter(name for v in verdicts if v.status == "passed" for name in v.case.requirements)
        groups = _unexplained(explanation, wrong, observations, passed)
        if ask and any(first.step in _OF_PLATFORM for _, first in wrong.values()) and unexplained:
            found += [(line, "") for line in platform_findings(ask)]
        found += _summary(explanation, wrong, groups)
        violated = {group.step: group.violated for group in groups}
    examples = {example for _, example in found}
    annotated = (_annotated(verdict, suspects, examples, violated) for verdict in verdicts)
    return tuple(annotated), [line for line, _ in found]


def _of_adapter(verdict: Verdict) -> Verdict:
    """Return a verdict on an answer of a wrong type with the adapter as its step, unless a known bug answers so."""
    first = verdict.first
    if first is None or not first.form or first.answered in published_wrong_answers().get(verdict.case.id, ()):
        return verdict
    return replace(verdict, step=ADAPTER)


@dataclass(frozen=True, slots=True)
class _Group:
    """The wrong answers at a step that no named bug gives, the requirement that they violate, and the nearest bug."""

    step: str
    wrong: Wrong
    violated: str
    nearest: Nearest | None


def _unexplained(
    explanation: Explanation, wrong: Wrong, observations: Observations, passed: Counter[str]
) -> list[_Group]:
    """Return the wrong answers that no named bug gives, by the first step that differs."""
    at_step: dict[str, Wrong] = {}
    for name in sorted(explanation.unexplained):
        at_step.setdefault(wrong[name][1].step, {})[name] = wrong[name]
    groups = []
    for step, names in at_step.items():
        nearest = observations.nearest(names)
        violated = _requirement(names, passed)
        if nearest and 2 * nearest.agreeing >= nearest.cases and nearest.agreeing >= nearest.contradicted:
            violated = mutants()[nearest.name].requirement
        groups.append(_Group(step, names, violated, nearest))
    return groups


def _summary(explanation: Explanation, wrong: Wrong, groups: Iterable[_Group]) -> list[tuple[str, str]]:
    """Return a line per mistake, and per step with wrong answers that no named mistake gives, with their examples."""
    found = [(first_step(mutants()[one.name]), *_of_suspect(one, explanation, wrong)) for one in explanation.suspects]
    known = "the named bugs" if explanation.suspects else "a known bug"
    found += [(group.step, *_of_unexplained(group, known)) for group in groups]
    found.sort(key=lambda finding: list(STEPS).index(finding[0]))
    # Alternatives explain the same answers; they are in no order.
    causes = {(suspect.title, suspect.cases) for suspect in explanation.suspects}
    if len(found) < 2 or (len(causes) == 1 and len(found) == len(explanation.suspects)):
        return [(line, example) for _, line, example in found]
    heading = ("Fix in this order, because a wrong step makes the later ones wrong:", "")
    numbered = enumerate(found, 1)
    return [heading, *((f"{number}. {STEPS[step].title}: {line}", name) for number, (step, line, name) in numbered)]


def _of_suspect(suspect: Suspect, explanation: Explanation, wrong: Wrong) -> tuple[str, str]:
    explained, comparable = len(suspect.cases), explanation.comparable
    agreement = ""
    if suspect.agreeing != suspect.changed:
        agreement = f"agrees with {suspect.agreeing} of the {suspect.changed} answers that show it; "
    share = f"all {explained}" if explained == comparable else f"{explained} of {comparable}"
    example = plainest(wrong[name][0] for name in suspect.cases)
    line = (
        f"{suspect.title}: {_mistake(suspect)}; {agreement}explains {share} comparable wrong answers; "
        f"begin with {example}; see {cite(mutants()[suspect.name].requirement)}"
    )
    return line, example


def _of_unexplained(group: _Group, known: str) -> tuple[str, str]:
    """Return a line for the wrong answers at one step that no named bug gives, and the case to begin with.

    It begins with a case that is about the requirement that the answers violate, if there is one.
    """
    cases = [case for case, _ in group.wrong.values()]
    example = plainest([case for case in cases if group.violated in case.requirements] or cases)
    what = "1 wrong answer" if len(cases) == 1 else f"{len(cases)} wrong answers"
    line = f"{what} not explained by {known}; begin with {example}; see {cite(group.violated)}{_near(group.nearest)}"
    return line, example


def _near(nearest: Nearest | None) -> str:
    """Return which known bug is nearest, and how near it is."""
    if nearest is None:
        return ""
    of = f"{nearest.agreeing} of these {nearest.cases} wrong answers" if nearest.cases > 1 else "this wrong answer"
    how = f"agrees with {of}"
    if not nearest.agreeing:
        how = f"changes {nearest.also_wrong} of these {nearest.cases} answers, in another way"
    if nearest.contradicted:
        how += f", and would change {nearest.contradicted} right ones"
    return f"; the nearest known bug {how}: {mutants()[nearest.name].mistake} [{nearest.name}]"


def _requirement(wrong: Wrong, passed: Counter[str]) -> str:
    """Return the requirement that most answers at a step violate.

    If the answers do not show it, it is the one that the failed cases test most often, and the passed ones seldom.
    """
    shown = Counter(first.requirement for _, first in wrong.values() if first.requirement)
    if shown:
        return shown.most_common(1)[0][0]
    failed = Counter(name for case, _ in wrong.values() for name in case.requirements)
    return max(failed, key=lambda name: failed[name] ** 2 / (failed[name] + passed[name]))


def _annotated(
    verdict: Verdict, suspects: Iterable[Suspect], examples: Set[str], violated: Mapping[str, str]
) -> Verdict:
    """Return a verdict with the wrong step, the requirement and the likely bugs.

    A case that tests several requirements, and does not show which one, counts under that of the others at its step.
    """
    verdict = replace(verdict, example=verdict.case.id in examples)
    if verdict.first is None or verdict.step == ADAPTER:
        return verdict
    step = verdict.first.step
    requirement = verdict.first.requirement or violated.get(step, "")
    named = [suspect for suspect in suspects if verdict.case.id in suspect.cases]
    if named:
        first, order = mutants()[named[0].name], list(STEPS)
        if order.index(first_step(first)) < order.index(step):
            # The implementation does not show the step of its first mistake.
            step, requirement = first_step(first), first.requirement
        elif not verdict.first.requirement:
            requirement = first.requirement
    lines = [*(f"{suspect.title}: {_mistake(suspect)}" for suspect in named), *verdict.diagnosis]
    return replace(verdict, diagnosis=lines, step=step, violated=requirement)


def _mistake(suspect: Suspect) -> str:
    return f"{mutants()[suspect.name].mistake} [{suspect.name}]"
