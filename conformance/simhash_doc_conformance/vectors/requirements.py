"""The requirements of the specification: their text, and how messages cite them."""

from __future__ import annotations

import re
from functools import cache

from simhash_doc.published_files import data_path

# The documents that contain requirements, in their order, and how messages name them.
DOCUMENTS = {"simhash-doc.md": "specification", "search.md": "search.md", "extraction.md": "extraction.md"}
_REPOSITORY = "https://github.com/simhash-doc/simhash-doc/blob/main"
# A clause, and the numbered steps or the table that follow it.
_CLAUSE = re.compile(r'<a id="(SD-[A-Z]+-\d+)"></a>\*\*\1\*\* (.+?)(?:\n\n((?:\d+\. |\| ).+?))?(?=\n\n|\Z)', re.DOTALL)
_GRAMMAR = re.compile(r"^```abnf\n(.+?)^```", re.DOTALL | re.MULTILINE)
_SECTION_OR_CLAUSE = re.compile(r'^## (?P<section>\d+)\. |<a id="(?P<clause>SD-[A-Z]+-\d+)"></a>', re.MULTILINE)


@cache
def requirements() -> dict[str, str]:
    """Return the text of each requirement on one line, by its identifier, in the order of the specification."""
    return {
        identifier: " ".join(clause.split())
        for document in DOCUMENTS
        for identifier, clause, _ in _CLAUSE.findall(_text(document))
    }


def wording(requirement: str) -> list[str]:
    """Return the paragraphs of a requirement: the clause, its steps or table, the rules of grammar that it uses.

    >>> [line.split()[0] for line in wording("SD-LINK-8")[1:]]
    ['digit', 'hex']
    """
    text, clause = _text(document_of(requirement)), requirements()[requirement]
    listed = next(listed for name, _, listed in _CLAUSE.findall(text) if name == requirement)
    rules = {line.split()[0]: line for block in _GRAMMAR.findall(text) for line in block.splitlines()}
    used = {name for rule in re.findall(r"`\w+ = (.+?)`", clause) for name in re.findall("[a-z]+", rule)}
    used |= {part for name in used & rules.keys() for part in re.findall("[a-z]+", rules[name])}
    return [clause, *re.sub("\n +", " ", listed).splitlines(), *(rule for name, rule in rules.items() if name in used)]


def document_of(requirement: str) -> str:
    """Return the document that contains a requirement.

    >>> document_of("SD-LOOK-1")
    'search.md'
    """
    return _places()[requirement][0]


def cite(requirement: str) -> str:
    """Return a requirement with its section, for messages.

    >>> cite("SD-FOLD-1")
    'SD-FOLD-1 (specification, section 4)'
    >>> cite("SD-LOOK-1"), cite("SD-EXTRACT-1")
    ('SD-LOOK-1 (search.md, section 1)', 'SD-EXTRACT-1 (extraction.md)')
    """
    document, section = _places()[requirement]
    return f"{requirement} ({DOCUMENTS[document]}{f', section {section}' if section else ''})"


def address(requirement: str) -> str:
    """Return the address of a requirement in the repository.

    >>> address("SD-LOOK-1").rpartition("/")[2]
    'search.md#SD-LOOK-1'
    """
    return f"{_REPOSITORY}/spec/{document_of(requirement)}#{requirement}"


@cache
def _places() -> dict[str, tuple[str, str]]:
    """Return the document and the number of the section of each requirement; the number is empty if it has none."""
    found = {}
    for document in DOCUMENTS:
        section = ""
        for match in _SECTION_OR_CLAUSE.finditer(_text(document)):
            section = match["section"] or section
            if match["clause"]:
                found[match["clause"]] = (document, section)
    return found


def _text(document: str) -> str:
    return (data_path("spec") / document).read_text(encoding="utf-8")
