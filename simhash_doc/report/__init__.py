"""The page of all HTML reports: one template, which shows one document.

`document` says what a report consists of. `page` puts it as JSON into the template `page.html`, with its style and its
script. A command only builds the document.
"""

from __future__ import annotations

from simhash_doc.report.page import html_page

__all__ = ["html_page"]
