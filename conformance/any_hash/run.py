"""Run check.py against published similarity hashes, and write `results.json` and `RESULTS.md` beside it.

    python conformance/any_hash/run.py FOLDER             # install the packages in FOLDER, run all, write both
    python conformance/any_hash/run.py FOLDER simhash     # run some again
    python conformance/any_hash/run.py --page             # only write RESULTS.md from results.json

It needs pip, go, mvn and a JDK of at least version 17. It is not a step of CI.
"""

from __future__ import annotations

import json
import subprocess
import sys
from datetime import date
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
RESULTS, PAGE = HERE / "results.json", HERE / "RESULTS.md"
COMMAND = "python conformance/any_hash/run.py FOLDER"
HASH4J = "com.dynatrace.hash4j:hash4j:0.30.0"
MFONDA = "github.com/mfonda/simhash@v0.0.0-20151007195837-79f94a1100d6"
# What data-juicer's operator imports: the package itself requires some hundred others.
JUICER = (
    "numpy regex loguru pydantic pillow psutil datasets jsonargparse dill multiprocess tqdm pyyaml pandas tomli uv "
    "zstandard aiohttp httpx wget emoji requests beautifulsoup4 tabulate simhash-pybind==0.0.3"
).split()
PACKAGES = {
    "simhash": ["simhash==2.1.2"],
    "trafilatura": ["trafilatura==2.3.1", "lxml_html_clean"],
    "py-data-juicer": JUICER,
    "simhash-pybind": ["simhash-pybind==0.0.3"],
    "datasketch": ["datasketch==2.0.0"],
    "datatrove": ["datatrove[processing]==0.10.1", "spacy"],
    "chdb": ["chdb-core==26.9.0"],
    "daft": ["daft==0.7.26"],
    "ppdeep": ["ppdeep==20260221"],
    "py-tlsh": ["py-tlsh==5.0.0"],
    "gaoya": ["gaoya==0.2.2"],
}
# Name of the adapter: package, and how the tool is used here.
TOOLS = {
    "simhash-doc": ("", "documents"),
    "simhash": ("simhash", "windows of 4 characters"),
    "trafilatura": ("trafilatura", "web pages; words between spaces"),
    "data-juicer": ("py-data-juicer", "training texts; windows of 6 words between spaces, the default"),
    "data-juicer-character": ("py-data-juicer", "`tokenization: character`, which it recommends for Chinese"),
    "simhash-pybind": ("simhash-pybind", "shingles of 4 words between spaces"),
    "hash4j": ("", "words between spaces"),
    "mfonda": ("", "English texts; `NewWordFeatureSet`, as in its README"),
    "mfonda-unicode": ("", "`NewUnicodeWordFeatureSet`"),
    "ngramSimHash": ("chdb", "texts in ClickHouse, as bytes; windows of 3"),
    "ngramSimHashUTF8": ("chdb", "windows of 3 code points"),
    "wordShingleSimHashUTF8": ("chdb", "shingles of 3 words"),
    "daft-simhash": ("daft", "windows of 3 characters"),
    "daft-minhash": ("daft", "windows of 3 words between spaces, 64 hashes"),
    "datasketch": ("datasketch", "MinHash of 128; words between spaces"),
    "datatrove": ("datatrove", "training texts; windows of 5 English words, 112 MinHashes"),
    "gaoya": ("gaoya", "MinHash; words between spaces. It shows no hashes, so a text stands for its own"),
    "ppdeep": ("ppdeep", "ssdeep in Python: files of some kilobytes, as bytes"),
    "tlsh": ("py-tlsh", "files of at least 50 bytes, as bytes"),
}
_COLUMNS = {
    "no text is equal to an empty one": "not as an empty text",
    "short texts differ": "short texts differ",
    "texts of other alphabets differ": "other alphabets differ",
    "texts of unspaced scripts differ": "unspaced scripts differ",
    "a small edit moves a text little: English": "edit: en",
    "a small edit moves a text little: Chinese": "zh",
    "a small edit moves a text little: Japanese": "ja",
    "a small edit moves a text little: Thai": "th",
}
_PROPERTIES = {
    "upper case": "upper case",
    "full-width letters": "full width",
    "decomposed (NFD) Vietnamese": "NFD vi",
    "decomposed (NFD) Japanese": "NFD ja",
    "line breaks for spaces": "line breaks",
    "two spaces for one": "two spaces",
    "no-break spaces": "no-break spaces",
}


def command(name: str, folder: Path) -> list[str]:
    """Install what an adapter needs, and return its command."""
    package, _ = TOOLS[name]
    if name == "hash4j":
        quiet = ["mvn", "-q", "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy"]
        subprocess.run([*quiet, f"-Dartifact={HASH4J}", f"-DoutputDirectory={folder / name}"], check=True)
        return ["java", "-cp", str(folder / name / "*"), str(HERE / "Hash4j.java")]
    if name.startswith("mfonda"):
        build = folder / "mfonda"
        if not (build / "mfonda").exists():
            build.mkdir(parents=True, exist_ok=True)
            (build / "main.go").write_bytes((HERE / "mfonda.go").read_bytes())
            for step in ("mod init mfonda", f"get {MFONDA}", "build -o mfonda"):
                subprocess.run(["go", *step.split()], cwd=build, check=True)
        return [str(build / "mfonda"), *(["unicode"] if name.endswith("unicode") else [])]
    python = folder / package / "bin/python" if package else Path(sys.executable)
    if package and not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder / package)], check=True)
        install = [str(python), "-m", "pip", "install", "-q"]
        if package == "py-data-juicer":
            subprocess.run([*install, "--no-deps", "py-data-juicer==1.6.1"], check=True)
        subprocess.run([*install, *PACKAGES[package]], check=True)
    return [str(python), str(HERE / "adapters.py"), name]


def run(name: str, folder: Path) -> dict[str, Any]:
    """Return the report about a tool."""
    check = [sys.executable, str(HERE / "check.py"), "--json", "--timeout", "120"]
    done = subprocess.run([*check, *command(name, folder)], capture_output=True, text=True, check=False)
    if not done.stdout:
        sys.exit(f"{name}: {done.stderr}")
    report: dict[str, Any] = json.loads(done.stdout)
    return {"date": date.today().isoformat(), **report}


def page(results: dict[str, Any]) -> str:
    """Return the page with the tables of all reports."""
    required = [finding["check"] for finding in results["simhash-doc"]["findings"] if finding["kind"] == "requirement"]
    others = [check for check in required if check not in _COLUMNS]
    for name, report in results.items():
        if bad := [check for check in others if _finding(report, check)["status"] == "failed"]:
            sys.exit(f"{name} fails {bad[0]!r}, which has no column: add one")
    days = sorted({report["date"] for report in results.values()})
    lines = [
        "# Other similarity hashes, checked",
        "",
        "**no** is a failure, with the number of texts that fail. The columns of edits show the distances after two",
        "edits, and the mean distance of unrelated paragraphs. A tool may fail a requirement that it was not designed",
        "for, and many leave it to their user to split or normalize the text: the column Use says what we did. The",
        "[README](README.md) explains each requirement.",
        "",
    ]
    lines += _table(
        ["Tool", "Use", *_COLUMNS.values()],
        (
            [
                f"`{name}`, {report['implementation']['version']}",
                TOOLS[name][1],
                *(_cell(report, check) for check in _COLUMNS),
            ]
            for name, report in results.items()
        ),
    )
    lines += [
        "",
        f"All meet the other requirements: {'; '.join(others)}.",
        "",
        "## Properties",
        "",
        "How a paragraph (English, if the column names no other language) compares with its variant. None of these is",
        "a failure. *Near* is under half of the mean distance of unrelated paragraphs. The last column counts the",
        "texts without a word that the tool refuses.",
        "",
    ]
    lines += _table(
        ["Tool", *_PROPERTIES.values(), "no word"],
        (
            [
                f"`{name}`",
                *(_seen(report, check).partition(":")[0] for check in _PROPERTIES),
                _seen(report, "texts without a word").partition(" refused")[0],
            ]
            for name, report in results.items()
        ),
    )
    lines += [
        "",
        f"Run on {' and '.join(days)} by `{COMMAND}`. [results.json](results.json) contains the complete reports.",
    ]
    return "\n".join(lines) + "\n"


def _table(head: list[str], rows: Any) -> list[str]:
    return [f"| {' | '.join(cells)} |" for cells in (head, ["---"] * len(head), *rows)]


def _finding(report: dict[str, Any], check: str) -> dict[str, Any]:
    found: dict[str, Any] = next(finding for finding in report["findings"] if finding["check"] == check)
    return found


def _seen(report: dict[str, Any], check: str) -> str:
    return str(_finding(report, check)["observed"])


def _cell(report: dict[str, Any], check: str) -> str:
    finding = _finding(report, check)
    seen = str(finding["observed"])
    if "edit" in check:
        seen = seen.removeprefix("edits of one word ").replace(" and ", ", ").removesuffix(" on average")
        seen = seen.replace("; unrelated paragraphs", " of")
    else:
        seen = seen.partition(" are equal")[0].removesuffix(" texts")
    return f"**no**: {seen}" if finding["status"] == "failed" else seen if "edit" in check else "yes"


def main() -> None:
    arguments = sys.argv[1:]
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    if arguments != ["--page"]:
        folder = Path(arguments[0])
        for name in arguments[1:] or TOOLS:
            results[name] = run(name, folder)
            print(name, "ok" if results[name]["ok"] else "some requirements fail", flush=True)
        ordered = {name: results[name] for name in TOOLS if name in results}
        rows = (f"{json.dumps(name)}: {json.dumps(report, ensure_ascii=False)}" for name, report in ordered.items())
        RESULTS.write_text("{\n" + ",\n".join(rows) + "\n}\n", encoding="utf-8")
    PAGE.write_text(page(json.loads(RESULTS.read_text(encoding="utf-8"))), encoding="utf-8")


if __name__ == "__main__":
    main()
