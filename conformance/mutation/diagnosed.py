"""How many of the killed mutants get a diagnosis: a first differing step or the name of a known bug."""

from __future__ import annotations

import json
from collections.abc import Mapping

from mutation.model import model
from mutation.mutant import Mutant
from mutation.time_limit import time_limit
from simhash_doc.conformance.adapter import Adapter
from simhash_doc.conformance.cases import Case
from simhash_doc.conformance.diagnosis import Diagnosis
from simhash_doc.conformance.implementation import Implementation
from simhash_doc.conformance.judge import WrongAnswer, judge, request_sender
from simhash_doc.conformance.messages import Answer, Handshake, hello, read_handshake


class MutantPeer:
    """A mutant as the peer of a run. It is in place only while it answers."""

    def __init__(self, mutant: Mutant) -> None:
        self._mutant = mutant
        self.handshake: Handshake = read_handshake(Adapter(Implementation()).answer(hello("")))

    def ask(self, request: Mapping[str, object], key: str = "") -> Answer:
        """Return the answer of the mutant. An unexpected exception becomes an error with the name of its class."""
        with self._mutant.installed():
            try:
                with time_limit():
                    answer = Adapter(model(self._mutant.appendix)).answer({"id": 0, **request})
                    decoded: Answer = json.loads(json.dumps(answer))
                    return decoded
            except Exception as error:  # a mutant may fail in any way
                return {"error": type(error).__name__}

    def close(self) -> None:
        """Do nothing, because no process was started."""

    kill = close


def diagnosis_of(mutant: Mutant, case: Case) -> list[str]:
    """Return the lines of the diagnosis of a mutant by the case that kills it."""
    peer = MutantPeer(mutant)
    wrong = judge(case, peer, ())
    if not isinstance(wrong, WrongAnswer):
        raise AssertionError(f"{case.id} does not kill {mutant.name}")
    return Diagnosis()(wrong.single_case, wrong.answer, request_sender(peer))
