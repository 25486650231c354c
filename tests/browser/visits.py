"""A page of the site in a browser, with a record of what it did."""

from __future__ import annotations

from typing import Any


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
