"""Give every page a content security policy: scripts run only if they are files of the site, or were in the page.

A page of the theme has scripts inside. Their digests are in the policy. Styles may be inside elements, as those of
tables and charts are.
"""

from __future__ import annotations

import re
from base64 import b64encode
from hashlib import sha256

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.plugins import event_priority
from mkdocs.structure.pages import Page

_SCRIPT = re.compile(r"<script(?![^>]*(?:\ssrc=|\stype=\"application/json\"))[^>]*>(.*?)</script>", re.DOTALL)
_HEAD = "<head>"


@event_priority(-100)  # after the hooks that change the page
def on_post_page(output: str, page: Page, config: MkDocsConfig) -> str:
    return with_policy(output)


def on_post_template(output_content: str, template_name: str, config: MkDocsConfig) -> str:
    return with_policy(output_content) if template_name.endswith(".html") else output_content


def with_policy(html: str) -> str:
    """Return a page with its policy at the beginning of its head."""
    digests = {f"'sha256-{b64encode(sha256(code.encode()).digest()).decode()}'" for code in _SCRIPT.findall(html)}
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src 'self' {' '.join(sorted(digests))}",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data:",
            "font-src 'self'",
            "connect-src 'self'",
            "worker-src 'self'",
            "frame-src 'self'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    return html.replace(_HEAD, f'{_HEAD}<meta http-equiv="Content-Security-Policy" content="{policy}">', 1)
