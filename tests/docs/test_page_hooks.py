"""What the site changes in every page: columns of numbers, and descriptions."""

from __future__ import annotations

import pytest

pytest.importorskip("mkdocs", reason="pip install 'simhash-doc[docs]'")

import descriptions
import tables

import reports
from simhash_doc_conformance.vectors.requirements import requirements

TABLE = """<table>
<thead>
<tr>
<th>Name</th>
<th>Size</th>
<th style="text-align: left;">Share</th>
<th>Note</th>
</tr>
</thead>
<tbody>
<tr>
<td>a</td>
<td>1,200 MB</td>
<td style="text-align: left;">0.5</td>
<td>2 or 3</td>
</tr>
<tr>
<td><code>b</code></td>
<td></td>
<td style="text-align: left;">1</td>
<td>4</td>
</tr>
</tbody>
</table>"""


def test_columns_of_numbers_are_aligned_to_the_right() -> None:
    right = ' style="text-align: right;"'
    expected = TABLE.replace("<th>Size", f"<th{right}>Size")
    expected = expected.replace("<td>1,200 MB", f"<td{right}>1,200 MB").replace("<td></td>", f"<td{right}></td>")
    assert tables.aligned(TABLE) == expected


@pytest.mark.parametrize("cell", ["10^9", "10⁹", "0.57", "-3", "12 %", "1,219 MB", "0.07 s", "0.91", "3.0·10⁻⁸"])
def test_a_number_is_a_number(cell: str) -> None:
    assert tables.RIGHT in tables.aligned(f"<table><tr><th>A</th></tr><tr><td>{cell}</td></tr></table>")


def test_a_description_is_the_first_paragraph() -> None:
    html = (
        '<p>Version 1 of a day in November 2026, normative</p><p><em>Short</em> &amp; sweet: this "page" has a first '
        f"sentence. And another.</p><p>{'More text here. ' * 20}</p>"
    )
    assert descriptions.description(html) == "Short & sweet: this 'page' has a first sentence. And another."
    long = f"<p>{'A sentence of the page. ' * 20}</p>"
    assert 150 < len(descriptions.description(long)) <= 210
    assert descriptions.description("<p>No sentence</p>") == ""


def test_reports_on_the_site_link_to_the_documents_of_the_specification() -> None:
    places = {reports._address(name).rpartition("#")[0] for name in requirements()}
    assert places == {f"../{name}/" for name in ("specification", "specification-search", "specification-extraction")}
    assert reports._address("SD-LOOK-1") == "../specification-search/#SD-LOOK-1"
