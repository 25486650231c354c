"""An item pipeline of Scrapy that drops near-duplicates.

ITEM_PIPELINES = {"simhash_doc.integrations.scrapy.NearDuplicatePipeline": 300}
SIMHASH_FIELD = "text"  # the field with the text of an item; an item without it is passed on
SIMHASH_ID_FIELD = "url"  # named in the reason and in the log
SIMHASH_POLICY = {"numbers": "keep", "min_similarity": 0.9}  # optional: the arguments of a Policy
SIMHASH_AGAINST = "crawled.sdix"  # optional: an index of earlier texts, from simhash-doc index build
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import fields
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from itemadapter import ItemAdapter
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.exceptions import DropItem
from scrapy.utils.job import job_dir

from simhash_doc.duplicates.policy import Policy
from simhash_doc.integrations.columns import fingerprint_column
from simhash_doc.integrations.seen import SeenTexts
from simhash_doc.lookup import Corpus
from simhash_doc.schemes import get_scheme

_log = logging.getLogger(__name__)

_PREFIX = "SIMHASH_"
_SETTINGS = ("FIELD", "ID_FIELD", "POLICY", "AGAINST")


class NearDuplicatePipeline:
    """Drops an item if its text duplicates the text of an earlier item of the crawl, by the rule of `find_duplicates`.

    The pipeline compares words and numbers, so it loses no number. It keeps the first item, even if a later item is
    longer. It passes on an item that is near an indexed one, because the index has no texts. The statistic
    ``simhash/candidates`` counts such items, and the log lists them.

    If its class allows it, an item that is passed on gets the field ``simhash``: the text form, or None for a text
    without a token. If JOBDIR is set, a resumed crawl remembers the items before the pause.

    Raises:
        ValueError: a setting SIMHASH_* is unknown; the message names the right one.
    """

    def __init__(self, crawler: Crawler) -> None:
        settings = crawler.settings
        _check_names(name.removeprefix(_PREFIX) for name in settings if name.startswith(_PREFIX))
        self._stats: Any = crawler.stats
        self._field: str = settings.get("SIMHASH_FIELD", "text")
        self._id_field: str = settings.get("SIMHASH_ID_FIELD", "url")
        self._policy = Policy(**settings.getdict("SIMHASH_POLICY"))
        against = settings.get("SIMHASH_AGAINST")
        self._seen = SeenTexts(self._policy, Corpus.open(against) if against else None)
        folder = job_dir(settings)
        self._state = Path(folder, "simhash_doc.npz") if folder else None
        if self._state and self._state.exists():
            self._seen.load(self._state)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> NearDuplicatePipeline:
        pipeline = cls(crawler)
        crawler.signals.connect(pipeline.save, signals.spider_closed)
        return pipeline

    def save(self) -> None:
        """Keep what was seen for the next run of a crawl with JOBDIR."""
        if self._state:
            self._seen.save(self._state)

    def process_item(self, item: Any, spider: Any = None) -> Any:
        """Return the item; the spider is an argument before Scrapy 2.14.

        Raises:
            DropItem: the text is near an earlier one.
        """
        adapter = ItemAdapter(item)
        text = adapter.get(self._field)
        if not isinstance(text, str):
            self._count("without_text")
            return item
        own = str(adapter.get(self._id_field, ""))
        [near] = self._seen.add([text], [own])
        if near and near.candidate:
            self._count("candidates")
            _log.info("%s is near %s of the index (%d bits)", own or "an item", near.id or "a text", near.distance)
        elif near:
            self._count("dropped")
            raise DropItem(f"near-duplicate of {near.id or 'an earlier item'} ({near.distance} bits)")
        if "simhash" in adapter.field_names() or isinstance(item, dict):
            adapter["simhash"] = fingerprint_column([text], get_scheme(self._policy.scheme))[0].as_py()
        return item

    def _count(self, what: str) -> None:
        if self._stats:
            self._stats.inc_value(f"simhash/{what}")


def _check_names(names: Iterable[str]) -> None:
    for name in sorted({*names}.difference(_SETTINGS)):
        right = ", ".join(f"{_PREFIX}{one}" for one in get_close_matches(name, _SETTINGS, 1) or _SETTINGS)
        if name.lower() in {field.name for field in fields(Policy)}:
            right = f'SIMHASH_POLICY = {{"{name.lower()}": ...}}'
        raise ValueError(f"the setting {_PREFIX}{name} is unknown; expected {right}")
