"""The command line: output, exit status, messages."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from multiprocessing import Process
from pathlib import Path

import pytest

import simhash_doc
from simhash_doc import fingerprint, trace
from tests.commands import COMMAND, run
from tests.provenance import provenance


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.txt").write_text("one two three four", encoding="utf-8")
    (tmp_path / "b.txt").write_text("five six seven", encoding="utf-8")
    (tmp_path / "digits.txt").write_text("12 34", encoding="utf-8")
    (tmp_path / ".hidden").write_text("hidden", encoding="utf-8")
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep/c.txt").write_text("eight nine", encoding="utf-8")
    return tmp_path


def test_lines_are_in_the_order_of_the_arguments(folder: Path) -> None:
    done = run("fingerprint", folder / "b.txt", folder / "a.txt")
    expected = [
        f"{fingerprint('five six seven')}  {folder / 'b.txt'}",
        f"{fingerprint('one two three four')}  {folder / 'a.txt'}",
    ]
    assert (done.stdout.splitlines(), done.stderr, done.returncode) == (expected, "", 0)


def test_json_objects_contain_scheme_and_counts(folder: Path) -> None:
    done = run("fingerprint", "--json", "--scheme", "sd128", folder / "a.txt")
    computed = fingerprint("one two three four", "sd128")
    assert json.loads(done.stdout) == {
        "path": str(folder / "a.txt"),
        "scheme": "sd128",
        "fingerprint": str(computed),
        "hex": computed.hex,
        "tokens": 4,
        "distinct_tokens": 4,
        "support": 4.0,
        "provenance": provenance("sd128"),
    }


@pytest.mark.parametrize(
    ("data", "offset"),
    [(b"word \xff", 5), (b"\xc3", 0), (b"a" * 65534 + b" \xe2\x82", 65535), (b"x" * 70000 + b"\x80", 70000)],
)
def test_warning_for_invalid_utf8_has_its_offset(tmp_path: Path, data: bytes, offset: int) -> None:
    path = tmp_path / "ill"
    path.write_bytes(b"word " * 1 + data)
    done = run("fingerprint", "--type", "text", path)
    assert f"warning: not well-formed UTF-8: first invalid byte at offset {offset + 5};" in done.stderr
    assert done.returncode == (0 if done.stdout else 1)
    assert done.stdout == f"{fingerprint(b'word ' + data)}  {path}\n"


def test_trace_shows_every_intermediate_value(folder: Path) -> None:
    done = run("fingerprint", "--trace", "--json", folder / "a.txt")
    assert json.loads(done.stdout)["trace"] == trace("one two three four").as_dict()
    text = run("fingerprint", "--trace", folder / "digits.txt")
    assert "'12 34'" in text.stdout
    assert text.returncode == 1
    assert run("fingerprint", "--trace", "--csv", folder / "a.txt").returncode == 2


def test_compare_files_and_fingerprints(folder: Path) -> None:
    computed = fingerprint("one two three four")
    done = run("compare", folder / "a.txt", str(computed), "--json")
    assert json.loads(done.stdout) == {
        "a": str(folder / "a.txt"),
        "b": str(computed),
        "scheme": "sd64",
        "distance": 0,
        "similarity": 1.0,
        "verdict": "close",
    }
    wide = fingerprint("one two three four", "sd256")
    assert run("compare", str(wide), folder / "a.txt").stdout.startswith("close: 0 of 256 bits")
    assert run("compare", folder / "a.txt", folder / "b.txt").stdout.startswith("distinct: ")
    assert run("compare", "-", folder / "a.txt", stdin=b"one two three four").stdout.startswith("close: 0 ")


def test_compare_rejects_what_it_cannot_compare(folder: Path) -> None:
    computed, base32 = str(fingerprint("one")), fingerprint("one").base32
    for arguments, message in [
        ((computed, str(fingerprint("one", "sd128"))), "cannot be compared"),
        ((computed, "no-such-file"), "'no-such-file': no such file, and not a fingerprint"),
        ((computed, "postgresql://x"), "postgresql://x: simhash-doc reads no URLs: save it as a file"),
        ((f"sd64:{base32}", computed, "--scheme", "sd128"), "sd64 cannot be narrowed to sd128, which is wider"),
        ((base32, computed, "--scheme", "sd128"), "sd64 cannot be narrowed to sd128, which is wider"),
        ((f"sd64:{base32[:-1]}", computed), "has length 12; sd64 has 13 characters"),
        ((str(fingerprint("one", "sd256")), computed), "--scheme sd64 narrows the wider one"),
        (("-", "-"), "standard input can be read once"),
        ((folder, computed), f"simhash-doc: {folder} is a directory; compare takes two documents, and dedupe"),
    ]:
        done = run("compare", *arguments)
        assert (done.returncode, message in done.stderr) == (2, True), done.stderr
    done = run("compare", computed, folder / "digits.txt")
    assert (done.returncode, "contains no token" in done.stderr) == (1, True)


def test_compare_narrows_on_request_and_reads_hexadecimal(folder: Path) -> None:
    wide, narrow = fingerprint("one two three four", "sd256"), fingerprint("one two three four")
    for other in (str(narrow), narrow.hex, f"0x{narrow.hex}", narrow.base32, folder / "a.txt"):
        done = run("compare", "--scheme", "sd64", str(wide), other)
        assert (done.stdout, done.stderr) == ("close: 0 of 64 bits differ, similarity 1.000\n", "")


@pytest.mark.parametrize(
    "arguments",
    [["fingerprint", "a.txt", "b.txt"], ["fingerprint", "--csv", "a.txt"], ["extract", "a.txt", "b.txt"],
     ["extract", "--json", "a.txt"], ["compare", "a.txt", "b.txt"], ["decode", "sd64:raeidodvqipge"],
     ["dedupe", "a.txt", "b.txt"],
     ["index", "info", "i.sdix"], ["index", "info", "--json", "i.sdix"], ["index", "verify", "i.sdix"],
     ["store", "stats", "--db", "s.sqlite"], ["store", "stats", "--db", "s.sqlite", "--json"],
     ["store", "verify", "--db", "s.sqlite"], ["conformance", "list", "--select", "cap/*"],
     *(pytest.param(["conformance", *rest], marks=pytest.mark.slow)
       for rest in (["requests", "--select", "cap/*"], ["show", "cap/nine"], ["explain", "cap/nine"]))],
)  # fmt: skip
def test_every_output_can_be_a_file_that_is_written_atomically(
    folder: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    if "i.sdix" in arguments or "s.sqlite" in arguments:
        lines = run("fingerprint", "a.txt", "b.txt").stdout.encode()
        build = ["index", "build", "i.sdix"] if "i.sdix" in arguments else ["store", "add", "--db", "s.sqlite"]
        assert run(*build, stdin=lines).returncode == 0
    expected = run(*arguments)
    assert expected.stdout
    assert run(*arguments, "-o", "-").stdout == expected.stdout
    done = run(*arguments, "-o", "result")
    assert (done.stdout, done.stderr, done.returncode) == ("", expected.stderr, expected.returncode)
    assert Path("result").read_bytes().decode() == expected.stdout
    lost = run(*arguments, "-o", "no/such/place")
    assert (lost.returncode, "no/such/place: cannot be written" in lost.stderr) == (1, True)
    assert not Path("-").exists()


@pytest.mark.parametrize(
    "arguments",
    [["index", "build", "-", "a.txt"], ["index", "add", "-", "a.txt"], ["store", "add", "--db", "-", "a.txt"],
     ["store", "dedupe", "--db", "-", "a.txt"]],
)  # fmt: skip
def test_no_file_is_named_as_standard_input(
    folder: Path, arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = run(*arguments)
    assert (done.returncode, " is -, but " in done.stderr) == (2, True)
    assert not Path("-").exists()


def test_decode_shows_the_parts() -> None:
    done = run("decode", "sd64:raeidodvqipge", "--json")
    fields = json.loads(done.stdout)
    assert (fields["scheme"], fields["hex"], int(fields["bits"], 2)) == ("sd64", "880881b875821e62", 0x880881B875821E62)
    assert (fields["fingerprint"], fields["base32"]) == ("sd64:raeidodvqipge", "raeidodvqipge")
    assert "880881b875821e62" in run("decode", "raeidodvqipge").stdout
    custom = json.loads(run("decode", "sd64+custom:raeidodvqipge", "--json").stdout)
    assert (custom["fingerprint"], custom["canonical"]) == ("sd64+custom:raeidodvqipge", False)
    for digits in (fields["hex"], f"0x{fields['hex']}"):
        assert "fingerprint  sd64:raeidodvqipge\n" in run("decode", digits).stdout
    done = run("decode", "raeidodvqipgf")
    assert (done.returncode, done.stdout, done.stderr[:25]) == (2, "", "simhash-doc: spare-bits: ")


def test_version_names_package_and_specification() -> None:
    shown = run("--version").stdout
    assert shown == f"simhash-doc {simhash_doc.__version__} (specification {simhash_doc.SPEC_VERSION})\n"


def test_module_runs_as_the_command() -> None:
    done = subprocess.run([*COMMAND, "fingerprint", "--nothing"], capture_output=True, text=True, check=False)
    assert done.stderr.startswith("Usage: simhash-doc fingerprint ")


def test_a_shell_can_complete_commands(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_SIMHASH_DOC_COMPLETE", "bash_source")
    assert "COMP_WORDS" in run().stdout


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, simhash_doc; print([m for m in ('numpy', 'xxhash', 'click', 'json') if m in sys.modules])"
    # The measurement of coverage loads modules of its own.
    environment = {name: value for name, value in os.environ.items() if not name.startswith("COVERAGE")}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_short_document_is_fingerprinted_without_numpy(folder: Path) -> None:
    program = "import sys; sys.modules['numpy'] = None; from simhash_doc.cli import main; main()"
    command = [sys.executable, "-c", program, "fingerprint", str(folder / "a.txt")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.startswith("sd64:")


def test_an_unknown_engine_in_the_environment_is_a_usage_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SIMHASH_DOC_ENGINE", "fast")
    done = run("fingerprint", folder / "a.txt")
    assert (done.returncode, done.stdout) == (2, "")
    message = "simhash-doc: unknown-engine: SIMHASH_DOC_ENGINE is 'fast'; expected auto, python, numpy, native\n"
    assert done.stderr == message


def test_a_worker_that_cannot_be_started_is_no_usage_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def start(_: Process) -> None:
        raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))

    monkeypatch.setattr(Process, "start", start)
    (folder / "page.html").write_text("<p>one two three", encoding="utf-8")
    done = run("fingerprint", folder / "page.html")
    assert (done.returncode, done.stderr[:35]) == (1, "simhash-doc: worker-not-started: a ")


def test_a_comparison_is_explained(folder: Path) -> None:
    (folder / "a.txt").write_text("the old lamp of the old house")
    (folder / "b.txt").write_text("the new lamp of the house house")
    done = run("compare", "--explain", "--json", folder / "a.txt", folder / "b.txt")
    found = json.loads(done.stdout)
    assert found["tokens"] == {"only_a": {"old": 2}, "only_b": {"new": 1, "house": 1}}
    left, right = (fingerprint((folder / name).read_text()) for name in ("a.txt", "b.txt"))
    bits = [at for at, (x, y) in enumerate(zip(f"{left.value:064b}", f"{right.value:064b}", strict=True)) if x != y]
    assert (found["differing_bits"], len(bits)) == (bits, found["distance"])
    shown = run("compare", "--explain", folder / "a.txt", folder / "b.txt").stdout.splitlines()
    assert shown[1:] == [
        f"bits that differ, from 0: {' '.join(map(str, bits))}",
        f"only in {folder / 'a.txt'}: old (2)",
        f"only in {folder / 'b.txt'}: house new",
    ]
    alone = json.loads(run("compare", "--explain", "--json", str(left), folder / "b.txt").stdout)
    assert (alone["tokens"], alone["differing_bits"]) == (None, bits)
