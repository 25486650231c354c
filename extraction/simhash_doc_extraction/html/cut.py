"""Which elements of a web page are cut before anything about its blocks is computed (SD-EXTRACT-6).

What is cut cannot change what is said of the rest: a banner more, or another footer, leaves the text as it is. A name
alone cuts nothing: the content must agree. Boxes of sentences are left to the classifier, unless they ask for consent,
ask their reader to subscribe, begin with a label such as "About the author", or are comments on a text before them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cached_property

import numpy as np

from simhash_doc_extraction.html.names import (
    NAMED,
    REFERENCES,
    asks_for_consent,
    asks_for_something,
    names_references,
    opens_boilerplate,
    role_bits,
)
from simhash_doc_extraction.html.tree import BLOCKS, TEXT, Bools, Integers, Tree, size_of

_LANDMARKS = frozenset(
    "nav menu dialog search amp-sidebar amp-consent amp-user-notification amp-lightbox amp-ad".split()
)
_LANDMARK_ROLES = frozenset(
    "alertdialog contentinfo dialog menu menubar menuitem navigation search searchbox toolbar".split()
)
_NOTES = frozenset({"alert", "status"})
"""Roles of a message of the site, or of a box in an article."""
_BESIDE = frozenset({"aside", "header", "footer"})
_BESIDE_ROLES = {"complementary": "aside", "banner": "header"}
_ROLES = _LANDMARK_ROLES | _NOTES | _BESIDE_ROLES.keys()
_HOLD_THE_PAGE = frozenset({"html", "body", "main", "article"})
_TEXT_BLOCKS = frozenset(
    "h1 h2 h3 h4 h5 h6 p li dt dd td th tr thead tbody tfoot table pre blockquote figure figcaption caption".split()
)
_QUOTATIONS = frozenset({"blockquote", "figure"})

_SHARE = 0.4
"""An element with more of the text of the page holds its document, or is part of it, whatever its name."""
_TOGETHER, _ENTRIES = 0.2, 4
"""Elements of one class that hold more of the text together, or are so many, are the entries of a list."""
_MAIN = 1 / 3
"""`main` and `article` are trusted if they hold more of the text of the page than this."""
_MOST_SENTENCES = 600  # characters in a box that asks for something
_MOST_ASKING, _MOST_CONSENT = 400, 4000  # characters of a box without a name
_LINKED, _LINKED_LIST = 0.5, 0.2
_NUMBER = re.compile(r"\d")
_LISTS = role_bits("related share navigation footer header".split())
"""Roles of what leads to other pages: less of it has to be a link."""
_ASKING = role_bits(["consent", "signup", "share"])
"""Roles of what asks its reader for something."""
_COMMENT, _AUTHOR = role_bits(["comment"]), role_bits(["author"])
_COMMENTED, _FEW = 300, 0.2
"""Characters of sentences before comments, on which they can be comments; and the share of the text of the page that
comments can have on anything else."""
_LONGEST_INVITATION = 200  # characters
_LINES = frozenset({"p", "div", "li"})
_INPUTS = frozenset({"input", "textarea"})
_TYPED = frozenset({"", "text", "email", "search", "tel", "password"})
"""Types of controls in which readers write."""
_SHORT_SENTENCE = 25  # characters
STOP = re.compile(r"[.!?…:;。！？।؟][\"'”’»)\]]*\s*\Z")
"""The end of a sentence, or of what introduces the next one, at the end of a text."""
_SENTENCES = 0.5


def cut_elements(tree: Tree, traits: Integers, shown: Bools, links: Bools, controls: Bools) -> Bools:
    """Return for each node whether it is an element that is cut, with all that is in it.

    Args:
        tree: the page.
        traits: what the tag and the attributes of each element say.
        shown: whether the node is shown.
        links, controls: whether the element is a link, or a form control.
    """
    result = np.zeros(len(tree.tags), dtype=bool)
    boxes = _Boxes(tree, traits, shown, links, controls)
    end = 0
    for number in boxes.candidates().tolist():
        if number >= end and boxes.is_boilerplate(number):
            result[number] = True
            end = int(tree.ends[number])
    return result


class _Boxes:
    """What the elements of a page hold."""

    def __init__(self, tree: Tree, traits: Integers, shown: Bools, links: Bools, controls: Bools) -> None:
        self._tree, self._traits, self._shown = tree, traits, shown
        characters = np.where(shown, tree.characters, 0)
        inside = tree.within(links)
        self._asked: dict[tuple[int, int], tuple[bool, bool]] = {}
        self._texts: list[int] = np.flatnonzero(characters).tolist()
        self._sizes = tree.sums(characters)
        self._links = tree.sums(links)
        self._linked = tree.sums(np.where(inside, characters, 0))
        self._is_sentence = tree.sentences & shown & ~inside
        self._may_be_sentence: list[int] = np.flatnonzero(~inside & (characters >= _SHORT_SENTENCE)).tolist()
        self._sentences = tree.sums(np.where(self._is_sentence, characters, 0))
        self._controls = tree.sums(controls)
        typed = controls & tree.having(_INPUTS)
        typed[[number for number, value in tree.values_of("type") if value.lower() not in _TYPED]] = False
        self._inputs = tree.sums(typed)
        is_link = self._linked >= _LINKED * self._sizes
        self._may_invite = tree.having(_LINES) & is_link & (self._links > 0) & (self._sizes <= _LONGEST_INVITATION)
        self._total = int(self._sizes[tree.body])
        main = tree.having({"main", "article"}) & shown
        self._is_in_main = tree.within(main)
        self._has_main = bool(self._sizes[main].max(initial=0) > _MAIN * self._total)
        self._quotations = tree.sums(tree.having({"blockquote"}) & shown)
        self._references = tree.sums(traits & REFERENCES > 0)

    def candidates(self) -> Integers:
        """Return the elements that a tag, a role, a name or a control makes a candidate."""
        tree, traits, sizes = self._tree, self._traits, self._sizes
        by_name = traits & (NAMED | _AUTHOR) > 0
        by_name[[number for number, role in tree.values_of("role") if role in _ROLES]] = True
        by_control = (self._controls > 0) & (sizes <= _MOST_CONSENT)
        found = by_name | by_control | self._may_invite | tree.having(_LANDMARKS | _BESIDE)
        found &= sizes <= _SHARE * self._total
        found |= self._comments
        found &= self._shown
        found &= ~tree.having(_HOLD_THE_PAGE | {TEXT}) & (tree.having(BLOCKS | _LANDMARKS))
        found &= ~tree.having(_TEXT_BLOCKS) | self._may_invite
        found &= tree.sums(tree.having({"h1"}) & (sizes > 0)) == 0
        found[: tree.body + 1] = False
        return np.flatnonzero(found)

    def is_boilerplate(self, number: int) -> bool:
        """Return whether the content of an element agrees with what its tag, role or name says."""
        if self._comments[number]:
            return True
        tag, values = self._tree.tags[number], self._tree.attributes[number]
        role = values.get("role", "")
        kind = _BESIDE_ROLES.get(role, tag)
        if kind == "footer":
            return self._tree.tags[self._tree.parents[number]] not in _QUOTATIONS and not self._has_references(number)
        is_named = self._traits[number] & NAMED > 0 and not self._references[number]
        if kind in _BESIDE and self._is_beside(number, kind, named=is_named):
            return True
        if tag in _LANDMARKS or role in _LANDMARK_ROLES:
            is_closed = tag == "dialog" and "open" not in values
            is_text = self._sentences[number] > _SENTENCES * self._sizes[number]
            return is_closed or not is_text or self._controls[number] > 0 or self._asks(number, named=True)
        if role in _NOTES:
            return self._controls[number] > 0 or self._asks(number, named=True)
        is_author = self._traits[number] & _AUTHOR > 0 and self._sizes[number] <= _MOST_SENTENCES
        if is_author and self._has_label(number):
            return True
        if self._entries[number] and not self._is_repeated_box(number):
            return False
        is_box = self._is_named_box(number) if is_named else self._is_form(number) or self._is_invitation(number)
        return is_box or self._asks(number, named=is_named and self._traits[number] & _ASKING > 0)

    def _is_beside(self, number: int, kind: str, *, named: bool) -> bool:
        """Return whether an aside or a header is outside the document."""
        if self._has_references(number):
            return False
        in_main = bool(self._is_in_main[number])
        if kind == "aside" and ((self._has_main and not in_main) or (named and self._links[number])):
            return True
        is_linked = bool(self._linked[number] > _LINKED * self._sizes[number])
        is_beside = is_linked or not in_main if kind == "aside" else is_linked and not in_main
        return is_beside and not self._has_sentence(number)

    def _is_repeated_box(self, number: int) -> bool:
        """Return whether one of several elements of a class is boilerplate beside each entry, and not an entry."""
        traits = int(self._traits[number])
        is_small = bool(self._entries[number] <= _TOGETHER * self._total)
        return (is_small and traits & _ASKING > 0) or (traits & _LISTS > 0 and self._has_label(number))

    def _is_named_box(self, number: int) -> bool:
        is_quoted = self._quotations[number] > 0
        least = _LINKED_LIST if self._traits[number] & _LISTS and not is_quoted else _LINKED
        if self._linked[number] >= least * self._sizes[number] or self._has_label(number):
            return True
        is_form = self._inputs[number] > 0 and self._sizes[number] <= _MOST_SENTENCES
        return bool(is_form) or not (is_quoted or self._has_sentence(number))

    def _is_form(self, number: int) -> bool:
        is_small = self._sizes[number] <= _MOST_ASKING and self._tree.tags[number] == "form"
        return bool(is_small and self._inputs[number]) and not self._has_sentence(number)

    def _is_invitation(self, number: int) -> bool:
        """Return whether an element invites to another article, such as "Read more" with its title as a link."""
        return bool(self._may_invite[number]) and self._has_label(number)

    def _has_references(self, number: int) -> bool:
        return bool(self._references[number]) or names_references(self._first_text(number))

    def _has_label(self, number: int) -> bool:
        """Return whether an element begins with a label of boilerplate, such as "Related"."""
        return opens_boilerplate(self._first_text(number).lower())

    def _first_text(self, number: int) -> str:
        at = bisect_left(self._texts, number)
        is_in = at < len(self._texts) and self._texts[at] < self._tree.ends[number]
        return self._tree.texts[self._texts[at]].strip() if is_in else ""

    def _those_in(self, number: int, nodes: list[int]) -> list[int]:
        """Return which of some nodes are in an element: in time that does not depend on how deep it is nested."""
        first = bisect_left(nodes, number)
        return nodes[first : bisect_left(nodes, int(self._tree.ends[number]), first)]

    def _has_sentence(self, number: int) -> bool:
        """Return whether an element contains a sentence outside its links: a long text, or one with a full stop."""
        if self._sentences[number]:
            return True
        return any(STOP.search(self._tree.texts[node]) for node in self._those_in(number, self._may_be_sentence))

    def _asks(self, number: int, *, named: bool) -> bool:
        """Return whether an element asks its reader for consent, or to subscribe: in its words, and with its controls
        or its name. Without a name, what is around such a box does not ask: it may hold a part of the document."""
        part = int(self._parts[number])
        return self._asks_in_words(number, named) and (named or not (part and self._asks_in_words(part, False)))

    def _asks_in_words(self, number: int, named: bool) -> bool:
        size = self._sizes[number]
        if not (named or self._controls[number]) or size > _MOST_CONSENT:
            return False
        texts = self._those_in(number, self._texts)
        place = texts[0] if texts else 0, len(texts)
        if place not in self._asked:  # elements in one another often hold the same text
            text = " ".join([self._tree.texts[node] for node in texts])
            self._asked[place] = asks_for_consent(text), bool(size <= _MOST_SENTENCES) and asks_for_something(text)
        is_for_consent, is_for_something = self._asked[place]
        is_box = size <= _MOST_SENTENCES if named else size <= _MOST_ASKING and self._inputs[number] > 0
        return is_for_consent or (bool(is_box) and is_for_something)

    @cached_property
    def _parts(self) -> Integers:
        """For each element the child that holds all of its controls, or 0."""
        above = self._tree.above
        found = np.flatnonzero((self._controls > 0) & (self._controls == self._controls[above]))
        result = np.zeros(len(above), dtype=np.int64)
        result[above[found]] = found
        return result

    @cached_property
    def _entries(self) -> Integers:
        """For each node the characters of all elements of its class, if they are the entries of a list; otherwise 0."""
        result = np.zeros(len(self._sizes), dtype=np.int64)
        numbers, values = self._tree.having_attribute.get("class", ([], []))
        codes = {"": 0}
        own = {value: codes.setdefault(_without_numbers(value), len(codes)) for value in set(values)}
        classes = np.fromiter(map(own.__getitem__, values), dtype=np.int64, count=len(values))
        own_sizes = self._sizes[numbers]
        counts, sizes = np.bincount(classes, own_sizes > 0), np.bincount(classes, own_sizes)
        are_entries = (counts >= _ENTRIES) | ((counts > 1) & (sizes > _TOGETHER * self._total))
        are_entries[:1] = False
        result[numbers] = np.where(are_entries, sizes, 0)[classes] * (own_sizes > 0)
        return result

    @cached_property
    def _comments(self) -> Bools:
        """For each node whether it is an element with comments on the sentences before it, or with few comments.

        It holds neither the first title of the page nor a sentence of its own, which is a paragraph with a misleading
        name. The replies of a thread are not comments: their text has the class of the text before them.
        """
        tree = self._tree
        result: Bools = (self._traits & _COMMENT > 0) & self._shown & (self._sizes > 0)
        result &= tree.having(BLOCKS - _TEXT_BLOCKS - _HOLD_THE_PAGE)
        result[tree.above[self._is_sentence]] = False
        if not result.any():
            return result
        for title in np.flatnonzero(tree.having({"h1"}) & (self._sizes > 0))[:1].tolist():
            result[: title + 1] &= tree.ends[: title + 1] <= title
        inside = tree.within(result)
        before = self._is_sentence & (np.cumsum(inside) == 0)
        is_thread = not self._classes_of(before).isdisjoint(self._classes_of(self._is_sentence & inside))
        are_few = tree.characters[inside & self._shown].sum() <= _FEW * self._total
        commented = sum(size_of(tree.texts[node]) for node in np.flatnonzero(before).tolist())
        return result & (not is_thread and (are_few or commented >= _COMMENTED))

    def _classes_of(self, texts: Bools) -> set[str]:
        """Return the classes of some texts: of the nearest element around each that has any."""
        tree, seen, found = self._tree, set[int](), set[str]()
        for node in np.unique(tree.above[texts]).tolist():
            while node > tree.body and node not in seen and not tree.attributes[node].get("class"):
                seen.add(node)
                node = int(tree.parents[node])
            found.update(tree.attributes[node].get("class", "").split())
        return found


def _without_numbers(value: str) -> str:
    """Return a class without the names that differ from one element of a kind to the next, if others are left."""
    if not _NUMBER.search(value):
        return value
    return " ".join(name for name in value.split() if not _NUMBER.search(name)) or value
