"""Which files below a directory are read; the rules that leave out files are those of Git."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simhash_doc.ingest.selection import IgnoreRules

PATHS = ["a", "b.txt", "a/b.txt", "a/b/c", "b/a", "a b", "a[", "#a", "!a", ".a", "b/.a/c.txt", "a.txt ", "\\a", "a]b"]
PIECES = [
    *("a", "b", "c", "/", "*", "**", "?", ".txt", "#", "!", " ", "\\ ", "."),
    *("[ab]", "[!a]", "[^b]", "[a-c]", "[]a]"),
]
# Git and pathspec disagree about these: ** within a name, **/ or // at the end, an escaped space before another, and
# whether [!a] matches a slash.
DISPUTED = re.compile(r"\[[!^]|[^/]\*\*|\*\*[^/]|\*\*/ *$|//|^!?/ *$|\\  ")
lines_of_rules = (
    st.lists(st.sampled_from(PIECES), min_size=1, max_size=5)
    .map("".join)
    .filter(lambda line: not DISPUTED.search(line))
)


@pytest.mark.parametrize(
    ("rules", "ignored", "kept"),
    [
        ("*.txt", ["b.txt", "a/b.txt"], ["a"]),
        ("/b.txt", ["b.txt"], ["a/b.txt"]),
        ("a/*", ["a/b.txt"], ["b/a"]),
        ("a/**", ["a/b.txt", "a/b/c"], ["a"]),
        ("**/c", ["a/b/c"], []),
        ("*.txt\n!b.txt\n/b.txt", ["b.txt", "x.txt"], ["a/b.txt"]),
        ("# a\n\n\\#a", ["#a"], ["a"]),
        ("a[bc]d?", ["abdx"], ["a/dx", "abd"]),
        ("b\n!a/", ["a/b"], ["a"]),
        ("!\n\\\n[\n*.txt", ["a.txt"], ["a"]),
    ],
)
def test_rules(rules: str, ignored: list[str], kept: list[str]) -> None:
    found = IgnoreRules(tuple(rules.split("\n")))
    assert all(found.ignores(path, is_directory=False) for path in ignored)
    assert not any(found.ignores(path, is_directory=False) for path in kept)


def test_later_rules_keep_directories_of_which_all_files_are_left_out_but_some() -> None:
    rules = IgnoreRules(("*", "!*/", "!*.txt", "c/**", "!c/a.txt"))
    assert [rules.ignores(path, is_directory=True) for path in ("a", "a/b", "c")] == [False, False, False]
    assert [rules.ignores(path, is_directory=False) for path in ("a/b.txt", "a/b", "c/a.txt", "c/b.txt")] == [
        *(False, True, False, True)
    ]


def test_a_rule_with_a_slash_at_its_end_is_for_directories() -> None:
    rules = IgnoreRules(("build/",))
    assert rules.ignores("a/build", is_directory=True)
    assert rules.ignores("a/build", is_directory=False) is None


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not shutil.which("git"):
        pytest.skip("git is not installed: the rules are compared with it")
    folder = tmp_path_factory.mktemp("repository")
    subprocess.run(["git", "init", "-q", folder], check=True)
    return folder


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(lines=st.lists(lines_of_rules, min_size=1, max_size=4))
def test_rules_are_those_of_git(lines: list[str], repository: Path) -> None:
    (repository / ".git/info/exclude").write_text("\n".join(lines), encoding="utf-8")
    command = ["git", "-C", str(repository), "check-ignore", "-z", "--stdin", "--no-index"]
    done = subprocess.run(command, input="\0".join(PATHS).encode(), capture_output=True, check=False)
    expected = {path for path in done.stdout.decode().split("\0") if path}
    rules = IgnoreRules(tuple(lines))

    def is_ignored(path: str) -> bool:
        parts = path.split("/")
        above = ("/".join(parts[:depth]) for depth in range(1, len(parts)))
        return any(rules.ignores(folder, is_directory=True) for folder in above) or bool(
            rules.ignores(path, is_directory=False)
        )

    assert {path for path in PATHS if is_ignored(path)} == expected
