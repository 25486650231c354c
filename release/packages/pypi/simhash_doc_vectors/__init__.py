"""Test vectors of the simhash-doc specification, as files.

>>> import json, simhash_doc_vectors
>>> cases = json.loads((simhash_doc_vectors.DIRECTORY / "cases-links.json").read_text("utf-8"))["cases"]
"""

from pathlib import Path

__version__ = "@VERSION@"
DIRECTORY = Path(__file__).parent / "data" / "vectors"
