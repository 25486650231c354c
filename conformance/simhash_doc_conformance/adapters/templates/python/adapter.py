"""A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line."""

from __future__ import annotations

import json
import sys
import unicodedata
from collections.abc import Callable
from typing import Any

Members = dict[str, Any]

NAME, VERSION = "my-simhash", "0.1"
UNICODE = unicodedata.unidata_version  # of the NFC that the implementation uses
SCHEMES = ["sd64"]

# ---- Plug in here ------------------------------------------------------------------------------
# An operation takes the members of a request and returns those of the answer: {"result": ...},
# {"error": "spare-bits"} with a name of section 14, or {"unsupported": True}. The operations
# listed here are declared to the runner.
# The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
# A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
OPERATIONS: dict[str, Callable[[Members], Members]] = {
    # "encode": lambda request: my_encode(bytes.fromhex(request["hex"]), request["scheme"], request["canonical"]),
    # "decode": lambda request: my_decode(request["text"], request.get("scheme")),
    # "fingerprint": lambda request: my_fingerprint(text_of(request), request["scheme"]),
}


def text_of(request: Members) -> str | bytes:
    """Return the input of a request: a text, or the bytes of a document (supporting them is optional)."""
    return str(request["text"]) if "text" in request else bytes.fromhex(request["bytes"])


# ---- The protocol ------------------------------------------------------------------------------
def answer(request: Members) -> Members:
    if request["op"] == "hello":
        who = {"protocol": 1, "name": NAME, "version": VERSION, "language": "Python", "unicode": UNICODE}
        return {**who, "operations": list(OPERATIONS), "schemes": SCHEMES, "features": []}
    operation = OPERATIONS.get(request["op"])
    return {"id": request["id"], **(operation(request) if operation else {"unsupported": True})}


if __name__ == "__main__":
    for line in sys.stdin.buffer:
        print(json.dumps(answer(json.loads(line))), flush=True)
