"""Copy the JavaScript implementation into the site, where the playground imports it."""

from __future__ import annotations

from pathlib import Path

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

SOURCE = Path(__file__).parents[2] / "ports/js/src"


def on_files(files: Files, config: MkDocsConfig) -> Files:
    for path in sorted(SOURCE.glob("*.js")):
        files.append(File.generated(config, f"assets/simhash-doc/{path.name}", abs_src_path=str(path)))
    return files
