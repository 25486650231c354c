"""A small generated corpus in the documented layout."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path
from typing import Any

WORDS = {
    "en": "river stone bridge morning window letter engine garden winter paper music corner silver market harbour",
    "hu": "folyó híd reggel ablak levél kert tél papír zene sarok ezüst piac kikötő történet asztal madár",
    "th": "แม่น้ำ สะพาน เช้า หน้าต่าง จดหมาย สวน ฤดูหนาว กระดาษ ดนตรี มุม เงิน ตลาด ท่าเรือ เรื่อง โต๊ะ นก",
}


def text(lang: str, seed: int, length: int = 120) -> str:
    rng = random.Random(seed)
    joined = "" if lang == "th" else " "
    common = WORDS[lang].split()
    own = [word + "".join(rng.choices(common, k=1)) for word in common]
    return joined.join(rng.choices(common + own, k=length)) + f" https://example.org/{seed} _{common[0]}_"


def page(content: str) -> str:
    menu = "".join(f'<li><a href="/{n}">Chapter of the menu</a></li>' for n in range(9))
    return f"<html><body><nav><ul>{menu}</ul></nav><article><p>{content}</p></article></body></html>"


def write_corpus(folder: Path, documents: int = 14) -> Path:
    """Write a corpus of unrelated documents, revisions, pairs across formats and a residue. Return its folder."""
    rows: list[dict[str, Any]] = []
    pairs: list[dict[str, Any]] = []

    def add(name: str, content: str, **members: Any) -> None:
        path = folder / f"texts/{name}.txt"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
        row = {"id": name, "path": f"texts/{name}.txt", "orig": None, "tokens": len(content.split())}
        rows.append({**row, "source": "written by a test", "licence": "MIT", **members})

    for lang in WORDS:
        for i in range(documents):
            add(f"{lang}-{i}", text(lang, i), kind="unrelated", lang=lang, docfamily=f"{lang}:{i // 2 if i < 4 else i}")
    for i, (edit_class, jaccard) in enumerate((("tiny", 0.99), ("medium", 0.9), ("large", 0.6), ("rewrite", 0.1))):
        before = text("en", 100 + i).split()
        after = before[: len(before) - i * 20] + text("en", 200 + i, i * 20 + 1).split()
        for which, words in (("a", before), ("b", after)):
            add(f"rev-{i}{which}", " ".join(words), kind="revision", lang="en", docfamily=f"rev:{i}")
        pairs.append({"a": f"rev-{i}a", "b": f"rev-{i}b", "relation": "revision", "edit_class": edit_class})
        pairs[-1] |= {"gram3_jaccard": jaccard, "group": f"rev:{i}"}
    for i, flags in enumerate(({}, {"synthetic": True}, {"synthetic": True, "hard": True})):
        for document_format in ("html", "pdf"):
            content = text("en", 300 + i) + (" page header" if document_format == "pdf" else "")
            original = f"orig/xm-{i}.html.gz" if document_format == "html" and i == 0 else None
            family = {"kind": "cross-media", "lang": "en", "docfamily": f"xm:{i}", "orig": original}
            add(f"xm-{i}{document_format}", content, **family)
            if original:
                (folder / "orig").mkdir(exist_ok=True)
                (folder / original).write_bytes(gzip.compress(page(content).encode("utf-8")))
        pairs.append({"a": f"xm-{i}html", "b": f"xm-{i}pdf", "relation": "cross-media", "gram3_jaccard": 0.9, **flags})
    write_rows(folder / "MANIFEST.jsonl", rows)
    write_rows(folder / "pairs.jsonl", pairs)
    write_rows(folder / "related_residue.jsonl", [{"a": "en-5", "b": "en-9"}, {"a": "en-0", "b": "en-1"}])
    return folder


def write_rows(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
