"""What the names in the markup of a page, and the words of its headings, say about its parts; and pages without one.

A page can stand in for a document: dialogs about consent, errors, checks for robots.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

import numpy as np

from simhash_doc_extraction.html.tree import Integers, Tree

ROLES: dict[str, str] = {
    "comment": "comment comments commentlist disqus respond discussion livefyre replies",
    "related": "related recommended recommendation recommendations recirc recirculation more trending popular latest "
    "recent readnext outbrain taboola suggested similar upsell crosssell mostread also",
    "share": "share sharing social sharedaddy addthis follow",
    "navigation": "nav navbar navigation menu submenu megamenu breadcrumb breadcrumbs pagination pager paging prevnext "
    "toc skip topbar toolbar tabs filter filters facet facets sort",
    "footer": "footer colophon copyright legal bottom imprint",
    "header": "header masthead banner logo top hero",
    "side": "sidebar side aside rail secondary widget widgets complementary",
    "advert": "ad ads advert advertisement advertising adsense sponsor sponsored promo promotion promoted cta",
    "consent": "cookie cookies consent gdpr onetrust modal popup dialog overlay lightbox tooltip notice alert",
    "signup": "newsletter subscribe subscription signup signin login register paywall form search donate",
    "author": "author byline bio avatar profile contributor",
    "meta": "meta metadata date time tag tags category categories label posted postmeta info published taxonomy",
    "content": "content article entry story post body text main prose markdown rte richtext copy articlebody "
    "postcontent entrycontent documentation docs section",
    "title": "title headline heading",
    "product": "product description details spec specs specification specifications price pdp sku review reviews "
    "rating",
    "list": "card cards item items list grid tile tiles teaser teasers results result feed row rows summary excerpt "
    "collection catalog archive",
    "forum": "message messages reply thread topic answer question forum cooked postbody bbwrapper poster",
    "caption": "caption captions credit credits image images img photo photos picture figure gallery media",
    "reference": "reference references bibliography footnote footnotes endnote endnotes citation citations reflist "
    "notes csl",
}
"""Role of a part of a page -> words in class, id and other attributes that name it."""

FIRST_ROLE = 13
(
    HIDDEN, REFERENCES, NAMED, NAMED_BY_ID, HEADING_ANCHOR, EDIT_LINK, HAS_ROLE, CONSENT_ID, SHOWN_SOMEWHERE,
    RESPONSIVE, FOR_LISTENERS, CONTRADICTED, ON_ITS_OWN,
) = (1 << bit for bit in range(FIRST_ROLE))  # fmt: skip
"""What markup says about an element: it may be hidden; it holds references or notes; its class, or its id, names
boilerplate; it is the permanent link of a heading, or the link with which readers edit a section; it has a role; its id
names a dialog about consent; its class shows it on some screens, or decides on which screens it is shown; it is only
for those who listen to the page; its content contradicts its name or its role; it is on a line of its own. A bit from
`FIRST_ROLE` on says that it names one of `ROLES`."""

_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
_IDENTIFIED = frozenset("div aside nav footer header ul ol form main article td".split())
_PLACES = frozenset(
    "page site main global left right mobile primary secondary user area box wrapper wrap container".split()
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


_BOILERPLATE_WORDS = (
    "ad ads adsense advert advertisement advertising breadcrumb breadcrumbs byline catlinks commentlist comments "
    "consent cookie cookies disqus editsection footer gdpr headerlink login masthead menu menubar metadata modal "
    "nav navbar navbox navigation newsletter noprint outbrain pager pagination paywall popup printfooter promo "
    "recommended related respond responses rss share sharing sidebar signin signup skip social sponsor sponsored "
    "subscribe subscription taboola tags toolbar upsell widget widgets".split()
)
"""Words in a class that name boilerplate."""

_BOILERPLATE_ID = re.compile(
    r"(?:site|page|main|global|top|bottom|left|right|mobile|primary|secondary|social|user|language)?[-_]?"
    r"(?:ads?|breadcrumbs?|catlinks|colophon|comments|disqus_thread|footer|masthead|menu|nav|navbar|navigation|newsletter|"
    r"pagination|related|share|side-?bar|toolbar|respond|reply)",
    re.IGNORECASE,
)
_CONSENT_ID = re.compile(
    r"(?:cookies?|consent|gdpr|onetrust|cookiebot|cybotcookiebot|didomi|usercentrics|qc-cmp|sp_message)"
    r"[-_]?(?:banner|bar|notice|popup|modal|dialog|consent|message|overlay|container|law-info-bar|sdk|host|root).*",
    re.IGNORECASE,
)
"""Ids that name boilerplate, matched completely: an id is often the slug of a heading, so one word in it proves
nothing."""

HIDING_NAMES = frozenset(
    "hidden tw-hidden d-none is-hidden uk-hidden visible-print visible-print-block visible-print-inline show-for-print "
    "element-invisible show-for-sr".split()
)
"""Names of style frameworks that hide an element, unless another name beside them shows it."""

_ROLE_OF = {word: 1 << bit for bit, words in enumerate(ROLES.values(), FIRST_ROLE) for word in words.split()}
_ALL_ROLES = -1 << FIRST_ROLE
_REFERENCE = 1 << FIRST_ROLE + list(ROLES).index("reference")
_ROLES_AND_PLACES = _PLACES | _ROLE_OF.keys()
_NAMES_BOILERPLATE = dict.fromkeys(_BOILERPLATE_WORDS, NAMED)
_TRAITS_OF_WORD = _NAMES_BOILERPLATE | {word: role | _NAMES_BOILERPLATE.get(word, 0) for word, role in _ROLE_OF.items()}
_TRAITS_OF_NAME = {
    **dict.fromkeys(HIDING_NAMES, HIDDEN),
    **dict.fromkeys(("headerlink", "anchor", "anchorjs-link", "permalink", "pilcrow"), HEADING_ANCHOR),
    **dict.fromkeys(("mw-editsection", "editsection"), EDIT_LINK),
    **dict.fromkeys("block d-block is-block flex d-flex grid d-grid".split(), ON_ITS_OWN),
}
"""Complete name in a class -> what it says."""

_REFERENCES = re.compile(r"\b(?:references?|bibliography|footnotes?|endnotes?|citations?|csl|reflist|notes)\b")
_HIDDEN_STYLE = re.compile(r"display\s*:\s*none|visibility\s*:\s*(?:hidden|collapse)", re.IGNORECASE)
_OF_ANOTHER = re.compile(
    r"(?:(?<![^\s_-])(?:with|without|has|no)|(?<=[_-])(?:by|template|category|tag))[_-]\S*", re.IGNORECASE
)
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
_WORD_OF_NAME = re.compile(r"[a-z]+|@(?=[smlx])")


def role_bits(roles: Iterable[str]) -> int:
    """Return the traits of some of `ROLES` as a sum."""
    return sum(1 << FIRST_ROLE + list(ROLES).index(role) for role in roles)


def words_in(value: str) -> list[str]:
    """Return the words of names such as `mainContent` and `site-nav`, in lower case."""
    words: list[str] = _WORD.findall(value)
    return words if value.islower() else [word.lower() for word in words]


def _traits_of_words(words: Iterable[str]) -> int:
    traits = 0
    for word in words:
        traits |= _TRAITS_OF_WORD.get(word, 0)
    return traits


@_Cached
def _roles_in(value: str) -> int:
    return _traits_of_words(words_in(value[:_LONGEST_VALUE])) & _ALL_ROLES


@_Cached
def _traits_of_class(value: str) -> int:
    words, names = words_in(value), value.split()
    traits = _traits_of_words(words)
    if traits and (own := _OF_ANOTHER.sub("", value)) != value:
        traits = _traits_of_words(words_in(own))
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
        if found is None or not _NOT_FOR_READERS.isdisjoint(_WORD_OF_NAME.findall(found[1])):
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
def _traits_of_id(value: str) -> int:
    consent = _CONSENT_ID.fullmatch(value) is not None
    boilerplate = consent or _BOILERPLATE_ID.fullmatch(value) is not None
    return _references_in(value) | NAMED_BY_ID * boilerplate | CONSENT_ID * consent


@_Cached
def _roles_in_id(value: str) -> int:
    words = words_in(value)
    return _traits_of_words(words) & _ALL_ROLES if _ROLES_AND_PLACES.issuperset(words) else 0


@_Cached
def _traits_of_style(value: str) -> int:
    is_line = "float" not in value and _LINE_STYLE.search(value) is not None  # a first letter set large floats
    return HIDDEN * (_HIDDEN_STYLE.search(value) is not None) | ON_ITS_OWN * is_line


_TRAITS: dict[str, _Cached] = {
    "class": _traits_of_class,
    "id": _traits_of_id,
    "role": _Cached(lambda value: HAS_ROLE | _roles_in[value] | _references_in(value)),
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
        found = [_TRAITS[name][value] for _, value in tree.values_of(name)]
        traits[tree.having_attribute[name]] |= np.array(found, dtype=np.int64)
    for number, value in tree.values_of("id"):
        if tree.tags[number] in _IDENTIFIED:
            traits[number] |= _roles_in_id[value[:_LONGEST_ID]]
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


_NETWORK = (
    r"(?:facebook|twitter|instagram|you ?tube|linked ?in|whats ?app|telegram|tik ?tok|bluesky|mastodon|pinterest)"
)
_ELSEWHERE = re.compile(
    r"\W*(?:(?:follow|(?:join|find|like) us|suivez|retrouvez|folgen sie uns|folgt? uns|s[ií]guenos|siga-nos|seguici) "
    rf".{{0,120}}\b{_NETWORK}\W*(?:@\w+\W*)?\Z|(?:write to|reach) .{{2,60}} (?:at|on) .{{0,40}}@\w|"
    r"(?:contact|e-?mail|reach) (?:(?:the|our) (?:author|reporter|editor|writer)s?|staff writer)\b|"
    r"(?:like|enjoy(?:ed)?|lov(?:e|ed)) this (?:story|article|post)\?|this slideshow requires javascript)",
    re.IGNORECASE,
)


def invites_elsewhere(text: str) -> bool:
    """Return True if a line asks its reader to follow somebody in a network, or to write to the author."""
    return _ELSEWHERE.match(text) is not None


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
    if len(text) > _LONGEST:
        return None
    heading = f"{title}\n{text[:200]}"
    if _ROBOT.search(heading):
        return "robot check"
    words = len(_CONSENT.findall(text))
    if words >= _CONSENT_WORDS and words * _CONSENT_DISTANCE >= len(text):
        return "consent page"
    if len(text) <= _LONGEST_NOTE and _SCRIPT.search(text):
        return "page that needs a script"
    return "error page" if _ERROR.search(heading) else None
