"""The page of `archive changes` in a browser: it is complete in one file, accessible, and fits narrow screens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.cli.test_archive import page_of, write_index

pytestmark = pytest.mark.browser


def test_the_page_of_changes_is_accessible_and_fits_wide_and_narrow_screens(browser: Any, tmp_path: Path) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright").Axe()
    write_index(tmp_path / "a.cdxj", 30, 20, changed=0.5, url=f"https://example.org/{'path/' * 20}?query={'x' * 200}")
    page_of(tmp_path / "a.cdxj", "--replay", "https://replay.example.net/{time}/{url}")
    page = browser.new_page()
    requests: list[str] = []
    page.on("request", lambda request: requests.append(request.url))
    page.goto(f"file://{tmp_path / 'a.html'}")
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme)
        found = axe.run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(scheme, one["id"], one["nodes"][0]["html"][:200]) for one in found] == []
    for width in (1366, 800, 390):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert requests == [f"file://{tmp_path / 'a.html'}"]
    page.close()
