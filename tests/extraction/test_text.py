from __future__ import annotations

from simhash_doc_extraction import extract

MARKDOWN = """---
title: "The tower"
date: metadata
---

A *first* paragraph with [a link](https://example.org/metadata "metadata") and `code`.[^1]

| Measure | Value |
|---------|-------|
| height  | sixty |

```python
kept  =  1
```

Term
: What it means

<div hidden>metadata</div>

![metadata](picture.png)

- one
- two

[^1]: The note.

[ref]: https://example.org/metadata
"""

ASCIIDOC = """= git-tower(1)
:author: metadata

////
metadata
////
// metadata

[[synopsis]]
== SYNOPSIS
[verse]
'git tower' [--all] <file>{litdd}

include::metadata.txt[]
ifdef::metadata[]
Shown anyway.
endif::metadata[]

See linkgit:git-add[1], <<synopsis,the synopsis>>, https://example.org/[a page]
and image:metadata.png[metadata] footnote:[A remark.]

----
kept  listing
----

DESCRIPTION
-----------
Text &amp; more.
"""


def test_markdown_gives_the_text_of_its_rendered_form() -> None:
    extracted = extract(MARKDOWN.encode(), name="tower.md")
    assert extracted.format == "markdown"
    assert extracted.text.split("\n\n") == [
        "The tower", "A first paragraph with a link and code. [1]", "Measure", "Value", "height", "sixty", "kept  =  1", "Term",
        "What it means", "one", "two", "The note.",
    ]  # fmt: skip


def test_markdown_without_its_ending_is_plain_text() -> None:
    assert extract(MARKDOWN.encode()).text == MARKDOWN


def test_asciidoc_gives_its_text_and_warns_about_includes() -> None:
    extracted = extract(ASCIIDOC.encode(), name="git-tower.adoc")
    assert extracted.format == "asciidoc"
    assert "metadata" not in extracted.text
    assert extracted.warnings == ("included files not read: 1 (first: 'metadata.txt')",)
    for kept in ("== SYNOPSIS", "<file>--", "Shown anyway.", "See git-add(1), the synopsis, a page", "A remark.",
                 "kept  listing", "DESCRIPTION\nText & more."):  # fmt: skip
        assert kept in extracted.text, kept
