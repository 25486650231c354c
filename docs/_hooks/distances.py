"""Put the table of recommended distances into the pages, where `<!-- table: distances -->` stands.

The distances are those that the package recommends, and the other figures are committed results in `docs/benchmarks`. A
figure that is missing ends the build.
"""

from __future__ import annotations

from collections.abc import Iterator

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import Files
from mkdocs.structure.pages import Page
from mkdocs.utils import get_relative_url
from pictures import RAISED, power, results

from simhash_doc.schemes import get_schemes
from simhash_doc.thresholds import COLLECTIONS, CONFIRMATIONS, LENGTHS, MOST_DOCUMENTS, SHORTEST, largest_distance

MARK = "<!-- table: distances -->"
COLUMNS = ((SHORTEST, 50), (51, 199), (200, LENGTHS[-1]))  # tokens of the texts, from and to
LONG = COLUMNS[-1][0]  # tokens: the figures beside the distances are for texts of so many or more
FEWEST = COLLECTIONS[1]  # documents: fewer have the distances of the first row
LARGEST = COLLECTIONS[-2]  # documents: the hits of the last row are among so many
EVERY, FIRST = min(CONFIRMATIONS), get_schemes()["sd64"].close  # bits: of candidates, in all bits and in the first 64


def on_page_content(html: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    return html.replace(MARK, table(page.url)) if MARK in html else html


def table(url: str) -> str:
    """Return the table for a page with this address, and below it what its figures mean."""
    head = ("Documents", *columns(), "Unrelated texts that a query finds", "Revisions found")
    body = "".join(cells("td", row) for row in (*by_distance(), candidates()))
    source, calculator = (get_relative_url(to, url) for to in ("specification-search/#3-scale", "calculator/"))
    return (
        f'<div class="recommended"><table><thead>{cells("th", head)}</thead><tbody>{body}</tbody></table>'
        f"<p>Distances are bits of <code>sd256</code>. The last two columns are for texts of {LONG} tokens or more. "
        "The ranges of unrelated texts come from passages and complete documents. Revisions change 3 to 10 % of the "
        f"words. <strong>Compare texts under {SHORTEST} tokens directly.</strong> See the "
        f'<a href="{source}">specification</a> for more figures, and the <a href="{calculator}">calculator</a> '
        "for your own.</p></div>"
    )


def cells(tag: str, row: tuple[str, ...]) -> str:
    return f"<tr>{''.join(f'<{tag}>{cell}</{tag}>' for cell in row)}</tr>"


def columns() -> Iterator[str]:
    for first, last in COLUMNS:
        span = f"{first} or more" if last == LENGTHS[-1] else f"{first} to {last}"
        yield f"{span} tokens"


def by_distance() -> Iterator[tuple[str, ...]]:
    """Yield the rows of collections for which a distance is recommended."""
    medium = results("calibration")["widths"]["256"]["recall"]["edit class"]["medium"]
    for size in (at for at in COLLECTIONS if FEWEST <= at <= MOST_DOCUMENTS):
        distances = [distance_for(size, first, last) for first, last in COLUMNS]
        found = medium["within"][distances[-1]] / medium["pairs"]
        yield f"up to {ten_to(size)}", *map(str, distances), hits("sd256", distances[-1], size), f"{found:.2f}"


def candidates() -> tuple[str, ...]:
    """Return the row of larger collections, which are searched by two distances together."""
    medium = results("rates")["confirmed"]["medium"]
    found = medium[f"sd64 <= {FIRST}, sd256 <= {EVERY}"] / medium["pairs"]
    rule = f"{EVERY} ({FIRST} in the first 64 bits)"
    met = f"{hits(f'sd64 confirmed {EVERY}', FIRST, LARGEST)} among {ten_to(LARGEST)}"
    return "more", rule, *["the same"] * (len(COLUMNS) - 1), met, f"{found:.2f}"


def distance_for(size: int, first: int, last: int) -> int:
    """Return the distance that is right for all texts of these lengths, in tokens.

    Raises:
        ValueError: for some of them, no distance is recommended.
    """
    found = [largest_distance("sd256", tokens=tokens, collection=size) for tokens in range(first, last + 1)]
    right = [distance for distance in found if distance is not None]
    if len(right) < len(found):
        raise ValueError(f"no distance of sd256 is recommended for {size} documents of {first} to {last} tokens")
    return min(right)


def hits(rule: str, distance: int, size: int) -> str:
    """Return how many unrelated texts a query finds, by passages and by complete documents."""
    measured = results("rates")["lengths"]
    passages = [length for length in measured if length.isdigit() and int(length) >= LONG]
    rates = [max(measured[at]["within"][rule]["rate"][distance] for at in of) for of in (passages, ["complete"])]
    return " to ".join(power(size * rate) for rate in rates)


def ten_to(size: int) -> str:
    return f"10{str(len(str(size)) - 1).translate(RAISED)}"
