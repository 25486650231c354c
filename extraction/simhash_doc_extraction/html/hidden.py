"""Which elements of a web page a reader does not see (SD-EXTRACT-5).

Markup that hides an element is only a candidate. It does not hide what a reader sees on some screen, what a reader can
open, and what waits for a script that shows it. Style sheets are not read.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cached_property, lru_cache

import numpy as np

from simhash_doc_extraction.html.names import (
    FOR_LISTENERS,
    HIDDEN,
    HIDDEN_STYLE,
    HIDING_NAMES,
    ON_ITS_OWN,
    RESPONSIVE,
    SHOWN_SOMEWHERE,
    opens_boilerplate,
    words_in,
)
from simhash_doc_extraction.html.tree import Bools, Integers, Tree

_MOVING = re.compile(r"opacity|animation|transition|transform|will-change", re.IGNORECASE)
_FIXED = re.compile(r"position\s*:\s*fixed", re.IGNORECASE)
_PANELS = frozenset(
    "accordion accordions answer carousel collapse collapsed collapsible expandable expander faq faqs flickity glide "
    "owl pane panel readmore slick slide slider slides slideshow spoiler swiper tab tabbed tabpanel tabs toggle "
    "toggleable".split()
)
_SCRIPTED = frozenset("animate animated animation aos cloak fade fadein inview reveal sal scrollreveal wow".split())
"""Words in the names of what a script shows, once it runs or the reader comes to it."""

_SCRIPT_ATTRIBUTES = re.compile(r"(?:x|v|ng)-(?:cloak|show)|data-(?:aos|anim|wow|sal|scroll|reveal|inview|w-id).*")
_OVER_THE_PAGE = frozenset(
    "banner cart consent cookie cookies dialog drawer dropdown filter filters flyout footer gdpr header lightbox login "
    "megamenu menu modal nav navbar navigation newsletter offcanvas overlay popover popup search sidebar signin signup "
    "submenu subnav toast tooltip".split()
)
_PARTS_OF_A_PAGE = frozenset("dialog nav menu header footer aside search".split())
_OVER_OR_PART = _PARTS_OF_A_PAGE | {"form"}
_LONGEST_VALUE = 400  # characters of an attribute
_LONGEST_ICON = 40
_ICON = frozenset("fa fas far glyph glyphicon icon icons material symbol symbols".split())
_INLINE = frozenset("a abbr b em i s small span strong sub sup u".split())
_NAMES = ("class", "id", "role", "data-toggle", "data-bs-toggle")
_QUOTED = re.compile(r"[\"'`]#?([\w:.-]+)[\"'`]")
_TRIGGERS = frozenset({"aria-controls", "data-target", "data-bs-target", "href"})
"""Attributes of a button or a link that name what it opens."""
_CELLS = frozenset({"td", "th", "tr", "col"})
_RUN = 3  # elements next to one another
_NOTE_MARK = re.compile(r"\s*[\[(]?(?:\d{1,3}|[*†‡§¶]{1,3}|[a-z])[\])]?\s*")
_LONGEST_MARK = 5  # characters
_LEAST_NOTE, _MOST_NOTE = 10, 4000  # characters
_MARKS = frozenset("endnote fn fnref footnote footnotes note noteref sidenote".split())
_MARKING = frozenset({"a", "sup", "label", "button"})
_MARK = 3  # nodes of an icon
_MOST_BETWEEN = 4  # icons and white space between a button and its panel


def hidden_elements(tree: Tree, traits: Integers) -> Bools:
    """Return for each node whether it is an element that a reader does not see.

    If the parts that are hidden together hold more text than what is shown, they wait for a script: they are shown. So
    is an element with more than half of the text of the page.

    Args:
        tree: the page.
        traits: what the tag and the attributes of each element say.
    """
    result = np.zeros(len(tree.tags), dtype=bool)
    candidates = np.flatnonzero(traits & HIDDEN).tolist()
    if candidates:
        page = _Page(tree, traits)
        result[[number for number in candidates if page.hides(number)]] = True
        traits[[number for number in candidates if page.is_note(number)]] |= ON_ITS_OWN
        result[list(page.waiting(result))] = False
    result[list(_copies(tree, traits, result))] = True
    return result


def heads_panel(tree: Tree, button: int) -> bool:
    """Return whether a button is the heading of the panel after it, as in an accordion, and not of a menu."""
    after = int(tree.ends[button])
    for _ in range(_MOST_BETWEEN):
        if after < len(tree.tags) and tree.ends[after] - after <= _MARK and _is_mark(tree.string(after)):
            after = int(tree.ends[after])
    if after == len(tree.tags) or opens_boilerplate(" ".join(tree.string(button).split()).lower()):
        return False
    values, panel = tree.attributes[button], tree.attributes[after]
    is_opened = panel.get("id") in {values[name].removeprefix("#") for name in _TRIGGERS & values.keys()}
    is_panel = is_opened or not (_PANELS.isdisjoint(_named(values)) or _PANELS.isdisjoint(_named(panel)))
    return is_panel and bool(tree.sentences[after : tree.ends[after]].any())


def _is_mark(text: str) -> bool:
    return not any(map(str.isalnum, text))


class _Page:
    """What the candidates of one page need to know about it."""

    def __init__(self, tree: Tree, traits: Integers) -> None:
        self._tree, self._traits = tree, traits
        self._sizes = tree.sums(tree.characters)
        is_linked = tree.within(tree.having({"a"}))
        self._linked = tree.sums(np.where(is_linked, tree.characters, 0))
        self._sentences = tree.sentences & ~is_linked
        self._folded = {number for number, value in tree.values_of("aria-expanded") if value == "false"}
        self._after_folded = {int(tree.ends[number]) for number in self._folded}

    @cached_property
    def _opened(self) -> set[str]:
        """The ids of the panels that links and buttons of the page open in their place."""
        return {
            value.removeprefix("#")
            for name in _TRIGGERS
            for number, value in self._tree.values_of(name)
            if name != "href" or value[:1] == "#"
            if "aria-expanded" in (values := self._tree.attributes[number]) or not _PANELS.isdisjoint(_named(values))
        }

    @cached_property
    def _called(self) -> dict[str, int]:
        """The texts that the scripts of clicks quote, such as the ids of what they show, and the last node of each."""
        return {
            found: number
            for number, call in self._tree.values_of("onclick")
            for found in _QUOTED.findall(call[:_LONGEST_VALUE])
        }

    @cached_property
    def _unheard(self) -> Counter[int]:
        """For each element the number of its children that are hidden from listeners."""
        found = np.flatnonzero(self._traits & HIDDEN).tolist()
        return Counter(self._tree.parents[number] for number in found if "aria-hidden" in self._tree.attributes[number])

    @cached_property
    def _language(self) -> str:
        return next((found for values in self._tree.attributes if (found := _language(values))), "")

    def hides(self, number: int) -> bool:
        """Return whether the markup of an element hides it from a reader."""
        if not self._sizes[number]:
            return True
        values, traits = self._tree.attributes[number], int(self._traits[number])
        if 2 * self._sizes[number] > self._sizes[self._tree.body] and not self._is_translation(number):
            return False
        is_visible = traits & SHOWN_SOMEWHERE > 0 and not self._is_links(number)
        if traits & FOR_LISTENERS:
            return not is_visible
        style = values.get("style", "")
        by_name = "hidden" in values or not HIDING_NAMES.isdisjoint(values.get("class", "").split())
        if HIDDEN_STYLE.search(style) or (by_name and not is_visible):
            return not self._is_opened(number)
        return values.get("aria-hidden") == "true" and self._is_decoration(number)

    def waiting(self, hidden: Bools) -> Iterator[int]:
        """Yield the hidden elements that a script shows, if they together hold more text than what is shown."""
        tree = self._tree
        if not (self._sentences & tree.within(hidden)).any():
            return
        found = [number for number in np.flatnonzero(hidden).tolist() if self._may_wait(number)]
        waits = np.zeros_like(hidden)
        waits[found] = True
        is_text = self._sentences & tree.within(waits) & ~tree.within(hidden & ~waits)
        waiting = np.where(is_text, tree.characters, 0)
        shown = ~tree.within(hidden | tree.having(_PARTS_OF_A_PAGE) | self._dialogs()) & (tree.characters > 0)
        shown[: tree.body] = False
        if waiting.sum() <= tree.characters[shown].sum():
            return
        read = {self._text(number) for number in np.flatnonzero(shown).tolist()}
        is_copy = [self._text(number) in read for number in np.flatnonzero(waiting).tolist()]
        copied = np.zeros_like(waiting)
        copied[waiting > 0] = waiting[waiting > 0] * is_copy
        sizes, copies = tree.sums(waiting), tree.sums(copied)
        yield from (number for number in found if 2 * copies[number] <= sizes[number])

    def _text(self, number: int) -> str:
        return "".join(self._tree.texts[number].split())

    def _may_wait(self, number: int) -> bool:
        """Return whether a script may show an element that is hidden: no dialog, no label, no translation."""
        is_label = self._traits[number] & FOR_LISTENERS > 0
        return not (
            is_label or self._is_over_the_page(number) or self._is_translation(number) or self._is_links(number)
        )

    def _is_links(self, number: int) -> bool:
        return bool(2 * self._linked[number] > self._sizes[number])

    def _dialogs(self) -> Bools:
        """Return for each node whether it is a dialog that is open."""
        result = np.zeros(len(self._tree.tags), dtype=bool)
        result[[number for number, role in self._tree.values_of("role") if role.endswith("dialog")]] = True
        return result

    def _is_opened(self, number: int) -> bool:
        """Return whether a reader or a script opens an element in its place: a panel, a slide, what is animated."""
        values = self._tree.attributes[number]
        if self.is_note(number):
            return True
        if self._is_over_the_page(number) or self._is_translation(number):
            return False
        is_panel = not _PANELS.isdisjoint(_named(values)) or values.get("id") in self._opened
        is_region = values.get("role") == "region" and "aria-labelledby" in values
        return is_panel or is_region or self._is_scripted(number) or self._is_more(number) or self._is_row(number)

    def is_note(self, number: int) -> bool:
        """Return whether the mark of a note holds an element, or refers to it: a click on the mark opens it."""
        if not _LEAST_NOTE <= self._sizes[number] <= _MOST_NOTE:
            return False
        if self._tree.attributes[number].get("id") in self._marked:
            return True
        holder, end = self._tree.parents[number], int(self._tree.ends[number])
        values = self._tree.attributes[holder]
        if self._tree.tags[holder] in _MARKING or "onclick" in values or not _MARKS.isdisjoint(_named(values)):
            rest = [*self._tree.texts[holder:number], *self._tree.texts[end : int(self._tree.ends[holder])]]
            return self._sizes[holder] - self._sizes[number] <= _LONGEST_MARK and bool(
                _NOTE_MARK.fullmatch("".join(rest))
            )
        return False

    @cached_property
    def _marked(self) -> set[str]:
        """The ids to which the marks of notes refer."""
        tree = self._tree
        found = {
            value.removeprefix("#")
            for name in (*_TRIGGERS, "aria-describedby")
            for number, value in tree.values_of(name)
            if self._sizes[number] <= _LONGEST_MARK and _NOTE_MARK.fullmatch(tree.string(number))
        }
        for number, call in tree.values_of("onclick"):
            if self._sizes[number] <= _LONGEST_MARK and _NOTE_MARK.fullmatch(tree.string(number)):
                found.update(_QUOTED.findall(call[:_LONGEST_VALUE]))
        return found

    def _is_row(self, number: int) -> bool:
        """Return whether a row is in a table that a reader opens."""
        while number and self._tree.tags[number] in ("tr", "tbody"):  # the root of XHTML can be one
            number = self._tree.parents[number]
            if self._tree.tags[number] == "table":
                return not _PANELS.isdisjoint(_named(self._tree.attributes[number]))
        return False

    def _is_more(self, number: int) -> bool:
        """Return whether a sentence is in an element that is named 'more', or that a button before it or after it
        unfolds, or that the script of a click shows."""
        values, end = self._tree.attributes[number], int(self._tree.ends[number])
        caller = self._called.get(values.get("id", ""), number)
        is_named = "more" in _named(values) or not number <= caller < end
        return (is_named or self._is_unfolded(number)) and bool(self._sentences[number:end].any())

    def _is_unfolded(self, number: int) -> bool:
        """Return whether a button that says that it is not expanded is just before or after an element."""
        before, after = number, int(self._tree.ends[number])
        before -= self._tree.texts[before - 1].isspace()
        after += after < len(self._tree.texts) and self._tree.texts[after].isspace()
        return after in self._folded or before in self._after_folded

    def _is_scripted(self, number: int) -> bool:
        values = self._tree.attributes[number]
        return not self._is_over_the_page(number) and (
            not _SCRIPTED.isdisjoint(_named(values))
            or any(map(_SCRIPT_ATTRIBUTES.fullmatch, values))
            or _MOVING.search(values.get("style", "")) is not None
        )

    def _is_over_the_page(self, number: int) -> bool:
        """Return whether an element is a dialog, a menu or such; the id of a panel with a sentence does not count."""
        values = self._tree.attributes[number]
        if (
            self._tree.tags[number] in _OVER_OR_PART
            or "aria-modal" in values
            or _FIXED.search(values.get("style", "")) is not None
        ):
            return True
        if _OVER_THE_PAGE.isdisjoint(_named(values)):
            return False
        named = _named({**values, "id": ""})
        is_panel = _OVER_THE_PAGE.isdisjoint(named) and not _PANELS.isdisjoint(named)
        return not (is_panel and self._sentences[number : self._tree.ends[number]].any())

    def _is_translation(self, number: int) -> bool:
        found = _language(self._tree.attributes[number])
        return bool(found) and found != self._language

    def _is_decoration(self, number: int) -> bool:
        """Return whether what is hidden only from listeners is none for readers either: a dialog that is closed, the
        name of an icon, a formula that is there in another form."""
        tree = self._tree
        if not self._sizes[number] or self._is_over_the_page(number):
            return True
        tag, values = tree.tags[number], tree.attributes[number]
        if tag not in _INLINE:
            return tag in ("mjx-math", "nobr")
        if "katex-html" in values.get("class", ""):
            return True
        if self._sizes[number] > _LONGEST_ICON or len(tree.string(number).split()) != 1:
            return False
        is_in_run = self._unheard[tree.parents[number]] >= _RUN and any(map(str.isalpha, tree.string(number)))
        beside = [number - 1, int(tree.ends[number])]
        is_alone = not any(
            tree.texts[at].strip() for at in beside if at < len(tree.tags) and tree.parents[at] == tree.parents[number]
        )
        return tag == "i" or not _ICON.isdisjoint(_named(values)) or (is_alone and not is_in_run)


def _named(values: dict[str, str]) -> frozenset[str]:
    """Return the words in the names of an element."""
    return _words_of(" ".join([values.get(name, "")[:_LONGEST_VALUE] for name in _NAMES]))


@lru_cache
def _words_of(names: str) -> frozenset[str]:
    return frozenset(words_in(names))


def _language(values: dict[str, str]) -> str:
    """Return the language of an element, if it says so, without its region."""
    return (values.get("lang") or values.get("xml:lang") or "").partition("-")[0].lower()


def _copies(tree: Tree, traits: Integers, hidden: Bools) -> Iterator[int]:
    """Yield the elements that show on some screens what others show on the rest: each text is read once."""
    found = np.flatnonzero((traits & RESPONSIVE > 0) & ~hidden & ~tree.having(_CELLS)).tolist()
    if len(found) < 2:
        return
    prints = np.zeros(len(tree.tags), dtype=np.int64)
    inside = tree.nesting(np.array(found)) > 0
    for number in np.flatnonzero(inside & (tree.characters > 0)).tolist():
        prints[number] = hash("".join(tree.texts[number].split()))
    sums, sizes = tree.sums(prints), tree.sums(tree.characters)
    seen: dict[tuple[int, int], int] = {}
    for number in found:
        if not sizes[number]:
            continue
        first = seen.setdefault((int(sizes[number]), int(sums[number])), number)
        same = tree.attributes[first].get("class") == tree.attributes[number].get("class")
        if tree.ends[first] <= number and not same:
            yield number
