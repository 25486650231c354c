"""The adapter templates are written, built and run as their README describes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from simhash_doc_conformance.adapters.scaffold import LANGUAGES, adapter_files, library_of
from simhash_doc_conformance.commands.cases import init
from tests.conformance.adapters import answers, build, start_adapter

HELLO = {"op": "hello", "protocol": 1, "suite": "0.1.0", "member_of_a_later_version": [{"}": "]"}]}
# Every control character, with and without a short JSON escape; quotes, backslashes; the first and last code points
# of each length in UTF-8; line ends that do not end a line of the protocol; a text that looks like JSON.
AWKWARD = (
    "".join(map(chr, range(0x20))) + '"\\/\\u0041\x7f\x80\u07ff\u0800\u2028\u2029\uffff\U00010000😀\U0010ffff,"id":1}]'
)
LONG = AWKWARD * 40_000  # some 3 MB as UTF-8, 12 MB in ASCII

# For each language: the line that is replaced, and an operation that answers with the text of the request.
ECHO = {
    "python": ('    # "fingerprint": ', '    "fingerprint": lambda request: {"result": text_of(request)},'),
    "js": ("  // fingerprint: ", "  fingerprint: (request) => ({ result: textOf(request) }),"),
    "go": ('\t// "fingerprint": ', '\t"fingerprint": func(r Request) Members { return Members{"result": *r.Text} },'),
    "rust": ('    // ("fingerprint", ', '    ("fingerprint", |request| json!({"result": request["text"]})),'),
    "java": (
        '        // OPERATIONS.put("fingerprint", ',
        '        OPERATIONS.put("fingerprint", request -> Map.of("result", request.get("text")));',
    ),
    "c": (
        '    /* {"fingerprint", fingerprint}, */',
        '    {"fingerprint", echo},',
    ),
    "r": ("  # fingerprint = ", "  fingerprint = function(request) list(result = text_of(request)),"),
}
ECHO_IN_C = """
static void echo(const char *request) {
    size_t length;
    char *text = json_string(json_member(request, "text"), &length);
    fputs("\\"result\\":", stdout);
    json_print_string(text, length);
    free(text);
}

static const struct operation {"""


def plug_in_echo(language: str, directory: Path) -> None:
    path = directory / LANGUAGES[language].adapter
    beginning, echo = ECHO[language]
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line.startswith(beginning) for line in lines].count(True) == 1
    text = "\n".join(echo if line.startswith(beginning) else line for line in lines) + "\n"
    if language == "c":
        text = text.replace("\nstatic const struct operation {", ECHO_IN_C)
    path.write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    "language", [pytest.param(name, marks=[] if name == "python" else pytest.mark.slow) for name in ECHO]
)
def test_a_new_adapter_answers_the_handshake_and_a_plugged_in_operation_gets_every_text_unchanged(
    language: str, tmp_path: Path
) -> None:
    directory = start_adapter(language, tmp_path / "new")
    build(language, directory)
    request = {"id": 0, "op": "fingerprint", "scheme": "sd64", "text": LONG}
    requests = [{**request, "id": number, "op": op} for number, op in enumerate(["fingerprint", "encode", "toString"])]
    for ascii_only in (True, False):
        hello, *rest = answers(language, directory, HELLO, *requests, ascii_only=ascii_only)
        assert (hello["protocol"], hello["language"], hello["operations"]) == (1, LANGUAGES[language].name, [])
        assert (hello["schemes"], hello["features"]) == (["sd64"], [])
        assert all(isinstance(hello[name], str) and hello[name] for name in ("name", "version", "unicode"))
        assert rest == [{"id": number, "unsupported": True} for number in range(3)]

    plug_in_echo(language, directory)
    build(language, directory)
    texts = ["", "\0", AWKWARD, LONG, "a"]
    if language == "r":  # needs a control character that stands for U+0000
        texts[2:4] = [text.replace("\x1f", "") for text in texts[2:4]]
    requests = [{**request, "id": number, "text": text} for number, text in enumerate(texts)]
    for ascii_only in (True, False):
        hello, *rest = answers(language, directory, HELLO, *requests, ascii_only=ascii_only)
        assert hello["operations"] == ["fingerprint"]
        assert rest == [{"id": number, "result": text} for number, text in enumerate(texts)]


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_template_passes_the_scheme_and_shows_the_forms_of_answers(language: str) -> None:
    template = adapter_files(language)[LANGUAGES[language].adapter]
    place = template.partition("Plug in here")[2].partition("- The protocol")[0]
    assert '{"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}' in place
    assert '{"error": "no-token"}' in place
    operations = [
        line for line in place.splitlines() if re.search("my_?(encode|decode|fingerprint)", line, re.IGNORECASE)
    ]
    assert len(operations) == (1 if language == "c" else 3)
    assert [line for line in operations if "scheme" not in line.lower()] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_adapter_documents_how_to_build_and_run_it(
    language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    directory = tmp_path / "deep er/still"
    done = CliRunner().invoke(init, ["--lang", language, str(directory)])
    assert done.exit_code == 0
    readme = (directory / "README.md").read_text(encoding="utf-8")
    library = library_of(language)
    assert (library in readme, library in done.output) == (True, True)
    folder = library.partition("/main/")[2]
    assert (Path(__file__).parents[2] / folder).is_dir()
    assert (
        LANGUAGES[language].ported == (Path(__file__).parents[2] / "ports" / language).is_dir()
        or folder == "simhash_doc"
    )
    assert "$" not in readme
    assert f"cd '{directory}'" in done.output
    for command in LANGUAGES[language].commands:
        assert f"    {command}\n" in done.output
        assert f"       {command}\n" in readme
    monkeypatch.chdir(tmp_path)
    assert "cd " not in CliRunner().invoke(init, ["--lang", language, "."]).output.partition("Next:")[2]
    assert "Plug in here" in (directory / LANGUAGES[language].adapter).read_text(encoding="utf-8")
    assert {f"wrote {directory / name}" for name in adapter_files(language)} <= set(done.output.splitlines())


def test_existing_files_are_named_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    (tmp_path / "src/main.rs").write_text("mine", encoding="utf-8")
    (tmp_path / "README.md").symlink_to(tmp_path / "nowhere")
    done = CliRunner().invoke(init, ["--lang", "rust", str(tmp_path)])
    assert done.exit_code == 2
    assert str(tmp_path / "src/main.rs") in done.output
    assert str(tmp_path / "README.md") in done.output
    assert "Cargo.toml" not in done.output
    assert sorted(path.name for path in tmp_path.iterdir()) == ["README.md", "src"]
    assert (tmp_path / "src/main.rs").read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("written", range(4))
def test_an_interrupted_run_can_be_repeated(written: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = {tmp_path / name: content for name, content in adapter_files("c").items()}
    moments = iter([None] * written + [KeyboardInterrupt])
    with monkeypatch.context() as patched:
        patched.setattr("os.fsync", lambda file: (_ for _ in ()).throw(one()) if (one := next(moments)) else None)
        assert CliRunner().invoke(init, ["--lang", "c", str(tmp_path)]).exit_code
    first = {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()}
    assert (len(first), first.items() <= expected.items()) == (written, True)
    done = CliRunner().invoke(init, ["--lang", "c", str(tmp_path)])
    assert (done.exit_code, done.output.count("wrote ")) == (0, len(expected) - written)
    assert {path: path.read_text(encoding="utf-8") for path in tmp_path.rglob("*") if path.is_file()} == expected


@pytest.mark.parametrize("arguments", [["--lang", "cobol", "new"], ["new"], ["--lang", "c"]])
def test_usage_errors_have_status_2(arguments: list[str], tmp_path: Path) -> None:
    assert CliRunner().invoke(init, arguments).exit_code == 2
    (tmp_path / "file").write_text("", encoding="utf-8")
    done = CliRunner().invoke(init, ["--lang", "c", str(tmp_path / "file/deeper")])
    assert (done.exit_code, str(tmp_path / "file") in done.output) == (2, True)
