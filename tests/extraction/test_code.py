"""Numbers of lines beside code; notes that open on a click; boxes in an article."""

from __future__ import annotations

import pytest

from simhash_doc_extraction import extract

LINES = ["kettle = 61", "orchard = 97", "print(kettle)"]
BEFORE, AFTER = "Here is the program that counts kettles.", "It prints one number."


def page(body: str) -> str:
    main = f"<article><h1>Code</h1><p>{BEFORE}</p>{body}<p>{AFTER}</p></article>"
    return extract(f"<!doctype html><html><body>{main}</body></html>".encode()).text


def lines(row: str, between: str = "\n") -> str:
    return between.join(row.format(number=at, line=line) for at, line in enumerate(LINES, 1))


NUMBERED = {
    "spans": "<pre><code>" + lines("<span><span style='user-select:none'> {number}</span><span>{line}</span></span>") + "</code></pre>",
    "no line ends": "<pre>" + lines("<span class=l><span class=n>{number}</span>{line}</span>", "") + "</pre>",
    "after line ends": "<pre>" + lines("<b>{number} </b>{line}") + "</pre>",
    "links": "<pre>" + lines("<a id=l{number} href=#l{number}>{number}</a> {line}") + "</pre>",
    "from another number": "<pre>" + lines("<i>{number}</i>{line}").replace(">3<", ">12<").replace(">2<", ">11<").replace(">1<", ">10<") + "</pre>",
    "rows": "<table>" + lines("<tr><td class=n>{number}</td><td><pre>{line}</pre></td></tr>", "") + "</table>",
    "a column": "<table><tr><td><pre>1\n2\n3\n</pre></td><td><pre><code>" + "\n".join(LINES) + "</code></pre></td></tr></table>",
    "a column of lines": "<table><tr><td><pre><span>1</span><br><span>2</span><br><span>3</span></pre></td><td><pre>" + "\n".join(LINES)
    + "</pre></td></tr></table>",
}  # fmt: skip


@pytest.mark.parametrize("kind", NUMBERED)
def test_numbers_of_lines_are_no_part_of_code(kind: str) -> None:
    assert page(NUMBERED[kind]).split() == ["Code", *f"{BEFORE} {' '.join(LINES)} {AFTER}".split()]


@pytest.mark.parametrize(
    "body",
    ["<pre>1\n2\n3</pre>", "<pre><span>61</span>\n<span>97</span>\n<span>12</span></pre>",
     "<pre>x = <span>1</span>\ny = <span>2</span>\nz = <span>3</span></pre>",
     "<table><tr><td>1</td><td>kettle</td></tr><tr><td>2</td><td>orchard</td></tr></table>"],
)  # fmt: skip
def test_other_numbers_are_read(body: str) -> None:
    text = page(body)
    assert [word for word in text.split() if word.isdecimal()] == [
        word for word in body.replace("<", " <").replace(">", "> ").split() if word.isdecimal()
    ]


NOTE = "Only when the wind is from the north."
NOTES = [
    f"<span class='inline-footnote' onclick='open1()'>1<span style='display:none'>{NOTE}</span></span>",
    f"<sup>[1]<span hidden>{NOTE}</span></sup>",
    f"<a href='#n1' class=ref>*</a><span id=n1 style='display:none'>{NOTE}</span>",
    f"<button aria-controls=n1>1</button><div id=n1 hidden>{NOTE}</div>",
    f"<span onclick=\"show('n1')\">2</span><span id=n1 class=popover style='display: none'>{NOTE}</span>",
    f"<label for=s1>a<span class=sidenote hidden>{NOTE}</span></label>",
]


@pytest.mark.parametrize("note", NOTES)
def test_a_note_that_opens_on_a_click_is_read(note: str) -> None:
    words = page(f"<p>The roof leaks.{note}</p><p>More words stand here.</p>").split()
    assert " ".join(NOTE.split()) in " ".join(words)


@pytest.mark.parametrize(
    "other",
    [f"<span style='display:none'>{NOTE}</span>", f"<span>Menu<span hidden>{NOTE}</span></span>",
     "<sup>1<span hidden>x</span></sup>", f"<a href='#n1'>All of the notes</a><div id=n1 hidden>{NOTE}</div>"],
)  # fmt: skip
def test_what_no_mark_opens_stays_hidden(other: str) -> None:
    assert "north" not in page(f"<p>The roof leaks.{other}</p><p>More words stand here.</p>")


@pytest.mark.parametrize("name", ["class='alert alert-danger'", "class=box", ""])
def test_a_short_box_between_paragraphs_is_read(name: str) -> None:
    text = page(f"<div {name} role=alert><p class=alert-title>Danger</p><p>Something went wrong.</p></div>")
    assert text.split("\n\n") == ["Code", BEFORE, "Danger", "Something went wrong.", AFTER]


def test_a_box_that_asks_its_reader_is_not() -> None:
    assert "cookies" not in page("<div role=alert class=cookie-consent><p>We use cookies.</p><p>Accept?</p></div>")
