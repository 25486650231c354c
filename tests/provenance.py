"""Provenance objects for the tests, written out by hand."""

from __future__ import annotations

from typing import Any

from simhash_doc import SPEC_VERSION, __version__
from simhash_doc_extraction import VERSION

EXTRACTOR_VERSION = f"{__version__}+extract.{VERSION}"
PACKAGE = {"name": "simhash-doc", "version": __version__}


def provenance(scheme: str = "sd64", **members: Any) -> dict[str, Any]:
    """Return the provenance of fingerprints that this package computed from texts, with other members."""
    written = {"scheme": scheme, "specification": SPEC_VERSION, "generator": PACKAGE}
    return {**written, "extractor": None, "customization": None, **members}


def extracted(name: str = "simhash-doc", version: str = EXTRACTOR_VERSION, **members: Any) -> dict[str, Any]:
    """Return the same with an extractor."""
    return provenance(extractor={"name": name, "version": version}, **members)
