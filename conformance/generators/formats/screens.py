"""A page that hides parts of an article on some screens, from some readers, or until a script runs (SD-EXTRACT-5)."""

from __future__ import annotations

from html import escape

from generators.formats.html import body, document
from generators.formats.panels import sections
from generators.formats.work import Work, Written, around

# Each section but the first is in one of these: classes of three kinds of style sheets, then what hides for a while, or
# from assistive technology. None of it is hidden text, and a copy for the other screens is read once.
WRAPPED = (
    '<section class="hidden md:block">{}</section>',
    '<section class="d-none d-md-block">{}</section>',
    '<section hidden="until-found">{}</section>',
    '<section class="wow fadeInUp" style="visibility: hidden">{}</section>',
    '<section aria-hidden="true">{}</section>',
)
COPIED = 1  # the section of which the page has a copy for small screens
_DIALOG = (
    (
        "Before you leave the mill pond, would you tell us how you found it? Three questions, a minute at most, and the "
        "answers go to the two volunteers who oil the hinges and count the visitors. Nobody will write to you, and the form "
        "forgets everything as soon as you close it, which is more than can be said of the miller."
    ),
    "Perhaps tomorrow",
)
_PRINTED = (
    "You are reading the paper copy of a page that changes with every spring tide. The times of opening, the state of "
    "the footbridge and the price of flour were right on the day of printing; the notice board by the gate is newer."
)


def page(work: Work) -> Written:
    """Return a page whose sections are hidden on some screens, with a dialog and a note for print, which are hidden text."""
    first, *rest = sections(work.parts)
    wrapped = "\n".join(WRAPPED[number % len(WRAPPED)].format(body(section)) for number, section in enumerate(rest))
    copy = rest[COPIED]
    content = f"""<main><article>
{body(first)}
{wrapped}
<section class="d-md-none">
{body(copy)}
</section>
</article></main>
<div class="modal" role="dialog" style="display:none"><p>{escape(_DIALOG[0])}</p><button>{_DIALOG[1]}</button></div>
<div class="hidden print:block"><p>{escape(_PRINTED)}</p></div>"""
    return Written(
        document(work, "", content),
        (
            around("hidden dialog", "\n".join(_DIALOG)),
            around("hidden in print", _PRINTED),
            around("copy for small screens", "\n\n".join(part.text for part in copy)),
        ),
    )
