"""What the names in the markup of a page, and the words of its headings, say about its parts; and pages without one.

A page can stand in for a document: dialogs about consent, errors, checks for robots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np

from simhash_doc_extraction.html.tree import Integers, Tree

ROLES: dict[str, str] = {
    "comment": "comments commentlist disqus respond responses | comment discussion livefyre replies",
    "related": "related recommended outbrain taboola upsell | recommendation recommendations recirc recirculation more "
    "trending popular latest recent readnext suggested similar crosssell mostread also",
    "share": "share sharing social rss | sharedaddy addthis follow",
    "navigation": "nav navbar navbox navigation menu menubar breadcrumb breadcrumbs pagination pager skip toolbar | "
    "submenu megamenu paging prevnext toc topbar tabs filter filters facet facets sort",
    "footer": "footer printfooter catlinks | colophon copyright legal bottom imprint",
    "header": "masthead headerlink | header banner logo top hero",
    "side": "sidebar widget widgets noprint | side aside rail secondary complementary",
    "advert": "ad ads adsense advert advertisement advertising sponsor sponsored promo | promotion promoted cta",
    "consent": "cookie cookies cookiebanner cookiebar cookieconsent cookielaw cookienotice cookiebot cookieyes consent "
    "gdpr ccpa lgpd onetrust didomi usercentrics qc truste trustarc cmp cmpbox cmplz complianz borlabs klaro osano "
    "termly axeptio tarteaucitron iubenda evidon cky popup modal | dialog overlay lightbox tooltip notice alert",
    "signup": "newsletter subscribe subscription signup signin login paywall | register form search donate",
    "author": "byline | author bio avatar profile contributor",
    "meta": "metadata tags editsection | "
    "meta date time tag category categories label posted postmeta info published taxonomy",
    "content": "| content article entry story post body text main prose markdown rte richtext copy articlebody "
    "postcontent entrycontent documentation docs section",
    "title": "| title headline heading",
    "product": "| product description details spec specs specification specifications price pdp sku review reviews "
    "rating",
    "list": "| card cards item items list grid tile tiles teaser teasers results result feed row rows summary excerpt "
    "collection catalog archive",
    "forum": "| message messages reply thread topic answer question forum cooked postbody bbwrapper poster",
    "caption": "| caption captions credit credits image images img photo photos picture figure gallery media",
    "reference": "| reference references bibliography footnote footnotes endnote endnotes citation citations reflist "
    "notes csl",
}
"""Role of a part of a page -> words in class, id and other attributes that name it. Those before the bar mark
boilerplate, if the content agrees."""

FIRST_ROLE = 9
(
    HIDDEN, REFERENCES, NAMED, HEADING_ANCHOR, EDIT_LINK, SHOWN_SOMEWHERE, RESPONSIVE, FOR_LISTENERS, ON_ITS_OWN,
) = (1 << bit for bit in range(FIRST_ROLE))  # fmt: skip
"""What markup says about an element: it may be hidden; it holds references or notes; its class or its id names
boilerplate; it is the permanent link of a heading, or the link with which readers edit a section; its class shows it on
some screens, or decides on which screens it is shown; it is only for those who listen to the page; it is on a line of
its own. A bit from `FIRST_ROLE` on says that it names one of `ROLES`."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_LOWER_WORD = re.compile("[a-z]+")
_IDENTIFIED = frozenset("div section aside nav footer header ul ol form main article td".split())
_PLACES = frozenset(
    "page site main global left right top bottom mobile primary secondary user area bar box law wrapper "
    "wrap container".split()
)
_LONGEST_VALUE = 400  # characters of an attribute
_LONGEST_ID = 60
"""An id is often the slug of a heading: it names a role only if all its words do, or name a place."""

_TRAITS_OF_TAG = {
    tag: 1 << (FIRST_ROLE + list(ROLES).index(role))
    for tag, role in {
        "nav": "navigation", "footer": "footer", "header": "header", "aside": "side", "form": "signup",
        "dialog": "consent", "menu": "navigation", "search": "signup", "time": "meta", "address": "author",
    }.items()
}  # fmt: skip
"""Tag -> what it says about an element."""


_MOST_VALUES = 4096


class _Cached(dict[str, int]):
    """A search in the values of an attribute with its results, whose memory is bounded whatever pages contain."""

    def __init__(self, search: Callable[[str], int]) -> None:
        self._search = search

    def __missing__(self, value: str) -> int:
        found = self._search(value)
        if len(value) <= _LONGEST_VALUE:
            if len(self) >= _MOST_VALUES:
                self.clear()
            self[value] = found
        return found


HIDING_NAMES = frozenset(
    "hidden tw-hidden d-none is-hidden uk-hidden visible-print visible-print-block visible-print-inline show-for-print "
    "element-invisible show-for-sr".split()
)
"""Names of style frameworks that hide an element, unless another name beside them shows it."""

_ROLE_OF = {
    word: 1 << bit | NAMED * is_boilerplate
    for bit, words in enumerate(ROLES.values(), FIRST_ROLE)
    for is_boilerplate, part in zip((True, False), words.split("|"), strict=True)
    for word in part.split()
}
_ALL_ROLES = -1 << FIRST_ROLE
_REFERENCE = 1 << FIRST_ROLE + list(ROLES).index("reference")
_ROLES_AND_PLACES = _PLACES | _ROLE_OF.keys()
_CONSENT = frozenset(ROLES["consent"].partition("|")[0].split()) - set("cookie cookies consent modal popup".split())
"""Names of platforms for consent: an id that holds one names such a box, for example `onetrust-banner-sdk`."""
_TRAITS_OF_NAME = {
    **dict.fromkeys(HIDING_NAMES, HIDDEN),
    **dict.fromkeys(("headerlink", "anchor", "anchorjs-link", "permalink", "pilcrow"), HEADING_ANCHOR),
    **dict.fromkeys(("mw-editsection", "editsection"), EDIT_LINK),
    **dict.fromkeys("block d-block is-block flex d-flex grid d-grid".split(), ON_ITS_OWN),
}
"""Complete name in a class -> what it says."""

_REFERENCES = re.compile(r"\b(?:references?|bibliography|footnotes?|endnotes?|citations?|csl|reflist|notes)\b")
HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_BESIDE, _MADE_BY = "with|without|has|no", "by|template|category|tag"
_WORDS_OF_ANOTHER = frozenset(f"{_BESIDE}|{_MADE_BY}".split("|"))
_OF_ANOTHER = re.compile(rf"(?:(?<![^\s_-])(?:{_BESIDE})|(?<=[_-])(?:{_MADE_BY}))[_-]\S*", re.IGNORECASE)
"""What a name says about something else: what is beside the element, or who made it, as in `content--with-sidebar`."""
_LINE_STYLE = re.compile(r"(?<![-\w])display\s*:\s*(?:block|flex|grid|list-item|table)\b", re.IGNORECASE)
_SCREENS = frozenset(
    "xs sm md lg xl xxl phone mobile touch tablet laptop desktop computer widescreen fullhd small medium large "
    "xlarge xxlarge wide portrait landscape @".split()
)
_DEVICES = frozenset("mobile tablet computer widescreen".split())  # beside `hidden`, it is hidden on these only
_OF_LISTENERS = frozenset("sr sronly screen screenreader visually visuallyhidden".split())
_OF_SCREENS = _SCREENS | _OF_LISTENERS
_HIDES = frozenset("hidden hide none invisible dn".split())
_SHOWS = frozenset("block contents display flex flow grid initial inline list only show table visible".split())
_NOT_FOR_READERS = frozenset("active focus hover print sr".split())
_VARIANT = re.compile(
    r"(.+):!?(?:tw-)?(?:(hidden|invisible|sr-only)|block|inline(?:-(?:block|flex|grid|table))?|flex|grid|contents|"
    r"table(?:-(?:row|cell|caption|row-group))?|flow-root|list-item|visible|not-sr-only|initial)!?"
)
"""Names such as `md:block`: a condition, and how an element is displayed then."""
_FOR_LISTENERS = re.compile(r"(?<!not-)(?:sr-?only|visually-?hidden|screen-?reader)", re.IGNORECASE)


def role_bits(roles: Iterable[str]) -> int:
    """Return the traits of some of `ROLES` as a sum."""
    return sum(1 << FIRST_ROLE + list(ROLES).index(role) for role in roles)


def words_in(value: str) -> list[str]:
    """Return the words of names such as `mainContent` and `site-nav`, in lower case."""
    if value.islower():
        words: list[str] = _LOWER_WORD.findall(value)
        return words
    return [word.lower() for word in _WORD.findall(value)]


def _traits_of_words(words: Iterable[str]) -> int:
    traits = 0
    for word in words:
        traits |= _ROLE_OF.get(word, 0)
    return traits


@_Cached
def _roles_in(value: str) -> int:
    return _traits_of_words(words_in(value[:_LONGEST_VALUE])) & _ALL_ROLES


@_Cached
def _traits_of_class(value: str) -> int:
    words, names = words_in(value), value.split()
    traits = _traits_of_words(words)
    if traits and not _WORDS_OF_ANOTHER.isdisjoint(words):
        traits = _traits_of_words(words_in(_OF_ANOTHER.sub("", value)))
    if traits & _REFERENCE or not value.islower():  # a name such as `refList` is one word there
        traits |= _references_in(value)
    if len(value) > _LONGEST_VALUE:  # only its beginning names roles
        traits = traits & ~_ALL_ROLES | _roles_in[value]
    for name in names:
        traits |= _TRAITS_OF_NAME.get(name, 0)
    if ":" in value or "@" in value or not _OF_SCREENS.isdisjoint(words):
        for name in names:
            traits |= _screens_of_name(name, words_in(name))
    return traits


def _references_in(value: str) -> int:
    return REFERENCES * (_REFERENCES.search(value.lower()) is not None)


def _screens_of_name(name: str, words: list[str]) -> int:
    """Return what a name says about the screens on which an element is shown: `md:block`, `d-md-none`, `visible-xs`."""
    if ":" in name:
        found = _VARIANT.fullmatch(name)
        if found is None or not _NOT_FOR_READERS.isdisjoint(_LOWER_WORD.findall(found[1])):
            return 0
        return RESPONSIVE | SHOWN_SOMEWHERE * (found[2] is None)
    if not _OF_LISTENERS.isdisjoint(words) and _FOR_LISTENERS.search(name):
        return HIDDEN | FOR_LISTENERS
    if name in _DEVICES:
        return SHOWN_SOMEWHERE
    if (_SCREENS.isdisjoint(words) and "@" not in name) or not _NOT_FOR_READERS.isdisjoint(words):
        return 0
    hides = not _HIDES.isdisjoint(words)
    shows = not _SHOWS.isdisjoint(words) and not hides
    return RESPONSIVE * (hides or shows) | SHOWN_SOMEWHERE * shows


@_Cached
def _traits_in_id(value: str) -> int:
    words = words_in(value)
    return _traits_of_words(words) if _ROLES_AND_PLACES.issuperset(words) or not _CONSENT.isdisjoint(words) else 0


@_Cached
def _traits_of_style(value: str) -> int:
    is_line = "float" not in value and _LINE_STYLE.search(value) is not None  # a first letter set large floats
    return HIDDEN * (HIDDEN_STYLE.search(value) is not None) | ON_ITS_OWN * is_line


_TRAITS: dict[str, _Cached] = {
    "class": _traits_of_class,
    "id": _Cached(_references_in),
    "role": _Cached(lambda value: _roles_in[value] | _references_in(value)),
    "epub:type": _Cached(_references_in),
    "style": _traits_of_style,
    "hidden": _Cached(lambda value: HIDDEN * (value.lower() != "until-found")),
    "aria-hidden": _Cached(lambda value: HIDDEN * (value == "true")),
    **dict.fromkeys(("itemprop", "itemtype", "data-component", "data-testid", "aria-label"), _roles_in),
}
"""Attribute -> what its value says about an element."""


def traits_of(tree: Tree) -> Integers:
    """Return for each node what the tag and the attributes of the element say, as a sum of the traits above."""
    traits = np.array([_TRAITS_OF_TAG.get(tag, 0) for tag in tree.names], dtype=np.int64)[tree.codes]
    for name in _TRAITS.keys() & tree.having_attribute.keys():
        numbers, values = tree.having_attribute[name]
        traits[numbers] |= np.fromiter(map(_TRAITS[name].__getitem__, values), dtype=np.int64, count=len(values))
    for number, value in tree.values_of("id"):
        if tree.tags[number] in _IDENTIFIED:
            traits[number] |= _traits_in_id[value[:_LONGEST_ID]]
    return traits


_PHRASES = (
    # English
    r"related|recommended|more (?:from|on|in|stories|articles|news|like|about|by)|read (?:more|next|also)",
    r"see also:|you (?:may|might|will|could) (?:also )?(?:like|enjoy|be interested)",
    r"(?:most|top) (?:read|popular|viewed|stories|shared)|popular (?:posts|articles|now)|trending",
    r"latest (?:news|posts|articles|stories|from)|recent (?:posts|articles|comments|news)",
    r"(?:\d+ |leave (?:a |your )?|post a |add (?:a |your )?|join the )?(?:comments?|repl(?:y|ies)|responses)",
    r"share (?:this|on|via|it)?|follow us|newsletter|subscribe|sign up|about the author|written by|tags?:",
    r"filed under|categories|advertisement|sponsored|previous (?:post|article)|next (?:post|article)",
    r"editor'?s'? picks?|customers? (?:also|who)|similar (?:items|products|posts|articles)|recently viewed",
    r"copyright|all rights reserved|©|privacy policy|terms of|log ?in|sign in|back to top",
    r"download (?:the|our) app|get (?:the|our) app|watch:|see more|don['’]t miss|also (?:on|read|see)|like this story",
    r"click here|this (?:article|story) (?:was )?(?:originally|first)",
    # German, French, Spanish, Portuguese, Italian, Dutch
    r"mehr (?:zum|aus|von)|verwandte|ähnliche|das könnte|weitere (?:artikel|themen|beiträge)|meistgelesen",
    r"lesen sie|kommentare|teilen|schlagw|über den autor|anzeige\b|abonnieren|à lire|lire (?:aussi|la suite)",
    r"sur le même|articles? (?:similaires|liés|associés)|les plus lus|commentaires|partager|abonnez|publicité",
    r"à propos de l|relacionad|más (?:leíd|noticias|en)|lee también|te puede|comentarios|compart|suscr",
    r"publicidad|sobre el autor|leia (?:mais|também)|mais lid|veja também|comentários|assine|publicidade",
    r"leggi anche|potrebbe interessarti|articoli correlati|i più letti|condividi|commenti|iscriviti|pubblicità",
    r"lees ook|gerelateerd|meest gelezen|reacties|delen",
    r"(?:nächste|vorherige|vorige)r? (?:artikel|beitrag)|article (?:suivant|précédent)|artículo (?:siguiente|anterior)",
    r"artigo (?:seguinte|anterior)|articolo (?:successivo|precedente)|volgende? artikel",
    # Russian, Polish, Turkish, Chinese, Japanese, Korean, Arabic, Hindi
    r"читайте также|похожие|ещё по теме|комментари|поделиться|подпи|реклама|czytaj (?:też|także|więcej)|podobne",
    r"najczęściej czytane|komentarze|udostępnij|reklama|ilgili|benzer|en çok okunan|yorum|paylaş|相关",
    r"推荐|推薦|相關|热门|熱門|评论|評論|分享|订阅|訂閱|上一篇|下一篇|关于作者|責任編輯|责任编辑|関連",
    r"おすすめ|人気|コメント|シェア|この記事を|관련|추천|인기|댓글|공유|구독|اقرأ|مواضيع|ذات صلة",
    r"تعليقات|شارك|اشترك|الأكثر|यह भी|संबंधित|टिप्पणि|शेयर",
)  # fmt: skip
_BOILERPLATE = re.compile(rf"\W*(?:{'|'.join(_PHRASES)})")


def opens_boilerplate(text: str) -> bool:
    """Return True if a text in lower case reads like the heading or label of a part that a site adds to an article."""
    return _BOILERPLATE.match(text) is not None


_HEADING_OF_REFERENCES = re.compile(
    r"[\W\d]*+(?:(?:\w+ )?references(?: and notes)?|(?:foot|end)?notes(?: and references)?|bibliography|works cited|"
    r"citations|literature(?: cited)?|sources|einzelnachweise|anmerkungen|fu(?:ß|ss)noten|literatur(?:verzeichnis)?|"
    r"quellen|r[ée]f[ée]rences|notes et r[ée]f[ée]rences|bibliographie|referencias|notas(?: y referencias)?|"
    r"bibliograf[íi]a|notas e refer[êe]ncias|refer[êe]ncias|riferimenti|bibliografia|note(?: bibliografiche)?|bronnen|"
    r"voetnoten|noten|referenties|przypisy|литература|примечания|источники|сноски|参考文献|参考资料|參考資料|参考|注释|註釋|脚注|注|出典|각주|"
    r"참고 ?문헌|المراجع|مراجع|الهوامش)(?:\s*\[[^\]]*\])?[\W\d]*",
    re.IGNORECASE,
)
_LONGEST_HEADING = 40  # characters


def names_references(heading: str) -> bool:
    """Return True if a text is the heading of references or notes."""
    return len(heading) <= _LONGEST_HEADING and _HEADING_OF_REFERENCES.fullmatch(heading) is not None


_ASKS = re.compile(
    r"\b(?:subscri\w+|newsletters?|sign(?:ed)? (?:up|in)|log(?:ged)? in|register|cookies?|consent|follow us|share this|"
    r"advertis\w+|sponsor\w*|free trial|members?hip|become a member|support (?:us|our)|donat\w+|read (?:more|also)|"
    r"click|tap here|download|app store|your (?:e-?mail|inbox|account)|privacy policy|terms of (?:use|service)|"
    r"abonn\w+|anmeld\w+|einlogg\w+|inscri\w+|suscri\w+|iscriv\w+|assin\w+|подпи\w+)\b|订阅|登录|登錄|購読|ログイン|구독",
    re.IGNORECASE,
)


def asks_for_something(text: str) -> bool:
    """Return True if a text asks its reader to subscribe, to sign in, to follow or to download something."""
    return _ASKS.search(text) is not None


def asks_for_consent(text: str, *, least: int = 2) -> bool:
    """Return True if a text has at least so many words of dialogs about consent, and hardly anything between them."""
    words = sum(map(text.lower().count, _OF_CONSENT))
    return words >= least and words * _CONSENT_DISTANCE >= len(text)


LONGEST_WITHOUT = 2500
"""Characters of a page without an article."""
_ERROR = re.compile(
    r"(?<![\w.,/-])4(?:04|10)(?![\w/]|[.,]\d)|not found|no longer (?:available|exists)|(?:doesn['’]t|does not) exist|"
    r"nicht gefunden|(?:page|seite|página|pagina) (?:was |wurde |is )?(?:not|nicht|no|non)\b|introuvable|"
    r"n['’]existe (?:pas|plus)|no encontrad|no existe|não encontrad|non trovat|niet gevonden|не найден|nie znalezion|"
    r"bulunamad|找不到|不存在|見つかりません|찾을 수 없|غير موجود",
    re.IGNORECASE,
)
_ROBOT = re.compile(
    r"are you (?:a |not a )?(?:robot|human)|verify(?:ing)? (?:that )?you are (?:a )?human|captcha|just a moment|"
    r"access denied|unusual traffic|checking your browser|enable javascript and cookies",
    re.IGNORECASE,
)
_OF_CONSENT = (
    "cookie|consent|your privacy|partners|personal data|personalised|personalized|legitimate interest|accept all|"
    "reject all|einwilligung|zustimm|datenschutz|akzeptieren|werbung|accepter|refuser|confidentialité|vie privée|"
    "aceptar|privacidad|consenso|accetta|toestemming|соглас|zgod|同意|隐私|クッキー|プライバシー"
).split("|")
"""Words of dialogs about consent, in lower case. Counting them one by one is ten times as fast as one expression."""
_SCRIPT = re.compile(
    r"(?:enable|activate|turn on|requires?|needs?|aktivieren sie|aktiviere|activez|activer|habilit\w{0,9}|activ[ae])\W+"
    r"(?:\w+\W+){0,3}java ?script|java ?script\W+(?:\w+\W+){0,3}(?:required|enabled?|disabled|deaktiviert|aktivieren|"
    r"désactivé|necesari[oa])",
    re.IGNORECASE,
)
_LONGEST_NOTE = 600  # characters of a page that says that it needs a script
_CONSENT_WORDS = 5
_CONSENT_DISTANCE = 120  # characters from one to the next


def no_article(title: str, text: str) -> str | None:
    """Return what a page is that has no document of its own: "consent page", "error page", "robot check",
    "page that needs a script"; or None.

    Args:
        title: the title of the page.
        text: the text of the complete page.
    """
    if len(text) > LONGEST_WITHOUT:
        return None
    heading = f"{title}\n{text[:200]}"
    if _ROBOT.search(heading):
        return "robot check"
    if asks_for_consent(text, least=_CONSENT_WORDS):
        return "consent page"
    if len(text) <= _LONGEST_NOTE and _SCRIPT.search(text):
        return "page that needs a script"
    return "error page" if _ERROR.search(heading) else None
