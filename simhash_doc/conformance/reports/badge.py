"""The report as a badge: a small SVG image with the classes that passed."""

from __future__ import annotations

from xml.sax.saxutils import escape, quoteattr

from simhash_doc.conformance.formatting import printable
from simhash_doc.conformance.reports.markdown import conclusion
from simhash_doc.conformance.reports.report import Report, all_rows, case_count, check_rows, passed_classes
from simhash_doc.conformance.verdict import BAD

_LABEL = "simhash-doc"
_CHARACTER, _MARGIN = 7, 12  # pixels; textLength makes every font fit
# White text on each has a contrast of at least 4.5 to 1.
_GOOD, _PARTIAL, _BAD = "#1a7f37", "#8a5a00", "#b3261e"


def badge(report: Report, *, outdated: bool = False) -> str:
    """Return the badge. It names classes only after a full run of all cases without failures.

    Args:
        report: see `make_report`.
        outdated: True if the vectors have changed since the report.
    """
    message, colour = _message(report, outdated)
    left, right = (_CHARACTER * len(text) + _MARGIN for text in (_LABEL, message))
    width = left + right
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="20" role="img"'
        f" aria-label={quoteattr(f'{_LABEL}: {message}')}>\n"
        f"<title>{escape(printable(f'{_LABEL}: {conclusion(report)}'))}</title>\n"
        f'<clipPath id="r"><rect width="{width}" height="20" rx="3"/></clipPath>\n'
        f'<g clip-path="url(#r)"><rect width="{left}" height="20" fill="#444"/>'
        f'<rect x="{left}" width="{right}" height="20" fill="{colour}"/></g>\n'
        '<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">\n'
        f"{_text(_LABEL, left / 2)}{_text(message, left + right / 2)}</g>\n</svg>\n"
    )


def _message(report: Report, outdated: bool) -> tuple[str, str]:
    bad = sum(row["status"] in BAD for row in all_rows(report))
    if report["implementation"] is None:
        return "does not start", _BAD
    if bad:
        return f"{bad} of {case_count(report) + len(check_rows(report))} failed", _BAD
    classes = passed_classes(report)
    if classes:
        message = printable(f"{report['suite']['version']} {', '.join(classes)}")
        return (f"outdated: {message}", _PARTIAL) if outdated else (message, _GOOD)
    return f"{report['counts']['passed']} of {case_count(report)} passed", _PARTIAL


def _text(text: str, middle: float) -> str:
    return f'<text x="{middle:g}" y="14" textLength="{_CHARACTER * len(text)}">{escape(text)}</text>\n'
