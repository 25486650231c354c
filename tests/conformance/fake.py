"""An adapter that misbehaves as its argument says. Its only operation returns the text reversed.

The fault happens at the request with the text ``bad``, or at the start in some modes; all other answers are correct.
It imports little, so that tests can use short timeouts.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from typing import Any, NoReturn

MODE, MARK = sys.argv[1:]
# What is written before the answer to the bad request.
RAW = {
    "garbage": "Segmentation fault (not really)\n",
    "no-object": "[1, 2]\n",
    "nan": '{"id": 1, "result": NaN}\n',
    "exit-in-the-middle": '{"id": 1, "res',
}
HELLO: dict[str, Any] = {
    "protocol": 1, "name": "fake", "version": "fake", "language": "fake", "unicode": "15.0",
    "operations": ["fold", "encode", "decode", "fingerprint"], "schemes": ["sd64"], "features": [],
}  # fmt: skip


def write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def hang() -> NoReturn:
    while True:
        time.sleep(60)


def leave_a_child(keep_output: bool = True, session: bool = False, orphan: bool = False) -> None:
    if os.fork() == 0:
        if session:
            os.setsid()
        if orphan and os.fork():
            os._exit(0)
        if not keep_output:
            null = os.open(os.devnull, os.O_RDWR)
            for descriptor in (0, 1, 2):
                os.dup2(null, descriptor)
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        hang()


# Members of the handshake in some modes.
DECLARED: dict[str, dict[str, Any]] = {
    "wrong-protocol": {"protocol": 2},
    "true-protocol": {"protocol": True},
    "long-name": {"name": "x" * 100_000},
    "long-operation": {"operations": ["x" * 100_000]},
    "impossible-version": {"unicode": "151.0"},
    "engine": {"engine": "numpy"},
}


def hello() -> dict[str, Any]:
    if MODE == "crash-at-once":
        sys.exit("no licence found")
    if MODE == "hang-at-once":
        hang()
    if MODE == "slow-start":
        time.sleep(0.8)
    if MODE == "garbage-at-once":
        write("Loading...\n")
    if MODE == "ignore-sigterm":
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    if MODE == "two-faced" and not is_first():
        return {**HELLO, "operations": ["encode"]}
    return HELLO | DECLARED.get(MODE, {})


def is_first() -> bool:
    """Return True in the first process that asks."""
    try:
        os.close(os.open(os.environ["FAKE_FLAG"], os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return False
    return True


def flood() -> None:
    block = "x" * (1 << 20)
    for _ in range(1024):
        write(block)


def misbehave(answer: dict[str, Any]) -> None:
    """Misbehave as the mode says at the bad request, before the answer is written."""
    if MODE == "crash":
        sys.stderr.write("Traceback: index out of range\n")
        sys.exit(3)
    if MODE == "signal":
        os.kill(os.getpid(), signal.SIGKILL)
    if MODE in ("hang", "ignore-sigterm", "never-read"):
        hang()
    write(RAW.get(MODE, ""))
    if MODE == "same-name-twice":
        write(json.dumps(answer)[:-1] + ', "result": "dab"}\n')
    if MODE == "no-outcome":
        answer.pop("result")
    if MODE == "flood":
        flood()
    if MODE == "flood-of-lines":
        for _ in range(20_000):
            write(json.dumps(answer) + "\n" * 1000)
    if MODE == "wrong-id":
        answer["id"] = 4711
    if MODE == "previous-id":
        answer["id"] -= 1
    if MODE == "late":
        time.sleep(2)
    if MODE == "close-output":
        os.close(1)
        hang()
    if MODE == "exit-in-the-middle":
        os._exit(0)
    if MODE == "child-keeps-pipe":
        leave_a_child()
        os._exit(1)


def main() -> None:
    for line in sys.stdin:
        request = json.loads(line)
        if request["op"] == "hello":
            write(json.dumps(hello()) + "\n")
            if MODE == "never-read":
                hang()
            if MODE == "chatty":
                for _ in range(64):
                    sys.stderr.write("x" * 65536)
            if MODE in ("quiet-child", "daemon-and-child"):
                leave_a_child(keep_output=False)
            if MODE in ("daemon", "daemon-and-child"):
                leave_a_child(keep_output=False, session=True, orphan=True)
            if MODE == "child-in-a-session":
                leave_a_child(keep_output=False, session=True)
                signal.signal(signal.SIGTERM, signal.SIG_IGN)
            continue
        answer = {"id": request["id"], "result": request.get("text", "")[::-1]}
        if request["text"] == "bad":
            misbehave(answer)
            if MODE == "wrong":
                answer["result"] = "\u202ewrong\x1b[31m<b>&\ud800"
        if MODE == "chatty":
            sys.stderr.write("y" * (3 << 20))
        write(json.dumps(answer) + "\n")
        if request["text"] == "bad" and MODE == "twice":
            write(json.dumps(answer) + "\n")
        if request["text"] == "bad" and MODE in ("twice-slowly", "thrice-slowly"):
            time.sleep(0.05)
            write((json.dumps(answer) + "\n") * (2 if MODE == "thrice-slowly" else 1))
    if MODE == "error-at-the-end":
        sys.exit(3)


main()
