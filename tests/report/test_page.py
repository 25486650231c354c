"""The page of reports: what it holds comes back, and nothing in it is read as HTML."""

from __future__ import annotations

import re
import shutil
import subprocess
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simhash_doc.own_outputs import is_own_output
from simhash_doc.report import document, html_page
from simhash_doc.report.document import Badge, Group, Groups, Report, Row, Rows, Run, Table, Tile
from simhash_doc.report.page import part, visible
from tests.reports import parts, plain, report_in, texts

HOSTILE = [
    "</script><script>alert(1)</script>",
    "<!--<script>",
    "]]>&lt;\"'`",
    "a\u2028b\u2029c",
    "\ud800 and \udfff",
    "\x00\x07\x1b[31m\x7f\x9b",
    "\u202egnp.exe\u2066\u200f",
    "zero\u200bwidth\ufeffand soft\u00adhyphen",
    "{{document}}{{script}}",
]


def report_of(text: str) -> Report:
    """Return a report with a text in all places in which texts of documents may be."""
    row = Row(
        [Run(text, "mute"), text],
        [Badge("kept", "kept")],
        text,
        notes=[text],
        differs=[(text, text)],
        summary=text,
        text=[Run(text, "del"), Run(text, "ins", "#" + text)],
        facts=[(text, text)],
        alike=document.Alike(text, [text]),
        id=text,
    )
    blocks: list[document.Block] = [
        Groups("document", "name", iter([Group(text, text, [Rows(iter([row]))], ["kind"], id=text)]), {"kind": text}),
        Table(text, [text], [[text]]),
        document.Listing([text]),
    ]
    return Report(text, text, text, "bad", [text], [Tile(1, text)], blocks, document.Origin(text))


class _Elements(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.policy = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


@given(text=st.one_of(st.sampled_from(HOSTILE), st.text(st.characters(), max_size=30)))
def test_no_text_changes_the_elements_of_a_page(text: str) -> None:
    page = "\n".join(html_page(report_of(text)))
    assert _Elements(page).found == _Elements("\n".join(html_page(report_of("harmless")))).found
    page.encode("utf-8")
    written = report_in(page)
    assert set(texts(written["blocks"][2]["items"])) == {visible(text)}
    assert all(one.isprintable() or one in " \n\t" for found in texts(written) for one in found)


def test_what_cannot_be_seen_is_escaped() -> None:
    assert visible("\u202e \x1b[31m \ud800 \u200b \u2028 \xad") == r"\u202e \x1b[31m \ud800 \u200b \u2028 \xad"
    assert visible("a b\n\tc é 茶") == "a b\n\tc é 茶"


def test_the_policy_allows_only_the_script_and_the_style_of_the_page() -> None:
    page = "\n".join(html_page(report_of("x")))
    policy = next(one["content"] for tag, one in _Elements(page).found if one.get("http-equiv"))
    assert policy is not None
    allowed = dict(one.split(maxsplit=1) for one in policy.split("; "))
    assert allowed.pop("default-src") == allowed.pop("base-uri") == allowed.pop("form-action") == "'none'"
    for name, content in (
        ("style-src", re.findall("<style>(.*?)</style>", page, re.DOTALL)),
        ("script-src", re.findall("<script>(.*?)</script>", page, re.DOTALL)),
    ):
        (own,) = content
        assert allowed.pop(name) == f"'sha256-{b64encode(sha256(own.encode()).digest()).decode()}'"
    assert allowed == {}
    assert not any(name in one for _, one in _Elements(page).found for name in ("style", "onload", "src"))
    assert not re.search(r"@import|url\(|innerHTML|eval\(", page)


def test_a_page_is_known_as_an_output_and_says_without_its_script_what_was_found() -> None:
    report = Report("Title", "Two of three", "about <it>", lines=["More."], tiles=[Tile(1234, "documents")])
    page = "\n".join(html_page(report))
    assert is_own_output(page.encode())
    assert "<h1>Two of three</h1>" in page
    noscript = page.partition("<noscript>")[2].partition("</noscript>")[0]
    assert "<p>More.</p>" in noscript
    assert "<li>1,234 documents</li>" in noscript


def test_the_json_is_read_with_the_command_of_the_documentation(tmp_path: Path) -> None:
    if not shutil.which("jq"):
        pytest.skip("jq is not installed")
    rows = [Row(name, [Badge(label, "near")]) for name, label in (("a", "kept"), ("b", "near-duplicate"))]
    (tmp_path / "report.html").write_text("\n".join(html_page(Report("t", "h", "a", blocks=[Rows(rows)]))))
    command = (document.__doc__ or "").partition("::\n")[2].partition("\n\n")[0]
    done = subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout == '"b"\n'


def test_empty_members_are_absent_and_zero_is_a_number() -> None:
    (row,) = parts(report_in("\n".join(html_page(Report("t", "h", "a", blocks=[Rows([Row("x", bits=0)])])))), "rows")[0]
    assert row == {"name": "x", "bits": 0}


@pytest.mark.parametrize("address", ["javascript:alert(1)", "data:text/html,x", " https://a.org", "page.html"])
def test_links_lead_to_addresses_and_to_parts_of_the_page(address: str) -> None:
    with pytest.raises(ValueError, match="begins with neither"):
        Run("x", href=address)
    assert plain([{"text": Run("x", href="../specification/#SD-FOLD-1").text}]) == "x"


def test_the_colours_of_a_page_can_be_told_from_its_background() -> None:
    """WCAG 2.2: at least 4.5 for text, 3 for marks, in light, which is also for paper, and in dark."""

    def luminance(colour: str) -> float:
        shares = [int(colour[at : at + 2], 16) / 255 for at in (0, 2, 4)]
        linear = [share / 12.92 if share <= 0.04045 else ((share + 0.055) / 1.055) ** 2.4 for share in shares]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    roots = re.findall(r":root \{(.*?)\}", part("page.css"), re.DOTALL)[:2]
    text, marks, backs = {"text", "mute", "good", "bad", "other", "link"}, {"edge"}, ("back", "soft")
    marks |= {"equal", "near", "loose", "far", "incomplete"}
    for root in roots:
        colours = dict(re.findall(r"--(\w+): #(\w{6});", root))
        pairs = [(name, back, 4.5 if name in text else 3) for name in text | marks for back in backs]
        for name, back, least in [*pairs, ("text", "gone", 4.5), ("text", "new", 4.5)]:
            low, high = sorted(luminance(colours[one]) for one in (name, back))
            assert (high + 0.05) / (low + 0.05) >= least, (name, back)
