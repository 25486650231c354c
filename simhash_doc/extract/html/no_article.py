"""Pages that stand in for a document: dialogs about consent, errors, checks for robots."""

from __future__ import annotations

import re

_LONGEST = 2500  # characters of a page without an article
_ERROR = re.compile(
    r"\b404\b|\b410\b|not found|no longer (?:available|exists)|(?:doesn['’]t|does not) exist|nicht gefunden|"
    r"(?:page|seite|página|pagina) (?:was |wurde |is )?(?:not|nicht|no|non)\b|introuvable|n['’]existe (?:pas|plus)|"
    r"no encontrad|no existe|não encontrad|non trovat|niet gevonden|не найден|nie znalezion|bulunamad|"
    r"找不到|不存在|見つかりません|찾을 수 없|غير موجود",
    re.IGNORECASE,
)
_ROBOT = re.compile(
    r"are you (?:a |not a )?(?:robot|human)|verify(?:ing)? (?:that )?you are (?:a )?human|captcha|just a moment|"
    r"access denied|unusual traffic|checking your browser|enable javascript and cookies",
    re.IGNORECASE,
)
_CONSENT = re.compile(
    r"cookie|consent|your privacy|partners|personal data|personali[sz]ed|legitimate interest|accept all|reject all|"
    r"einwilligung|zustimm|datenschutz|akzeptieren|werbung|consentement|accepter|refuser|confidentialité|vie privée|"
    r"consentimiento|aceptar|privacidad|consenso|accetta|toestemming|accepteren|соглас|zgod|同意|隐私|クッキー|プライバシー",
    re.IGNORECASE,
)
_CONSENT_WORDS = 5
_CONSENT_DISTANCE = 120  # characters from one to the next


def no_article(title: str, text: str) -> str | None:
    """Return what a page is that has no document of its own: "consent page", "error page", "robot check"; or None.

    Args:
        title: the title of the page.
        text: the text of the complete page.
    """
    if len(text) > _LONGEST:
        return None
    heading = f"{title}\n{text[:200]}"
    if _ROBOT.search(heading):
        return "robot check"
    words = len(_CONSENT.findall(text))
    if words >= _CONSENT_WORDS and words * _CONSENT_DISTANCE >= len(text):
        return "consent page"
    return "error page" if _ERROR.search(heading) else None
