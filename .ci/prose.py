"""Print the longest sentences, and phrases that tire a reader, that a change adds to the pages and docstrings.

    python .ci/prose.py [BASE]

BASE is the commit to compare with: where the branch left the main branch, or the last commit. Nothing here is an error:
the status is always 0.
"""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator

LONGEST = 25  # words
SHOWN = 20  # sentences
NOT_OURS = ("conformance/vectors/", "conformance/texts/")
PHRASES = {
    r"\b(?:those|that) of\b": "repeat the noun",
    r"\bthe (?:latter|former)\b": "repeat the noun",
    r"\bsuch as (?:when|if|in|from|with)\b": "for example",
    r"\bas (?:from|of)\b": "for example, from, since",
    r", too\b": "also, before the verb",
    r"\bin place of\b|\bso many\b|\bon purpose\b": "say it in plainer words",
    r"(?<![\w.,/-])\.\d": "0.57",
    r"\b10\^\d": "10⁹",
    r"[:;][^.:;]*[:;]": "one colon or semicolon in a sentence",
}
CODE = re.compile(r"^( *)(```|~~~).*?^\1\2`*$|(?<=\n\n)(?:(?: {4}|\t)[^\n]*(?:\n|\Z))+|<!--.*?-->", re.M | re.S)


def git(*arguments: str) -> str:
    """Return what a command of git prints, or nothing if it fails."""
    return subprocess.run(["git", *arguments], capture_output=True, encoding="utf-8", check=False).stdout


def base() -> str:
    """Return the commit to compare with, or nothing if this clone has only one."""
    head = git("rev-parse", "HEAD").strip()
    for branch in ("origin/main", "main"):
        if (found := git("merge-base", branch, "HEAD").strip()) not in ("", head):
            return found
    return git("rev-parse", "--verify", "--quiet", "HEAD~1").strip()


def prose(name: str, text: str) -> str:
    """Return the prose of a page, or the docstrings of a module."""
    if name.endswith(".md"):
        return CODE.sub("", text)
    nodes = (
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
    )
    return "\n\n".join(ast.get_docstring(node) or "" for node in nodes)


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of prose: a cell of a table, an item of a list and a heading each end one."""
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*#>|]|\d+\.) )|\|", text):
        yield from re.split(r"(?<=[.!?])[*\")]*\s+(?=[\W\d]*[A-Z`\[])", " ".join(block.split()))


def added(since: str) -> list[tuple[str, str]]:
    """Return the sentences that files have now and did not have in a commit, each with the name of its file."""
    found = []
    for name in git("diff", "--name-only", "--diff-filter=d", since, "--", "*.md", "*.py").splitlines():
        if not name.startswith(NOT_OURS):
            with open(name, encoding="utf-8") as file:
                now = prose(name, file.read())
            known = set(sentences(prose(name, git("show", f"{since}:{name}"))))
            found += [(name, one) for one in sentences(now) if one not in known]
    return found


def main() -> None:
    since = sys.argv[1] if len(sys.argv) > 1 else base()
    if not since:
        print("prose: no earlier commit to compare with")
        return
    new = added(since)
    long = sorted((-len(one.split()), name, one) for name, one in new if len(one.split()) > LONGEST)
    for words, name, one in long[:SHOWN]:
        print(f"{name}: {-words} words: {one}")
    for name, one in new:
        for phrase, better in PHRASES.items():
            if match := re.search(phrase, re.sub(r"`[^`]*`", "", one)):
                print(f"{name}: {match[0].strip()!r} ({better}): {one}")
    print(f"prose: {len(new)} new sentences, {len(long)} of them over {LONGEST} words, {min(len(long), SHOWN)} shown")


if __name__ == "__main__":
    main()
