"""The built site behind a local server, and the system's Chromium; without them the tests are skipped.

`pytest -m browser tests/browser` runs the tests. SIMHASH_DOC_TEST_SITE names a folder with the built site; without it
the site is built first.
"""

from __future__ import annotations

import gzip
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
COMPRESSED = {".html", ".css", ".js", ".json", ".svg"}
PATIENCE = 30_000  # milliseconds
FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def wait_until(page: Any, expression: str, argument: object = None) -> None:
    """Wait until an expression is true.

    `wait_for_function` of Playwright evaluates it in the page, whose policy refuses that, unless it is true at once.
    """
    end = time.monotonic() + PATIENCE / 1000
    while not page.evaluate(expression, argument):
        assert time.monotonic() < end, f"not true in time: {expression}"
        page.wait_for_timeout(50)


class Visit:
    """Opens pages of the site and notes errors and requests."""

    def __init__(self, page: Any, address: str) -> None:
        self.page, self.address = page, address
        self.errors: list[str] = []
        self.requests: list[str] = []
        self.responses: list[Any] = []
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self.errors.append(str(error)))
        page.on("requestfailed", self._note_failure)
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("response", lambda response: self.responses.append(response))

    def _note_message(self, message: Any) -> None:
        if message.type == "error":
            self.errors.append(message.text)

    def _note_failure(self, request: Any) -> None:
        # A request that is under way when the page is left is aborted.
        if request.failure != "net::ERR_ABORTED":
            self.errors.append(f"failed: {request.url}: {request.failure}")

    def open(self, path: str) -> Any:
        """Open a page by its path from the root of the site and return it."""
        # A new fragment alone would not load the page again.
        self.page.goto("about:blank")
        self.page.goto(f"{self.address}/{path}")
        return self.page

    def foreign_requests(self) -> list[str]:
        local = (self.address, "about:", "blob:", "data:")
        return [url for url in self.requests if not url.startswith(local)]

    def bytes_received(self) -> int:
        """Return the bytes that came over the wire, without fonts."""
        self.page.wait_for_load_state("networkidle")
        return sum(
            response.request.sizes()["responseBodySize"]
            for response in self.responses
            if response.request.resource_type != "font"
        )


class Handler(SimpleHTTPRequestHandler):
    """Serves text compressed, as static hosts do, and without a line for each request."""

    def do_GET(self) -> None:
        path = Path(self.translate_path(self.path))
        path = path / "index.html" if path.is_dir() else path
        if path.suffix not in COMPRESSED or not path.is_file():
            super().do_GET()
            return
        body = gzip.compress(path.read_bytes())
        self.send_response(200)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if built_before := os.environ.get("SIMHASH_DOC_TEST_SITE"):
        return Path(built_before)
    if not find_spec("mkdocs"):
        pytest.skip("mkdocs is not installed: pip install -e '.[docs]'")
    directory = tmp_path_factory.mktemp("built") / "site"
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(directory)]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return directory


@pytest.fixture(scope="session")
def address(site: Path) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    executable = shutil.which("chromium") or shutil.which("chromium-browser")
    if not executable:
        pytest.skip("no browser: chromium is not installed")
    if not find_spec("playwright"):
        pytest.skip("playwright is not installed: pip install -e '.[browser]'")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=executable, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def visit(browser: Any, address: str) -> Iterator[Visit]:
    """A fresh profile. At the end, nothing may have gone wrong and nothing may have been asked of another host."""
    context = browser.new_context(permissions=["clipboard-read", "clipboard-write"])
    context.set_default_timeout(PATIENCE)
    made = Visit(context.new_page(), address)
    yield made
    context.close()
    assert made.errors == []
    assert made.foreign_requests() == []
