"""The tables of the calibration and of the rates of unrelated pairs: on pages of their own, and in the rationale."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from math import floor, log10, sqrt

from benchmarks.measuring import Results, Row
from benchmarks.tables import page, power, share, table, ten_to
from simhash_doc.schemes import get_schemes

KINDS = ("small", "medium", "large", "cross-media")
Z = 1.959963984540054  # the 0.975 quantile of the normal distribution
SIZES = (10**6, 10**8)  # of the collections whose candidates are shown


def found(row: Results, distance: int) -> str:
    """Return the share of pairs within a distance."""
    return share(row["within"][distance] / row["pairs"])


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % score interval of a binomial share (Wilson 1927): the p with |k/n - p| <= z sqrt(p(1-p)/n)."""
    if not 0 <= successes <= trials or not trials:
        raise ValueError(f"{successes} of {trials} is not a share")
    share = successes / trials
    centre = (share + Z**2 / (2 * trials)) / (1 + Z**2 / trials)
    half = Z / (1 + Z**2 / trials) * sqrt(share * (1 - share) / trials + Z**2 / (4 * trials**2))
    # Exactly 0 and 1 at the ends, without rounding errors.
    low = 0.0 if successes == 0 else centre - half
    high = 1.0 if successes == trials else centre + half
    return low, high


def interval(successes: int, of: int) -> str:
    """Return a share with its 95 % score interval, such as `0.93 (0.90 to 0.95)`."""
    low, high = map(share, wilson(successes, of))
    return f"{share(successes / of)} ({low} to {high})"


def thresholds_of(width: str) -> tuple[int, int]:
    """Return the distances *close* and *loose* of a width."""
    scheme = get_schemes()[f"sd{width}"]
    return scheme.close, scheme.loose


# Tables that the rationale quotes.


def corpus(results: Results) -> Iterable[Row]:
    held, narrow = results["corpus"], results["widths"]["64"]
    pairs = narrow["false_positives"]
    facts = {
        "documents": f"{held['documents']:,}, in {held['languages']} languages, from {held['sources']} sources",
        "unrelated pairs": f"{pairs['pairs']:,} of {held['unrelated_documents']:,} documents, in "
        f"{held['unrelated_languages']} languages; {narrow['languages']['en']['pairs']:,} of them English",
        "pairs among these that share no document": f"{pairs['disjoint_pairs']:,}",
        "left out because they overlap a little": f"{held['left_out_as_residue']} pairs",
        **{f"true pairs: {name}": f"{count:,}" for name, count in held["pairs"].items()},
        "median length": f"{held['tokens_median']:,} tokens",
    }
    return ({"Of the corpus": name, "Number": fact} for name, fact in facts.items())


def spacing_marks(results: Results) -> Iterable[Row]:
    for lang, row in results["scripts"]["spacing_marks"].items():
        yield {
            "Language": lang,
            "Unrelated pairs": f"{row['pairs']:,}",
            "Mean distance without Mc": row["without Mc"]["mean"],
            "with Mc": row["version 1"]["mean"],
        }


CUTS = {
    "whole runs": "scriptio continua whole",
    "bigrams": "version 1",
    "trigrams": "scriptio continua in trigrams",
    "single characters": "scriptio continua in single characters",
}


def cuts(results: Results) -> Iterable[Row]:
    for lang, row in results["scripts"]["cuts"].items():
        cells = {}
        for title, name in CUTS.items():
            within, false = row[name]["within"], row[name].get("false_positives")
            cells[title] = " / ".join(share(within[distance] / row["pairs"]) for distance in (3, 6))
            if false and false[6]:
                cells[title] += f"; FP {false[3]} / {false[6]}"
        pairs = {"True pairs": row["pairs"], "Unrelated pairs": f"{row.get('unrelated_pairs', 0):,}"}
        yield {"Language": lang, **pairs, **cells}


def caps(results: Results) -> Iterable[Row]:
    for name, one in results["caps"].items():
        within = one["false_positives"]["within"]
        row = {
            "Count per token": name,
            "FP at d <= 3": f"{within[3]:,}",
            "FP at d <= 6": f"{within[6]:,}",
            "Recall at d <= 3: small / medium / large / cross-media": " / ".join(
                found(one["recall"][kind], 3) for kind in KINDS
            ),
        }
        yield {title: f"**{cell}**" for title, cell in row.items()} if name == "at most 8" else row


def decisions(results: Results) -> Iterable[Row]:
    for name, row in results["decisions"].items():
        false, moved = row["false_positives"]["within"], row["moved"]
        effect = ""
        if moved["pairs"]:
            before, after = (share(moved[which][6] / moved["pairs"]) for which in ("version 1", "changed"))
            effect = f"{moved['pairs']:,}: {before} becomes {after}"
        yield {
            "Changed": name,
            "FP": f"{false[3]:,} / {false[6]:,}",
            **{kind: f"{found(row['recall'][kind], 3)} / {found(row['recall'][kind], 6)}" for kind in KINDS},
            "True pairs that move, their recall at d <= 6": effect,
        }


def thresholds(results: Results) -> Iterable[Row]:
    """Yield the rates of unrelated pairs at the thresholds of each scheme, from the results of the rates."""
    for scheme in get_schemes().values():
        row: Row = {"Scheme": scheme.id, "Registry: close / loose": f"**{scheme.close} / {scheme.loose}**"}
        for length in ("50", "200", "1000", "complete"):
            rates = results["lengths"][length]["rates"]
            of_scheme = (rates[f"{scheme.id} <= {distance}"]["rate"] for distance in (scheme.close, scheme.loose))
            row[tokens(length)] = " / ".join(map(number, of_scheme))
        yield row


def recall_by_similarity(results: Results) -> Iterable[Row]:
    widths = results["widths"]
    for kind in ("revisions", "cross-media"):
        way = f"{kind} by similarity"
        for name, narrow in widths["64"]["recall"][way].items():
            cells = {
                f"sd{width}: close / loose": " / ".join(
                    found(one["recall"][way][name], distance) for distance in thresholds_of(width)
                )
                for width, one in widths.items()
            }
            yield {"True pairs": kind, "3-gram Jaccard": name, "Pairs": narrow["pairs"], **cells}


def radius(results: Results) -> Iterable[Row]:
    narrow = results["widths"]["64"]
    groups = narrow["recall"]["group"]
    for distance in range(1, 9):
        yield {
            "k": distance,
            "Recall, revisions": found(groups["revision"], distance),
            "Recall, cross-media": found(groups["cross-media"], distance),
            "FP seen": f"{narrow['false_positives']['within'][distance]:,}",
        }


def minhash(results: Results) -> Iterable[Row]:
    for row in results["minhash"]:
        yield {
            "Bits": row["bits"],
            "Method": row["method"],
            "Distance": f"d <= {row['distance']}",
            f"Recall by 3-gram Jaccard: {' / '.join(row['recall'])}": " / ".join(
                share(near / pairs) for pairs, near in row["recall"].values()
            ),
        }


_MARKED = re.compile(r"(<!-- (calibration|rates): ([a-z-]+) -->\n\n).*?(\n<!-- end -->)", re.DOTALL)
QUOTED: dict[str, Callable[[Results], Iterable[Row]]] = {
    "corpus": corpus,
    "caps": caps,
    "decisions": decisions,
    "spacing-marks": spacing_marks,
    "cuts": cuts,
    "thresholds": thresholds,
    "radius": radius,
    "recall": recall_by_similarity,
    "minhash": minhash,
}


def quoted(text: str, read: Callable[[str], Results]) -> str:
    """Return a text with the tables between `<!-- BENCHMARK: NAME -->` and `<!-- end -->` replaced by current ones.

    Args:
        text: the text.
        read: returns the results of a benchmark.

    Raises:
        KeyError: a mark names an unknown table.
    """
    return _MARKED.sub(lambda match: match[1] + table(QUOTED[match[3]](read(match[2]))) + match[4], text)


# The page of the calibration.


def calibration(results: Results) -> str:
    """Return the page of the tables of the calibration that the rationale does not quote."""
    return page(
        "calibration",
        "# Calibration, tables\n",
        "The 95 % score interval of each recall is in parentheses. [What the tables mean](calibration.md). The "
        "[rationale](../../spec/rationale.md) contains the tables of thresholds and design decisions.\n",
        f"## Recall of all true pairs\n\n{table(recall(results, 'group'))}",
        f"## Recall by kind of edit\n\n{table(recall(results, 'edit class'))}",
    )


def recall(results: Results, way: str) -> Iterable[Row]:
    """Yield the recall of each part of the true pairs at the thresholds of each scheme; of `sd64`, at both."""
    widths = results["widths"]
    for name, narrow in widths["64"]["recall"][way].items():
        cells = {"sd64, close": interval(narrow["within"][thresholds_of("64")[0]], narrow["pairs"])}
        for width, one in widths.items():
            row = one["recall"][way][name]
            cells[f"sd{width}, loose"] = interval(row["within"][thresholds_of(width)[1]], row["pairs"])
        yield {"True pairs": name, "Pairs": narrow["pairs"], "Works": narrow["works"], **cells}


# The page of the rates.


def rates(results: Results) -> str:
    """Return the page of the rates of unrelated pairs."""
    machine = results["machine"]
    about = (
        f"Measured on {results['date']}: {machine['processor']}, {machine['cores']} cores, "
        f"Python {machine['python']}, numpy {machine['numpy']}. "
        "[What the tables mean](calibration.md#collections-of-any-size).\n"
    )
    tables = (f"## {title}\n\n{text}\n\n{table(rows(results))}" for title, (text, rows) in OF_RATES.items())
    return page("calibration.rates", "# Rates of unrelated pairs\n", about, *tables)


def number(value: float) -> str:
    """Return a number with two significant digits: plain from 0.001 to 99,999, else in powers of ten."""
    if not value:
        return "0"
    if 1e-3 <= value < 99_500:
        digits = max(0, 1 - floor(log10(value)))
        return f"{value:,.{digits}f}"
    return power(value)


def tokens(length: str) -> str:
    return "complete documents" if length == "complete" else f"{int(length):,} tokens"


def rates_by_length(results: Results) -> Iterable[Row]:
    for length, one in results["lengths"].items():
        row = {"Length": tokens(length), "Pairs": f"{one['rates']['sd64 <= 3']['trials'] // 8:,}"}
        for rule in ("sd64 <= 3", "sd256 <= 20", "sd64 <= 3, sd256 <= 20"):
            rate = one["rates"][rule]
            low, high = map(number, rate["interval"])
            row[rule] = f"{number(rate['rate'])} ({low} to {high})"
            if "seen" in rate:
                row[rule] = f"{rate['seen']:,}; {row[rule]}"
        yield row


def languages(results: Results) -> Iterable[Row]:
    lengths = {length: results["lengths"][length]["languages"] for length in ("50", "200", "1000", "complete")}
    for lang in sorted({lang for rows in lengths.values() for lang in rows}):
        rates = {tokens(length): rows.get(lang, {}).get("different") for length, rows in lengths.items()}
        yield {"Language": lang} | {title: "-" if rate is None else number(rate) for title, rate in rates.items()}


def candidates(results: Results) -> Iterable[Row]:
    for length, shares in results["candidates"].items():
        yield {"Fingerprints": "random bits" if length == "uniform" else tokens(length)} | {
            f"{blocks} blocks, {ten_to(round(log10(size)))}": number(share * size)
            for blocks, share in shares.items()
            for size in SIZES
        }


def confirmed(results: Results) -> Iterable[Row]:
    for name, row in results["confirmed"].items():
        pairs = row["pairs"]
        cells = {rule: f"{count} ({share(count / pairs)})" for rule, count in row.items() if rule != "pairs"}
        yield {"Pairs": name, "Number": f"{pairs:,}", **cells}


OF_RATES: dict[str, tuple[str, Callable[[Results], Iterable[Row]]]] = {
    "Rates": (
        """The table shows how many unrelated pairs of passages from two collections we saw (in 8 disjoint fingerprints
of 64 bits, or 2 of 256). It also shows the estimated rate, with a 95 % interval (bootstrap over works). To get the
expected number of unrelated hits of a query, multiply the rate by the number of documents.
[rates.json](rates.json) contains every distance.""",
        rates_by_length,
    ),
    "Rates by language": (
        """The table shows rates of `sd64` within 3 bits, for pairs from two collections. We estimated them from the
distances in 512 bits, without the fitted tail.""",
        languages,
    ),
    "Candidates": (
        """The table shows how many fingerprints share a complete key with a query, summed over all tables of an index
(`sd64`, 3 bits). The columns show the number of blocks and the size of the collection.""",
        candidates,
    ),
    "Confirmation of true pairs": (
        "The table shows how many true pairs `sd64` finds, and how many of them a confirmation by `sd256` keeps.",
        confirmed,
    ),
}
