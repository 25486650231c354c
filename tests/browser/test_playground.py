"""The playground in a browser: it gives the fingerprints of the vectors, and shows how they come about."""

from __future__ import annotations

from itertools import combinations
from random import Random
from urllib.parse import urlencode

import pytest

from simhash_doc import fingerprint
from simhash_doc.duplicates.policy import Policy
from simhash_doc.schemes import get_scheme, get_schemes
from simhash_doc.thresholds import SHORTEST
from simhash_doc_conformance.vectors.cases import Case, load_cases
from tests.browser.conftest import Visit, wait_until

pytestmark = pytest.mark.browser

FIRST = "The library lends books, maps and old films to everyone in town."
SECOND = "The library lends books, maps and old records to everyone in town."


def shown(visit: Visit, *texts: str, scheme: str = "sd64") -> str:
    """Give texts to the open playground and return what its status line says."""
    page = visit.page
    page.select_option("[name=scheme]", scheme)
    for name, text in zip("ab", (*texts, ""), strict=False):
        page.fill(f"textarea[name={name}]", text)
    page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    return str(page.inner_text("#play .status"))


def vectors() -> list[Case]:
    """Return 26 cases of all schemes whose text a text field can hold; the step javascript has all vectors."""
    # A text field turns U+000D into U+000A.
    cases = [
        case
        for case in load_cases()
        if case.op == "fingerprint" and "result" in case.expected and "\r" not in case.members.get("text", "\r")
    ]
    return [case for scheme in get_schemes() for case in [case for case in cases if case.scheme == scheme][:100:6]]


def test_it_gives_the_fingerprints_of_the_vectors(visit: Visit) -> None:
    visit.open("playground/").wait_for_selector("#play[data-ready]")
    cases = vectors()
    assert len(cases) > 20
    for case in cases:
        expected = case.expected["result"]
        assert shown(visit, case.members["text"], scheme=case.scheme) == f"First text: {expected}.", case.id


def test_all_steps_of_a_text_are_shown(visit: Visit) -> None:
    page = visit.open("playground/")
    shown(visit, "ﬁrst CAFÉ so\u00adft http://a.example/ 東京都 no no")
    assert page.locator("del.removed").all_inner_texts() == ["U+00AD"]
    assert page.locator("del.link").all_inner_texts() == ["http://a.example/"]
    assert page.locator("mark.changed").first.get_attribute("title") == "becomes fi (U+0066 U+0069)"
    assert page.locator(".marked .token").all_inner_texts() == ["first", "café", "soft", "東", "京都", "no", "no"]
    assert page.locator(".chart rect").count() == 64
    assert page.locator(".buckets table tbody tr").count() == 64
    characters = "".join(page.locator(".digits .character").all_inner_texts())
    assert f"sd64:{characters}" == page.inner_text(".fingerprint")


def test_a_text_without_words_has_no_fingerprint(visit: Visit) -> None:
    visit.open("playground/")
    assert shown(visit, "12 34") == "First text: no fingerprint."


def test_two_texts_are_compared(visit: Visit) -> None:
    page = visit.open("playground/")
    a, b = fingerprint(FIRST), fingerprint(SECOND)
    distance = a.distance(b)
    assert shown(visit, FIRST, SECOND) == (
        f"First text: {a!s}. Second text: {b!s}. {distance} bits differ: {a.verdict(b)}."
    )
    assert page.locator(".digits b").count() == 2 * distance
    movers = page.locator(".difference tbody th").all_inner_texts()
    assert set(movers) <= {"films", "records"}
    assert movers


def test_a_link_holds_the_texts(visit: Visit) -> None:
    page = visit.open("playground/")
    before = shown(visit, FIRST, SECOND, scheme="sd128")
    page.click(".share")
    link = page.evaluate("navigator.clipboard.readText()")
    assert "#" in link
    page = visit.open(link.split("/", 3)[3])
    page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    assert page.inner_text("#play .status") == before
    assert not [url for url in visit.requests if "library" in url.split("#")[0]]


def test_markup_in_a_link_stays_text(visit: Visit) -> None:
    fragment = urlencode({"a": "<img src=x onerror=alert(1)> [id='\"x"})
    page = visit.open(f"playground/#{fragment}")
    page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    assert page.locator("#play img").count() == 0


def test_a_file_can_be_dropped(visit: Visit) -> None:
    page = visit.open("playground/")
    data = page.evaluate_handle(
        "() => { const data = new DataTransfer(); data.items.add(new File(['one two three'], 'a.txt')); return data; }"
    )
    page.dispatch_event("textarea[name=a]", "drop", {"dataTransfer": data})
    wait_until(page, "document.querySelector('textarea[name=a]').value === 'one two three'")
    page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    assert page.locator(".fingerprint").first.inner_text() == str(fingerprint("one two three", "sd256"))


def test_a_large_text_does_not_freeze_the_page(visit: Visit) -> None:
    page = visit.open("playground/")
    page.wait_for_selector("#play[data-ready]")
    page.evaluate(
        """() => {
          window.ticks = 0;
          setInterval(() => { window.ticks += document.querySelector('#play').dataset.shown ? 0 : 1; }, 10);
          const field = document.querySelector('textarea[name=a]');
          field.value = Array.from({ length: 100000 }, (_, n) => `word${n}`).join(' ');
          field.dispatchEvent(new Event('input', { bubbles: true }));
        }"""
    )
    page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    expected = fingerprint(" ".join(f"word{n}" for n in range(100_000)), "sd256")
    assert page.locator(".fingerprint").first.inner_text() == str(expected)
    assert page.evaluate("window.ticks") >= 5, "no other work was done while the fingerprint was computed"


def test_it_opens_with_an_example_in_the_recommended_scheme(visit: Visit) -> None:
    page = visit.open("playground/")
    page.wait_for_selector("#play[data-shown]:not([data-shown=''])")
    assert page.input_value("[name=scheme]") == Policy().scheme
    first, second = (page.input_value(f"textarea[name={name}]") for name in "ab")
    a, b = (fingerprint(text, get_scheme(Policy().scheme)) for text in (first, second))
    assert page.inner_text("#play .verdict").startswith(f"{a.distance(b)} of 256 bits differ: {a.verdict(b)}")
    page.click("#play [type=reset]")
    page.wait_for_selector("#play .status:text-is('Type or drop a text.')")
    assert page.input_value("[name=scheme]") == Policy().scheme


@pytest.mark.parametrize(
    ("first", "second", "removed", "added"),
    [
        (FIRST, SECOND, [" films"], [" records"]),
        ("The ﬁrst, two", "THE fi\u00adrst TWO THREE", [","], [" THREE"]),
        ("図書館は本を貸す", "図書館は地図を貸す", ["本"], ["地図"]),
        (FIRST, FIRST, [], []),
        ("word " * 2000 + "old", "word " * 2000 + "new", [], []),
    ],
    ids=["a word", "signs, capitals and a ligature do not count", "Japanese", "none", "beyond what is shown"],
)
def test_the_words_that_differ_are_marked(
    visit: Visit, first: str, second: str, removed: list[str], added: list[str]
) -> None:
    page = visit.open("playground/")
    shown(visit, first, second)
    found = page.locator(".difference .marked")
    assert found.locator("del").all_text_contents() == removed
    assert found.locator("ins").all_text_contents() == added
    assert ("the first 5,000 characters were compared" in "".join(found.all_inner_texts())) == (len(first) > 5000)


def test_the_words_that_differ_are_as_few_as_possible(visit: Visit) -> None:
    """Compare with the longest common subsequence, found among all subsequences of short texts."""
    page = visit.open("playground/")
    random = Random(0)
    for _ in range(20):
        first, second = ([random.choice("abc") for _ in range(random.randrange(1, 9))] for _ in range(2))
        shown(visit, " ".join(first), " ".join(second))
        common = max(size for size in range(9) if {*combinations(first, size)} & {*combinations(second, size)})
        found = page.locator(".difference .marked")
        counts = [len("".join(found.locator(tag).all_text_contents()).split()) for tag in ("del", "ins")]
        assert counts == [len(first) - common, len(second) - common], (first, second)


def test_it_needs_less_than_a_megabyte(visit: Visit) -> None:
    page = visit.open("playground/")
    page.wait_for_selector("#play[data-ready]")
    sizes = page.evaluate(
        "performance.getEntriesByType('resource').map((entry) => [entry.name, entry.encodedBodySize])"
    )
    assert len(sizes) > 3
    assert sum(size for _, size in sizes) < 1_000_000, sizes


def test_a_pasted_fingerprint_is_decoded_and_compared(visit: Visit) -> None:
    page = visit.open("playground/")
    wide, narrow = fingerprint(FIRST, "sd256"), fingerprint(SECOND)
    status = shown(visit, f" {str(wide).upper()}\n", str(narrow))
    first = wide.narrow("sd64")
    verdict = f"{first.distance(narrow)} bits differ: {first.verdict(narrow)}."
    assert status == f"First text: {first}. Second text: {narrow}. {verdict}"
    assert "Narrowed from sd256" in page.inner_text(".analysis")
    assert page.locator(".digits b").count() == 2 * first.distance(narrow)
    # A text is computed in the scheme of the fingerprint beside it.
    assert shown(visit, str(wide), FIRST, scheme="sd64").endswith("0 bits differ: close.")
    assert "bad-length" in shown(visit, "sd64:abc")
    assert shown(visit, "congratulation").startswith("First text: sd64:")


@pytest.mark.parametrize(
    ("first", "second"),
    [("図書館は本を貸します。", "図書館は地図を貸します。"), (FIRST, SECOND)],
    ids=["Japanese", "English"],
)
def test_short_texts_are_called_short(visit: Visit, first: str, second: str) -> None:
    page = visit.open("playground/")
    shown(visit, first, second)
    warning = page.inner_text(".difference .short")
    assert "fewer than about 200 tokens, a close pair of sd64 is a candidate: compare the texts." in warning
    assert f"Under {SHORTEST} tokens, no distance is recommended." in warning  # as the specification says
    assert warning.split()[0].isdigit()
    assert "Short texts" in page.inner_text(".difference .verdict")
    long = " ".join(f"word{n}" for n in range(300))
    shown(visit, long, f"{long} more")
    assert page.locator(".difference .short").count() == 0


@pytest.mark.parametrize(
    ("first", "second", "noted"),
    [
        ("Bill 4711, due 38 crowns for apples", "Bill 4712, due 38 crowns for apples", True),
        ("Bill 4711, due 38 crowns for apples", "Bill ٤٧١١, due 38 crowns for apples", True),
        ("Bill 4711, due 38 crowns for apples", "Bill, due 38 crowns for apples", True),
        ("Bill 4711, due 38 crowns for apples", "Note 4711, due 38 crowns for apples", False),
        ("Bill 4711, due 38 crowns for apples", "Bill 4711, due 38 crowns for apples", False),
    ],
    ids=["another number", "other digits", "no number", "another word", "equal"],
)
def test_numbers_that_differ_are_noted(visit: Visit, first: str, second: str, noted: bool) -> None:
    page = visit.open("playground/")
    shown(visit, first, second)
    assert page.locator(".difference .numbers").count() == noted
