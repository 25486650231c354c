"""JATS (NISO Z39.96) and its relatives: the older NLM formats, and BITS for books."""

from __future__ import annotations

from collections.abc import Iterator

from lxml import etree

from simhash_doc_extraction.parts import Losses
from simhash_doc_extraction.vocabularies.vocabulary import (
    LANGUAGE,
    Vocabulary,
    has_text,
    is_mark,
    parent_tag,
    text_in,
    words,
)

_CITATION = words(
    """
        annotation article-title chapter-title collab collab-name comment conf-acronym conf-date conf-loc conf-name
        conf-num conf-sponsor conf-theme data-title date-in-citation edition etal fpage given-names gov institution
        issue issue-part issue-title issue-title-group lpage month name page-range part-title patent person-group
        publisher-loc publisher-name role season series source std std-organization string-date string-name suffix
        supplement surname trans-source trans-title version volume volume-series year
    """
)
_ADDRESS = words("addr-line city country fax phone postal-code state")
_REVIEWS = words(
    "aggregated-review-documents article-commentary author-comment author-reply author-response commentary "
    "community-comment decision-letter editor-report editorial-decision evaluation-summary open-peer-review "
    "peer-review peer-review-report referee-report reply response review-report reviewer-comments reviewer-report"
)
_NOTE_TYPES = words("aff author-notes author-note bibr contrib corresp fn table-fn")
_METADATA = ("article-meta", "front-stub", "book-meta", "collection-meta", "sec-meta", "book-part-meta")
_ALTERNATIVES = words(
    "aff-alternatives alternatives citation-alternatives collab-alternatives collab-name-alternatives name-alternatives"
)
_MAIN = ("body", "front", "book-body")
_FOR_INDEXES = words("index search sort indexing")
_PICTURES = words("graphic inline-graphic media inline-media inline-supplementary-material supplementary-material")


def _choose(root: etree._Element, losses: Losses) -> Iterator[etree._Element]:
    """Yield what is not text: other languages, reviews, alternatives, marks of notes, data of references."""
    language = root.get(LANGUAGE, "").lower()
    has_main = any(part.tag in _MAIN and has_text(part) for part in root)
    for part in root.iter("sub-article", "response") if has_main else ():
        kind = (part.get("article-type") or part.get("response-type") or part.tag).lower()
        kind = "-".join(kind.replace("_", " ").split())
        if "translat" in kind:
            losses.add("translations not read", part.get(LANGUAGE) or kind)
            yield part
        elif kind in _REVIEWS:
            losses.add("reviews and replies not read", kind)
            yield part
    for choice in root.iter(*_ALTERNATIVES):
        yield from _others(choice, language)
    for label in root.iter("label"):
        if parent_tag(label) in ("aff", "corresp", "fn") and is_mark(label, letters=True):
            yield label
    for mark in root.iter("xref"):
        if parent_tag(mark) == "contrib":
            yield mark
            continue
        typed = mark.get("ref-type", "fn").lower() in _NOTE_TYPES
        if is_mark(mark) and (typed or not any(map(str.isdigit, text_in(mark)))) and not _in_superscript(mark):
            yield mark
    for email in root.iter("email"):
        if any(True for _ in email.iterancestors("contrib", "aff", "author-notes", "corresp")):
            yield email
    for citation in root.iter("element-citation", "nlm-citation"):
        is_journal = "journal" in (citation.get("publication-type") or citation.get("citation-type") or "")
        for part in citation:
            if part.tag in ("publisher-loc", "uri") or (is_journal and part.tag == "publisher-name"):
                yield part
        for names in list(citation.iter("given-names")):
            _shorten(names)


def _others(choice: etree._Element, language: str) -> Iterator[etree._Element]:
    """Yield all alternatives except the one that is read: text before pictures, and in the language of the article."""

    def rank(child: etree._Element) -> tuple[bool, ...]:
        own = child.get(LANGUAGE, "").lower()
        return (
            child.tag in _PICTURES or not has_text(child),
            child.tag == "tex-math",
            child.tag in ("element-citation", "nlm-citation"),
            child.get("specific-use", "").lower() in _FOR_INDEXES,
            bool(own) and bool(language) and own.partition("-")[0] != language.partition("-")[0],
            bool(own) and bool(language) and own != language,
        )

    children = list(choice.iterchildren("*"))
    chosen = min(children, key=rank, default=None)
    yield from (child for child in children if child is not chosen)


def _in_superscript(mark: etree._Element) -> bool:
    return any(True for _ in mark.iterancestors("sup"))


_MOST_INITIALS = 3  # in capitals: a longer word in capitals is a name


def _shorten(names: etree._Element) -> None:
    """Shorten given names in a structured reference to initials such as "E. K.", as nearly every style prints them.

    An `element-citation` holds data without a text form, so a reader has to choose one.
    """
    found = text_in(names).replace("-", " ").split()
    tail = names.tail
    names[:] = []
    initials = "".join(word if word.isupper() and len(word) <= _MOST_INITIALS else word[0] for word in found)
    names.text, names.tail = " ".join(f"{letter}." for letter in initials if letter.isalpha()), tail


_SHOWN = words(
    "abstract aff aff-alternatives author-notes book-title-group contrib-group product supplementary-material "
    "title-group trans-abstract"
)

JATS = Vocabulary(
    inline=_CITATION
    | _ADDRESS
    | words(
        """
            abbrev alternatives anonymous award-id bold chem-struct citation-alternatives code-inline
            collab-alternatives collab-name-alternatives date day degrees elocation-id email era ext-link fixed-case
            funding-source hr inline-formula inline-graphic inline-media inline-supplementary-material institution-wrap
            isbn issn issn-l italic label milestone-end milestone-start mixed-citation monospace name-alternatives
            named-content object-id overline overline-end overline-start prefix price private-char rb related-article
            related-object roman ruby sans-serif sc size string-conf strike styled-content sub sup target textual-form
            underline underline-end underline-start uri x xref
        """
    ),
    apart=_CITATION | _ADDRESS | words("anonymous break degrees label prefix string-conf"),
    parted=words(
        "address chem-struct-wrap contrib contrib-group date element-citation name nlm-citation person-group ref "
        "title-group"
    ),
    breaks=words("break"),
    skip=words(
        """
            alt-text alt-title article-categories article-id article-version article-version-alternatives conference
            contrib-id corresp counts custom-meta-group funding-group glyph-data history index index-term
            index-term-range-end institution-id issue-id journal-meta kwd-group long-desc notes-meta object-id
            permissions processing-meta pub-date pub-date-not-available pub-history pub-id rp rt self-uri
            supplementary-meta tex-math toc volume-id volume-issue-group
        """
    ),
    shown=dict.fromkeys(_METADATA, _SHOWN | words("subtitle title")),
    verbatim=words("code preformat"),
    choose=_choose,
)
