"""Fingerprints of many documents at once."""

from __future__ import annotations

from simhash_doc.bulk.setting import is_fast, use_fast

__all__ = ["is_fast", "use_fast"]
