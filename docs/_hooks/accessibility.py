"""Add the accessible names that the theme lacks."""

from __future__ import annotations

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.pages import Page

SEARCH_DIALOG = '<div class="md-search" data-md-component="search" role="dialog"'


def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    return named(output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    """Name the parts of the page for addresses that do not exist."""
    return named(output_content)


def named(output: str) -> str:
    return output.replace(SEARCH_DIALOG, f'{SEARCH_DIALOG} aria-label="Search"')
