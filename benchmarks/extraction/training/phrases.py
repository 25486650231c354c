"""Names and phrases of the parts that sites put around articles, from which training pages are composed."""

from __future__ import annotations

NAMES: dict[str, tuple[str, ...]] = {
    "share": ("share", "share-bar", "post-share", "social-links", "sharing-buttons", "sharedaddy"),
    "related": ("related", "related-posts", "recommended", "more-stories", "trending", "popular-posts", "latest-news"),
    "advert": ("ad", "ads", "advert", "advertisement", "sponsored", "promo", "ad-slot"),
    "signup": ("newsletter", "newsletter-box", "subscribe", "signup", "inline-signup", "email-capture"),
    "consent": ("cookie-banner", "consent", "cookie-notice", "gdpr", "cmp-modal", "privacy-popup"),
    "comments": ("comments", "comment-list", "comments-area", "responses", "disqus", "reader-comments"),
    "author": ("author", "author-box", "about-author", "byline", "bio", "author-card"),
    "nav": ("nav", "main-menu", "navigation", "navbar", "site-menu", "breadcrumbs"),
    "header": ("header", "masthead", "site-header", "topbar"),
    "footer": ("footer", "site-footer", "colophon", "mega-footer"),
    "side": ("sidebar", "side", "rail", "widget", "widget-area", "aside"),
    "meta": ("post-meta", "meta", "entry-meta", "tags", "categories", "entry-footer"),
    "edit": ("edit-page", "prev-next", "pager", "post-navigation", "page-tools"),
    "next": ("up-next", "read-next", "next-story", "continue-with", "following"),
    "main": ("content", "main", "story", "post", "entry", "article", "page-content", "body-copy"),
    "body": ("entry-content", "article-body", "post-content", "text", "story-body", "markdown"),
}
HEADINGS: dict[str, tuple[str, ...]] = {
    "share": ("Share this", "Share", "Teilen", "Partager", "Compartir", "Condividi", "Поделиться", "分享", "シェア"),
    "related": (
        "Related stories", "You may also like", "More from this site", "Most read", "Latest news", "Recommended",
        "Mehr zum Thema", "Lire aussi", "Te puede interesar", "Leggi anche", "Читайте также", "相关文章", "関連記事",
    ),
    "comments": (
        "Comments", "3 comments", "Leave a reply", "What readers say", "12 responses", "Kommentare", "Commentaires",
        "Comentarios", "Комментарии", "评论",
    ),
    "signup": (
        "Newsletter", "Get our best stories in your inbox", "Subscribe", "Join our mailing list", "Unser Newsletter",
        "Inscrivez-vous", "Suscríbete", "Подписаться", "订阅",
    ),
    "author": (
        "About the author", "Written by", "Über den Autor", "À propos de l’auteur", "关于作者", "Sobre el autor",
    ),
    "advert": ("Advertisement", "Sponsored", "Anzeige", "Publicité", "Publicidad", "Реклама", "广告"),
    "next": (
        "Up next", "Read next", "Next story", "Als Nächstes", "À lire ensuite", "A continuación", "下一篇", "Далее",
    ),
}  # fmt: skip
SUBJECTS = (
    "Related methods", "Comments and strings", "Share of the market", "Subscribe and publish", "Categories of knots",
    "Copyright and patents", "Replies from the ministry", "Kommentare im Quelltext", "Commentaires du texte",
    "Recent articles of the treaty", "Newsletters of the guild", "Compartir los gastos", "相关的方法",
    "Реклама в печати",
)  # fmt: skip
"""Headings of documents that begin like headings of boilerplate."""
NETWORKS = ("Facebook", "Twitter", "Email", "WhatsApp", "LinkedIn", "Reddit", "Copy link", "Print", "Telegram")
SECTIONS = (
    "Home", "News", "Sport", "Business", "Culture", "Opinion", "Travel", "About", "Contact", "Shop", "Politik",
    "Wirtschaft", "Accueil", "Inicio", "Deportes", "首页", "新闻", "Главная",
)  # fmt: skip
LEGAL = ("Privacy", "Terms", "Imprint", "Jobs", "Cookies", "Help", "Contact")
RIGHTS = ("All rights reserved.", "Reproduction needs permission.", "Powered by a wheel.", "")
CONSENT = (
    "We use cookies and similar technologies to store information on your device. ",
    "Wir verwenden Cookies. ",
    "Nous utilisons des cookies. ",
    "This site uses cookies. ",
)
