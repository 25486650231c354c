"""What is known about each block of a page, as numbers."""

from __future__ import annotations

from lxml.html import HtmlElement

from simhash_doc.extract.html.block_features import Blocks, Columns
from simhash_doc.extract.html.blocks import Page
from simhash_doc.extract.html.metadata import Metadata
from simhash_doc.extract.html.tree_features import Tree


def features_of(page: Page, metadata: Metadata, root: HtmlElement, reasons: dict[HtmlElement, str]) -> Columns:
    """Return the features of the blocks of a page.

    Args:
        page: a page with at least one block.
        metadata: what the page declares about itself.
        root: the element that is declared to hold the document.
        reasons: the elements that look like boilerplate, with the reason.

    Returns:
        Name of a feature -> its value for each block, an array of shape (blocks,).
    """
    blocks = Blocks(page, metadata)
    return blocks.columns | Tree(page, blocks, root, reasons).columns
