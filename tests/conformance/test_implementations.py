"""The implementations in other languages: no Unicode data of the platform, no dependencies, versions of their own."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from register import read_register
from simhash_doc import SPEC_VERSION

CONFORMANCE = Path(__file__).parents[2] / "conformance"
ROOT = CONFORMANCE.parent / "ports"
# The sources of each library, how it includes others, the ones that it may include, and what asks the platform about
# characters without an inclusion.
INCLUDE = {
    "c": r"#include <(.+)>",
    "go": r'^(?:import |\t)"([a-z0-9/.-]+)"$',
    "java": r"^import (?:static )?([\w.]+);",
    "js": r"\bfrom '([^'.][^']*)'",
    "rust": r"^use ((?!crate|super|self)\w+)",
}
SOURCES = {
    "c": ("src/*.[ch]", "include/*.h"),
    "go": ("*.go",),
    "java": ("src/main/java/**/*.java",),
    "js": ("src/*.js",),
    "rust": ("src/*.rs",),
}
INCLUDED = {
    "c": {"stdbool.h", "stddef.h", "stdint.h", "stdlib.h", "string.h", "sys/random.h", "time.h", "unistd.h"},
    "go": {"bytes", "cmp", "encoding/base32", "encoding/binary", "fmt", "hash/maphash", "math/bits", "slices", "sort"}
    | {"strings", "sync"},
    "java": {"java.io", "java.lang.invoke", "java.nio", "java.nio.charset", "java.security", "java.util"},
    "js": set[str](),
    "rust": {"alloc", "core"},
}
PLATFORM = {
    "c": r"\b(?:tow?(?:lower|upper)|isw?(?:alpha|alnum|digit|space|lower|upper)|setlocale|mbto|wcto|iconv)\w*\(",
    "go": r"\b(?:strings|bytes)\.(?:To|EqualFold|Fields|Trim|Title|Map)",
    "java": r"Character\.(?!is(?:High|Low)?Surrogate|toCodePoint)|\.(?:to(?:Lower|Upper)Case|equalsIgnoreCase"
    r"|compareToIgnoreCase|strip\w*|isBlank|matches|split|replaceAll|replaceFirst)\(",
    "js": r"\\[pP]\{|\.(?:normalize|to(?:Locale)?(?:Lower|Upper)Case|localeCompare|trim\w*)\(|\bIntl\b",
    "rust": r"\.(?:to_(?:lower|upper)case|is_(?:alphabetic|alphanumeric|numeric|lowercase|uppercase|whitespace|control)"
    r"|split_whitespace|trim\w*)\(",
}
# The file that a package's client reads the version from; Go has the tag alone.
MANIFESTS = {"c": "CMakeLists.txt", "java": "pom.xml", "js": "package.json", "rust": "Cargo.toml"}
# JavaScript changes the case of ASCII letters by these lines alone.
ASCII_ONLY = (
    "if (!/[^\\0-\\x7f]/.test(text)) return text.toLowerCase();",
    "const lowerAscii = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());",
    "...ALPHABET.slice(0, 26).toUpperCase()",
)


def lines(language: str) -> Iterator[str]:
    """Yield the lines of the library, without comments of their own line and without tests."""
    files = [path for pattern in SOURCES[language] for path in sorted((ROOT / language).glob(pattern))]
    assert files
    for path in files:
        if not path.name.endswith("_test.go"):
            text = path.read_text(encoding="utf-8")
            yield from (line for line in text.splitlines() if not re.match(r"\s*(?://|\*|/\*)", line))


@pytest.mark.parametrize("language", SOURCES)
def test_a_library_includes_nothing_that_has_unicode_data(language: str) -> None:
    included = {match[1] for line in lines(language) if (match := re.search(INCLUDE[language], line))}
    if language == "java":
        included = {name.rpartition(".")[0] for name in included}
    assert included == INCLUDED[language]


@pytest.mark.parametrize("language", SOURCES)
def test_a_library_does_not_ask_the_platform_about_characters(language: str) -> None:
    found = [line for line in lines(language) if re.search(PLATFORM[language], line)]
    assert [line for line in found if not any(known in line for known in ASCII_ONLY)] == []


def test_no_library_has_dependencies_at_run_time_or_unsafe_code_outside_one_module() -> None:
    assert "require" not in (ROOT / "go/go.mod").read_text(encoding="utf-8")
    assert "#![deny(unsafe_code)]" in (ROOT / "rust/src/lib.rs").read_text(encoding="utf-8").splitlines()
    allowing = [path.name for path in ROOT.glob("rust/src/*.rs") if "allow(unsafe_code)" in path.read_text("utf-8")]
    assert allowing == ["sixteen.rs"]
    assert "dependencies" not in tomllib.loads((ROOT / "rust/Cargo.toml").read_text(encoding="utf-8"))
    assert "dependencies" not in json.loads((ROOT / "js/package.json").read_text(encoding="utf-8"))
    cmake = (ROOT / "c/CMakeLists.txt").read_text(encoding="utf-8")
    assert "find_package" not in cmake
    assert "target_link_libraries(simhash_doc " not in cmake
    space = {"": "http://maven.apache.org/POM/4.0.0"}
    dependencies = ElementTree.parse(ROOT / "java/pom.xml").findall("dependencies/dependency", space)
    assert {dependency.findtext("scope", namespaces=space) for dependency in dependencies} == {"test"}


@pytest.mark.parametrize("language", SOURCES)
def test_a_package_has_the_licences_of_its_code_and_its_tables(language: str) -> None:
    folder = ROOT / language / {"java": "src/main/resources/META-INF"}.get(language, "")
    repository = CONFORMANCE.parent
    assert (folder / "LICENSE").read_bytes() == (repository / "LICENSE").read_bytes()
    assert (folder / "LICENSE-UNICODE.txt").read_bytes() == (repository / "spec/data/LICENSE-UNICODE.txt").read_bytes()


@pytest.mark.parametrize("language", SOURCES)
def test_a_package_has_its_version_and_names_the_specification(language: str) -> None:
    version = read_register(CONFORMANCE / "implementations.json")[language]["version"]
    changes, readme = ((ROOT / language / name).read_text(encoding="utf-8") for name in ("CHANGELOG.md", "README.md"))
    assert re.search(r"^## ([^\s,]+)", changes, re.MULTILINE)[1] == version  # type: ignore[index]
    assert f"specification {SPEC_VERSION}" in changes
    assert f"ersion {version} implements specification {SPEC_VERSION}. [Changes](" in readme
    assert len(re.findall(r"^```\w+$", readme, re.MULTILINE)) == 1  # CI runs it with the installed package
    if language in MANIFESTS:
        assert version in (ROOT / language / MANIFESTS[language]).read_text(encoding="utf-8")


def test_the_webassembly_package_names_its_version_the_crate_and_the_specification() -> None:
    folder, crate = ROOT / "rust/wasm", read_register(CONFORMANCE / "implementations.json")["rust"]["version"]
    version = json.loads((folder / "package.json").read_text(encoding="utf-8"))["version"]
    readme = (folder / "README.md").read_text(encoding="utf-8")
    assert f"the Rust crate {crate} " in " ".join(readme.split())
    assert f"Version {version} implements specification {SPEC_VERSION}. [Changes](" in readme
    assert f'version = "{version}"' in (folder / "Cargo.toml").read_text(encoding="utf-8")
    assert f"## {version}," in (folder / "CHANGELOG.md").read_text(encoding="utf-8")
