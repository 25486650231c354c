"""Pages whose sections are in panels that a reader opens, in three designs: they are not hidden text (SD-EXTRACT-5)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

from generators.formats.html import body, document, inline
from generators.formats.work import Part, Work, Written, around

_CLOSE = {"en": "Close this window", "fr": "Fermer cette fenêtre", "zh": "关闭此窗口"}
_HELP = {
    "en": "This dialog explains how to turn on the dark colours of the site, and is shown once to each visitor. Choose "
    "the moon to save battery at night, the sun for bright rooms, and the clock if the device should decide by itself "
    "after sunset. The choice is stored in this browser and can be changed under preferences at any time.",
    "fr": "Cette boîte explique comment activer les couleurs sombres du site ; chaque visiteur la voit une seule fois. "
    "Choisissez la lune pour ménager la batterie le soir, le soleil pour une pièce claire, et l’horloge pour que "
    "l’appareil décide seul après le coucher du soleil. Ce choix est conservé dans ce navigateur.",
    "zh": "此对话框说明如何开启网站的深色模式，每位访客只会看到一次。选择月亮图标可在夜间节省电量，选择太阳图标适合明亮的房间，"
    "选择时钟图标则由设备在日落后自动决定。该选择保存在浏览器中，可随时在偏好设置里更改。",
}


def page(work: Work, design: int) -> Written:
    """Return a page whose sections are closed, beside a dialog that is hidden text.

    Args:
        work: the article, in a language of the dialog.
        design: number of the design: an accordion, tabs, or elements `details`.
    """
    first, *others = sections(work.parts)
    panels = "\n".join(_PANELS[design](number, section) for number, section in enumerate(others, 1))
    dialog = "\n".join((_HELP[work.language], _CLOSE[work.language]))
    content = f"""<main><article>
{body(first)}
{panels}
</article></main>
<div class="modal" aria-hidden="true" style="display: none"><p>{escape(_HELP[work.language])}</p><button>{_CLOSE[work.language]}</button></div>"""
    return Written(document(work, "", content), (around("hidden text", dialog),))


def sections(parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield what is before the first heading, and then each section with its heading."""
    section: list[Part] = []
    for part in parts:
        if part.role == "heading":
            yield section
            section = []
        section.append(part)
    yield section


def _accordion(number: int, section: list[Part]) -> str:
    heading, *rest = section
    return f"""<div class="accordion-item"><h2><button aria-expanded="false" aria-controls="part-{number}">{inline(heading.spans)}</button></h2>
<div id="part-{number}" class="accordion-collapse collapse" hidden>
{body(rest)}
</div></div>"""


def _tab(number: int, section: list[Part]) -> str:
    return f"""<div id="tab-{number}" class="tab-pane" role="tabpanel" aria-hidden="true" style="display: none">
{body(section)}
</div>"""


def _details(number: int, section: list[Part]) -> str:
    heading, *rest = section
    return f"""<details id="more-{number}"><summary>{inline(heading.spans)}</summary>
{body(rest)}
</details>"""


_PANELS: tuple[Callable[[int, list[Part]], str], ...] = (_accordion, _tab, _details)
