"""The pictures of the documentation show the committed results."""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

pytest.importorskip("mkdocs", reason="pip install 'simhash-doc[docs]'")

import charts
import pictures

from simhash_doc import fingerprint

ROOT = Path(__file__).parents[2]
SVG = "{http://www.w3.org/2000/svg}"
SHOWN = {"recall": "rates", "expected-hits": "rates", "distances": "calibration", "throughput": "implementations"}
SHOWN |= {
    "edits": "compare",
    "hash-speed": "compare",
    "methods": "methods",
    "extraction": "extraction-validation",
    "search": "lookup",
}
# A figure of the results of each picture: its path, and how the table shows it.
FIGURES: dict[str, tuple[tuple[str | int, ...], str]] = {
    "recall": (("replaced", "500", "0.1", "sd256", 26), "12 %"),
    "expected-hits": (("lengths", "200", "rates", "sd64 <= 3", "rate"), "123,457"),
    "distances": (("histograms", "256", "large", 5), "99 %"),
    "throughput": (("english", "Rust", "English", "sd64"), "0.1"),
    "methods": (("rows", 0, "right"), "1.3 %"),
    "edits": (("rows", 0, "found", "5 %"), "1.5 %"),
    "hash-speed": (("rows", 0, "mb_per_second"), "0.1"),
    "extraction": (("simhash_doc", "forum", "f1"), "0.123"),
    "search": (("disk", 0, "processor_seconds"), "0.1"),
}


def drawn(name: str) -> list[ElementTree.Element]:
    """Return the drawings of a picture, wide and narrow."""
    picture = pictures.PICTURES[name]()
    return [
        ElementTree.fromstring(draw(width).svg(name, picture.title, picture.description))
        for draw in picture.parts
        for width in (charts.WIDE, charts.NARROW)
    ]


def cells(name: str) -> list[str]:
    return [cell for row in pictures.PICTURES[name]().rows for cell in row]


@pytest.fixture
def changed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that changes a figure of some results, or takes it out."""

    def change(name: str, path: tuple[str | int, ...], value: float | None) -> None:
        found = copy.deepcopy(json.loads((ROOT / f"docs/benchmarks/{name}.json").read_bytes()))
        part = found
        for key in path[:-1]:
            part = part[key]
        if value is None:
            del part[path[-1]]
        else:
            part[path[-1]] = value
        read = pictures.results
        monkeypatch.setattr(pictures, "results", lambda asked: found if asked == name else read(asked))

    return change


@pytest.mark.parametrize("name", FIGURES)
def test_a_picture_shows_another_figure_if_the_result_is_another(name: str, changed: Any) -> None:
    path, shown = FIGURES[name]
    before = cells(name), [ElementTree.tostring(one) for one in drawn(name)]
    value = {"recall": 0.1234, "expected-hits": 0.1234567, "distances": 5000, "methods": 120, "edits": 12}.get(
        name, 0.123
    )
    changed(SHOWN[name], path, value)
    after = cells(name), [ElementTree.tostring(one) for one in drawn(name)]
    assert any(shown in cell for cell in after[0])
    assert before[0] != after[0]
    assert all(one != other for one, other in zip(before[1][:2], after[1][:2], strict=True))


@pytest.mark.parametrize("name", FIGURES)
def test_a_missing_figure_ends_the_build(name: str, changed: Any) -> None:
    path = FIGURES[name][0]
    changed(SHOWN[name], path[:-1] if name in ("recall", "distances") else path, None)  # a list gets shorter otherwise
    with pytest.raises(KeyError):
        pictures.figure(name, pictures.PICTURES[name](), "")


def test_an_unknown_picture_ends_the_build() -> None:
    with pytest.raises(KeyError):
        pictures.with_pictures("<!-- picture: unknown -->", "index/")


def test_each_picture_is_on_a_page() -> None:
    pages = [*(ROOT / "docs").rglob("*.md"), *(ROOT / "spec").glob("*.md")]
    named = {name for page in pages for name in re.findall(r"^<!-- picture: (\S+) -->$", page.read_text("utf-8"), re.M)}
    assert named | set(pictures.OF_THE_README) == set(pictures.PICTURES)


def test_the_pictures_of_the_readme_are_those_of_the_results() -> None:
    for path, content in pictures.files_of_the_readme().items():
        assert path.read_text(encoding="utf-8") == content, "run python docs/_hooks/pictures.py"


def test_the_texts_of_the_readme_have_the_bits_that_are_drawn() -> None:
    first = fingerprint(pictures.TEXTS[0])
    assert [fingerprint(text).distance(first) for text in pictures.TEXTS] == [0, 0, 4, 21], "the README says so"
    for one in drawn("texts"):
        cells = [cell.attrib["class"] for cell in one.iter(f"{SVG}rect")]
        for at, text in enumerate(pictures.TEXTS):
            strip = cells[64 * at : 64 * (at + 1)]
            assert sum(css[0] == "f" for css in strip) == fingerprint(text).value.bit_count()
            assert sum(css[1] == "1" for css in strip) == fingerprint(text).distance(first)


def test_the_clusters_of_the_readme_have_a_box_for_each_file() -> None:
    files = len(list((ROOT / "conformance/vectors/extraction").glob("*-article.*")))
    for one in drawn("clusters"):
        boxes = [box.attrib["class"] for box in one.iter(f"{SVG}rect")]
        assert (boxes.count("f0"), len(boxes)) == (6, files)
        assert f"You keep 6 of {files} files" in "".join(one.itertext())


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_a_picture_has_a_name_and_a_description_and_stays_within_its_frame(name: str) -> None:
    for one in drawn(name):
        width, height = (float(one.attrib[side]) for side in ("width", "height"))
        assert one.attrib["role"] == "img"
        ids = {child.attrib["id"]: child.text for child in one if "id" in child.attrib}
        assert ids[one.attrib["aria-labelledby"]]
        assert len(str(ids[one.attrib["aria-describedby"]])) > 40
        for text in one.iter(f"{SVG}text"):
            x, y = float(text.attrib["x"]), float(text.attrib["y"])
            strong = "strong" in text.attrib["class"]
            size = charts.width_of(str(text.text), strong=strong)
            start = x - {"start": 0.0, "middle": size / 2, "end": size}[text.attrib["text-anchor"]]
            assert -1 <= start <= start + size <= width + 1, text.text
            assert 0 < y < height
        for rectangle in one.iter(f"{SVG}rect"):
            x, y, across, high = (float(rectangle.attrib[side]) for side in ("x", "y", "width", "height"))
            assert -0.1 <= x <= x + across <= width + 0.1
            assert -0.1 <= y <= y + high <= height + 0.1


def test_the_table_of_a_picture_has_its_head() -> None:
    for make in pictures.PICTURES.values():
        picture = make()
        assert {len(row) for row in picture.rows} == {len(picture.head)}
        assert not picture.source or (ROOT / "docs" / picture.source).is_file()


def luminance(colour: str) -> float:
    """Return the relative luminance of a colour (WCAG 2)."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


@pytest.mark.parametrize(("scheme", "backs"), [("light", ["#ffffff"]), ("dark", ["#1e2129", "#0d1117"])])
def test_the_colours_stand_out_from_the_page(scheme: str, backs: list[str]) -> None:
    for name, colour in charts.COLOURS[scheme].items():
        for back in backs if name != "page" else [charts.COLOURS[scheme]["0"]]:
            low, high = sorted(map(luminance, (colour, back)))
            assert (high + 0.05) / (low + 0.05) >= (3 if name == "line" else 4.5), (name, back)


def test_names_of_lines_do_not_overlap() -> None:
    assert charts.apart([10, 12, 200], [20, 20, 20], 210) == [10, 30, 200]
    assert charts.apart([200, 205], [20, 20], 210) == [180, 200]


def test_a_value_lies_on_its_axis() -> None:
    axis = charts.Axis("", 1, 1000, {}, log=True)
    assert [axis.place(value) for value in (0, 1, 10, 1000, 5000)] == pytest.approx([0, 0, 1 / 3, 1, 1])


def test_numbers_are_written_as_in_the_text() -> None:
    written = {0.0123: "0.012", 4.2: "4.2", 4543: "4,543", 1e6: "10⁶", 2.5e9: "2.5 · 10⁹", 3e-8: "3 · 10⁻⁸"}
    assert {value: pictures.power(value) for value in written} == written
    assert [pictures.percent(value) for value in (0, 0.004, 0.126, 1)] == ["0 %", "0.4 %", "13 %", "100 %"]


def test_the_pipeline_is_the_example_of_the_specification() -> None:
    example = pictures.trace()
    for one in drawn("pipeline"):
        written = "".join(str(text.text) for text in one.iter(f"{SVG}text"))
        for value in (example["input"], example["folded"], example["fingerprint"], *example["hashes"]):
            assert re.sub(r"\s", "", value) in re.sub(r"\s", "", written)
        bars = [bar for bar in one.iter(f"{SVG}rect") if bar.find(f"{SVG}title") is not None]
        assert [str(bar.findtext(f"{SVG}title")) for bar in bars] == [
            f"bit {bit}: {example['buckets'][bit]}" for bit in range(63, -1, -1)
        ]
