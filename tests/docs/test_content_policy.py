"""The content security policy of the pages of the site."""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

import pytest

pytest.importorskip("mkdocs", reason="pip install 'simhash-doc[docs]'")

from content_policy import with_policy

PAGE = '<html><head><title>t</title><script>one()</script><script src="two.js"></script></head><body>{}</body></html>'


def digests(page: str) -> set[str]:
    return set(re.findall(r"'sha256-([^']+)'", page))


def test_scripts_in_the_page_may_run_and_no_other() -> None:
    page = with_policy(
        PAGE.format('<script type="application/json" id="c">{}</script><script async>\nthree("é")</script>')
    )
    expected = {b64encode(sha256(code.encode()).digest()).decode() for code in ("one()", '\nthree("é")')}
    assert digests(page) == expected
    assert page.index("Content-Security-Policy") < page.index("<title>")
    assert "default-src 'none'" in page
    script = re.search(r"script-src ([^;]*)", page)
    assert script
    assert "unsafe" not in script[1]
