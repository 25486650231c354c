"""The pages of the Python reference hold every public name. That the names exist is checked in test_commands."""

from __future__ import annotations

import re
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path

import pytest

PAGES = Path(__file__).parents[2] / "docs/reference"
PACKAGES = {
    "python.md": "simhash_doc",
    "extract.md": "simhash_doc.extract",
    "lookup.md": "simhash_doc.lookup",
    "store.md": "simhash_doc.store",
    "spark.md": "simhash_doc.spark",
}
# Constants, which the text of a page describes.
CONSTANTS = {"DEFAULT_COLLECTION", "SPEC_VERSION", "__version__"}


@pytest.mark.parametrize(("page", "package"), PACKAGES.items())
def test_every_public_name_is_on_the_page_of_its_package(page: str, package: str) -> None:
    if package == "simhash_doc.spark" and not find_spec("pyspark"):
        pytest.skip("PySpark is not installed: pip install 'simhash-doc[spark]'")
    entries = re.findall(r"^::: (\S+)$", (PAGES / page).read_text(encoding="utf-8"), re.MULTILINE)
    shown = {entry.removeprefix(f"{package}.") for entry in entries}
    if "errors" in shown:
        shown |= vars(import_module(f"{package}.errors")).keys()
    assert set(import_module(package).__all__) - CONSTANTS - shown == set()
