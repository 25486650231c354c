"""What is known about each block of a page, as numbers."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator

import numpy as np
from lxml.html import HtmlElement

from simhash_doc.extract.html.blocks import Page
from simhash_doc.extract.html.names import ROLES, opens_furniture, roles_of

_WIDE = re.compile("[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")
_SENTENCE_END = re.compile(r"[.!?…](?=[\s\"'”’»)\]]|$)|[。！？।؟۔]")
_COMMA = re.compile(r"[,;:，、；：،]")
_WORDS = re.compile(r"\w+")
_PRICE = re.compile(r"[$€£¥₹]\s?\d|\d\s?(?:€|zł|kr|USD|EUR)\b")
_PARENT_TAGS = ("p", "li", "h1", "h2", "h3", "h4", "h5", "h6", "td", "th", "dt", "dd", "pre", "figcaption", "div")
_ANCESTOR_TAGS = ("nav", "header", "footer", "aside", "form", "main", "article", "ul", "ol", "table", "blockquote",
                  "figure", "a", "dl", "section", "button", "label")
LONG = 80
WINDOW = 4
LEVELS = 4


def name_list() -> list[str]:
    names = ["size", "words", "density", "links", "sentences", "commas", "ends", "wordlen", "upper", "digits", "phrase",
             "heading_phrase", "blocks_since_heading", "copies", "title", "articlebody", "hasbody", "prices", "tag", "hlevel", "depth",
             "path_count", "path_size", "path_density", "tagpath_share"]
    names += [f"in_{t}" for t in _ANCESTOR_TAGS]
    for r in ROLES:
        names += [f"{r}_share", f"{r}_distance"]
    for l in range(LEVELS + 1):
        names += [f"l{l}_share", f"l{l}_density", f"l{l}_mean", f"l{l}_blocks", f"l{l}_long", f"l{l}_siblings", f"l{l}_pictures", f"l{l}_controls"]
    names += ["h1_share", "longest_share", "prose75", "prose50", "after_h1", "position", "position_chars"]
    for o in range(1, WINDOW):
        for s in (-o, o):
            names += [f"n{s}_size", f"n{s}_density", f"n{s}_tag", f"n{s}_sentences"]
    names += ["window_long", "to_long_before", "to_long_after", "long_before", "long_after"]
    names += [f"page_{n}" for n in ("size", "blocks", "density", "long", "articles", "main", "prices", "jarticle", "jproduct",
              "jforum", "jlist", "jfaq", "ogarticle", "ogproduct", "pathmax")]
    return names


class Metadata:
    """What the head of a page and its scripts declare about the page."""

    def __init__(self, root: HtmlElement) -> None:
        self.title = ""
        self.types: set[str] = set()
        self.body = ""
        title = root.find(".//title")
        if title is not None:
            self.title = title.text_content()
        for meta in root.iter("meta"):
            key = meta.get("property") or meta.get("name") or ""
            if key == "og:title" and meta.get("content"):
                self.title += " " + meta.get("content")
            elif key == "og:type":
                self.types.add("og:" + (meta.get("content") or "").lower())
        for script in root.iter("script"):
            if script.get("type") == "application/ld+json" and script.text:
                try:
                    data = json.loads(script.text)
                except (ValueError, RecursionError):
                    continue
                for node in _nodes(data):
                    kind = node.get("@type")
                    self.types.update(str(k).lower() for k in (kind if isinstance(kind, list) else [kind]))
                    found = node.get("articleBody")
                    if isinstance(found, str) and len(found) > len(self.body):
                        self.body = found

    def has(self, *parts: str) -> bool:
        return any(p in t for t in self.types for p in parts)


def _nodes(data: object) -> Iterator[dict[str, object]]:
    stack = [data]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            yield item
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)


def _squeeze(text: str) -> str:
    return "".join(_WORDS.findall(text.lower()))


def features(page: Page, metadata: Metadata) -> np.ndarray:
    """Return the features of each block, an array of shape (blocks, features)."""
    n = len(page.texts)
    texts = page.texts
    columns: list[np.ndarray] = []
    stats = np.array([_own(t) for t in texts], dtype=float).reshape(n, 9)
    size, words, sent, comma, ends, upper, digits, price, phrase = stats.T
    linked = np.minimum(np.array(page.linked, float), size)
    wide = np.array([len(_WIDE.findall(t)) if not t.isascii() else 0 for t in texts], float)
    weight = size + 2 * wide
    density = linked / np.maximum(size, 1)
    links = np.array(page.links, float)
    owners = np.array(page.owners, int)
    parents = page.parents
    E = len(page.elements)
    first = np.array(page.first); last = np.array(page.last)

    # headings
    tags = [page.elements[o].tag for o in page.owners]
    hlevel = np.zeros(n); ptag = np.zeros(n)
    intag: list[list[bool]] = []
    # per-element inheritance
    nroles = len(ROLES)
    near: list[tuple[tuple[int, int], ...]] = [()] * E  # per role (element, depth)
    depth = [0] * E
    flags = [0] * E
    tagbit = {t: 1 << i for i, t in enumerate(_ANCESTOR_TAGS)}
    path = [0] * E
    tagpath = [0] * E
    ids: dict[tuple[int, str], int] = {}
    sib: Counter[tuple[int, str, str]] = Counter()
    sigs: list[tuple[int, str, str]] = []
    none = tuple((-1, 0) for _ in range(nroles))
    rolecache: dict[tuple[object, ...], frozenset[int]] = {}
    up = [0] * E
    for i, e in enumerate(page.elements):
        p = parents[i]
        tag = e.tag
        cls = e.get("class") or ""
        if i == 0:
            near[0] = none; path[0] = tagpath[0] = 0
            sigs.append((-1, tag, cls)); up[0] = -1
            continue
        depth[i] = depth[p] + 1
        flags[i] = flags[p] | tagbit.get(tag, 0)
        r = roles_of(e)
        if r:
            l = list(near[p])
            for k in r:
                l[k] = (i, depth[i])
            near[i] = tuple(l)
        else:
            near[i] = near[p]
        key = (path[p], tag + "." + cls)
        path[i] = ids.setdefault(key, len(ids) + 1)
        key = (-1 - tagpath[p], tag)
        tagpath[i] = ids.setdefault(key, len(ids) + 1)
        s = (p, tag, cls)
        sigs.append(s); sib[s] += 1
        up[i] = p if (page.first[p], page.last[p]) != (page.first[i], page.last[i]) else up[p]
    sibmax = [0] * E
    for i in range(1, E):
        p = parents[i]
        own = sib[sigs[i]]
        sibmax[i] = max(own, sibmax[p]) if (page.first[p], page.last[p]) == (page.first[i], page.last[i]) else own

    cum = lambda a: np.concatenate([[0.0], np.cumsum(a)])
    cw, cl, cs = cum(weight), cum(linked + 2 * wide * density), cum(np.ones(n))
    islong = (weight >= LONG) & (density < 0.4)
    prose = np.where(islong, weight, 0.0)
    cp = cum(prose)
    esize = cw[last] - cw[first]; elink = cl[last] - cl[first]; eblocks = last - first; eprose = cp[last] - cp[first]
    econtrols = np.array(page.controls, float); epict = np.array(page.pictures, float)
    total = max(cw[-1], 1.0)
    sibmax_ = np.array(sibmax, float)
    up_ = np.array(up)

    body = _squeeze(metadata.body) if metadata.body else ""
    squeezed = [_squeeze(t) for t in texts] if body else []
    copies = Counter(texts)
    title_words = set(_WORDS.findall(metadata.title.lower()))
    hphrase = np.zeros(n); since = np.zeros(n)
    titles = np.zeros(n)
    current = 0.0; count = 99; hlast = 0
    for b in range(n):
        e = page.elements[page.owners[b]]
        t = tags[b]
        h = 0
        node = page.owners[b]
        for _ in range(3):
            tg = page.elements[node].tag
            if len(tg) == 2 and tg[0] == "h" and tg[1] in "123456":
                h = int(tg[1]); break
            node = parents[node]
        hlevel[b] = h
        ptag[b] = _PARENT_TAGS.index(t) if t in _PARENT_TAGS else len(_PARENT_TAGS)
        if h or (phrase[b] and weight[b] < 60):
            current = phrase[b]; count = 0
        else:
            count += 1
        hphrase[b] = current; since[b] = min(count, 99)
        if title_words and weight[b] < 300:
            w = set(_WORDS.findall(texts[b].lower()))
            titles[b] = len(w & title_words) / max(len(w), 1) * min(1.0, len(w & title_words) / max(1, len(title_words)) * 2) if w else 0
    add = columns.append
    add(weight); add(words); add(density); add(links); add(sent); add(comma / np.maximum(weight, 1) * 100); add(ends)
    add(size / np.maximum(words, 1)); add(upper); add(digits); add(phrase); add(hphrase); add(since)
    add(np.array([min(copies[t], 20) for t in texts], float)); add(titles)
    add(np.array([float(s in body) if len(s) > 8 else 0.5 for s in squeezed], float) if body else np.full(n, -1.0))
    add(np.full(n, min(len(body) / total, 2.0)))
    add(price); add(ptag); add(hlevel); add(np.array([min(depth[o], 60) for o in page.owners], float))
    pb = np.array([path[o] for o in page.owners]); 
    _, inv, cnt = np.unique(pb, return_inverse=True, return_counts=True)
    psum = np.bincount(inv, weight); plink = np.bincount(inv, linked + 2 * wide * density)
    add(cnt[inv].astype(float)); add((psum / cnt)[inv]); add((plink / np.maximum(psum, 1))[inv])
    tb = np.array([tagpath[o] for o in page.owners]); _, tinv = np.unique(tb, return_inverse=True)
    add((np.bincount(tinv, weight) / total)[tinv])
    bf = np.array([flags[o] for o in page.owners], dtype=np.int64)
    for i in range(len(_ANCESTOR_TAGS)):
        add(((bf >> i) & 1).astype(float))
    for k in range(nroles):
        el = np.array([near[o][k][0] for o in page.owners]); dp = np.array([depth[o] - near[o][k][1] for o in page.owners], float)
        add(np.where(el >= 0, esize[np.maximum(el, 0)] / total, -1.0)); add(np.where(el >= 0, np.minimum(dp, 30), 99.0))
    # levels
    clong = cum(islong.astype(float))
    level = owners.copy()
    # smallest element that holds exactly this block, or its owner
    for l in range(LEVELS + 1):
        ok = level >= 0
        x = np.maximum(level, 0)
        nb = np.maximum(eblocks[x], 1)
        for v in (esize[x] / total, elink[x] / np.maximum(esize[x], 1), esize[x] / nb, nb.astype(float), eprose[x] / np.maximum(esize[x], 1),
                  sibmax_[x], epict[x] / nb, econtrols[x] / nb):
            add(np.where(ok, v, -1.0))
        level = np.where(ok, up_[x], -1)
    # common ancestors with the title and with the longest paragraph
    h1 = np.flatnonzero(hlevel == 1)
    add(_common(page, up, owners, esize, total, int(h1[0]) if len(h1) else -1))
    add(_common(page, up, owners, esize, total, int(np.argmax(prose)) if n and prose.max() > 0 else -1))
    children: list[list[int]] = [[] for _ in range(E)]
    for i in range(1, E):
        children[parents[i]].append(i)
    for share in (0.75, 0.5):
        node = 0
        while True:
            best = max(children[node], key=lambda c: eprose[c], default=None)
            if best is None or eprose[best] < share * eprose[0] or eblocks[best] < 2:
                break
            node = best
        index = np.arange(n)
        add(((index >= first[node]) & (index < last[node])).astype(float))
    index = np.arange(n, dtype=float)
    add((index >= h1[0]).astype(float) if len(h1) else np.full(n, -1.0))
    add(index / max(n, 1)); add(cw[:-1] / total)
    for o in range(1, WINDOW):
        for s in (-o, o):
            add(_shift(weight, s, -1)); add(_shift(density, s, -1)); add(_shift(hlevel + (ptag == 1) * 7, s, -1)); add(_shift(sent, s, -1))
    ci = cum(islong.astype(float))
    lo = np.maximum(np.arange(n) - 5, 0); hi = np.minimum(np.arange(n) + 6, n)
    add((ci[hi] - ci[lo]) / np.maximum(hi - lo, 1))
    idx = np.arange(n)
    prev = np.maximum.accumulate(np.where(islong, idx, -1)) if n else idx
    nxt = np.minimum.accumulate(np.where(islong, idx, 10**6)[::-1])[::-1] if n else idx
    add(np.where(prev >= 0, np.minimum(idx - prev, 99), 99).astype(float)); add(np.minimum(nxt - idx, 99).astype(float))
    tl = max(ci[-1], 1)
    add(ci[:-1] / tl); add((ci[-1] - ci[1:]) / tl)
    has = metadata.has
    arts = sum(1 for e in page.elements if e.tag == "article"); mains = sum(1 for e in page.elements if e.tag == "main" or e.get("role") == "main")
    for v in (total, n, cl[-1] / total, cp[-1] / total, min(arts, 30), min(mains, 3), float(price.sum()) if n else 0,
              has("article", "blogposting", "report"), has("product"), has("discussion", "qapage", "question", "socialmediaposting"), has("itemlist", "collectionpage"),
              has("faqpage"), "og:article" in metadata.types, any(t.startswith("og:product") for t in metadata.types), cnt.max() / max(n, 1) if n else 0):
        add(np.full(n, float(v)))
    return np.column_stack(columns)


def _own(text: str) -> tuple[float, ...]:
    words = text.split()
    size = sum(map(len, words))
    upper = sum(w[0].isupper() for w in words) / len(words)
    digits = sum(c.isdigit() for c in text[:200]) / min(size, 200)
    sentences = len(_SENTENCE_END.findall(text))
    return (size, len(words), sentences, len(_COMMA.findall(text)), float(bool(_SENTENCE_END.search(text[-2:]))), upper, digits,
            float(_PRICE.search(text[:200]) is not None), float(opens_furniture(text)))


def _shift(a: np.ndarray, s: int, fill: float) -> np.ndarray:
    out = np.full(len(a), float(fill))
    if s > 0:
        out[:-s] = a[s:]
    else:
        out[-s:] = a[:s]
    return out


def _common(page: Page, up: list[int], owners: np.ndarray, esize: np.ndarray, total: float, block: int) -> np.ndarray:
    """Share of the page of the smallest element that holds each block and a given one."""
    n = len(owners)
    if block < 0:
        return np.full(n, -1.0)
    result = np.ones(n)
    node = int(owners[block]); low, high = block, block + 1
    result[block] = esize[node] / total
    while node >= 0:
        f, l = page.first[node], page.last[node]
        share = esize[node] / total
        result[f:low] = share; result[high:l] = share
        low, high = min(f, low), max(l, high)
        node = up[node]
    return result
