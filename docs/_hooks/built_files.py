"""Change files of the built site: the search index gets the requirements, and a site without an address no sitemap."""

from __future__ import annotations

import html
import json
from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority

from simhash_doc_conformance.vectors.requirements import document_of, requirements

PAGES = {
    "simhash-doc.md": "specification",
    "search.md": "specification-search",
    "extraction.md": "specification-extraction",
}


@event_priority(-100)  # after the plugin that writes the search index
def on_post_build(config: MkDocsConfig) -> None:
    site = Path(config.site_dir)
    index = json.loads((site / "search/search_index.json").read_text(encoding="utf-8"))
    index["docs"] += entries()
    (site / "search/search_index.json").write_text(json.dumps(index, ensure_ascii=False), encoding="utf-8")
    if not config.site_url:
        for name in ("sitemap.xml", "sitemap.xml.gz"):
            (site / name).unlink(missing_ok=True)


def entries() -> list[dict[str, str]]:
    """Return an entry of the search index for each requirement.

    The search splits `SD-TEXT-5` into three frequent words. They outweigh others only in a title.
    """
    return [
        {"location": f"{PAGES[document_of(name)]}/#{name}", "title": name, "text": f"<p>{html.escape(clause)}</p>"}
        for name, clause in requirements().items()
    ]
