"""Page designs: what different sites put around one article."""

from __future__ import annotations

from collections.abc import Callable


def bare(title: str, article: str) -> str:
    """The article and nothing else."""
    return f"<!doctype html><title>{title}</title><h1>{title}</h1>{article}"


def semantic(title: str, article: str) -> str:
    """A journal's page in HTML5 with landmarks."""
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} - Coast Quarterly</title>
<style>body {{ font: 16px serif }}</style><script>window.dataLayer = ["article", "coast"];</script></head><body>
<a class="skip-link" href="#main">Skip to content</a>
<header><a href="/"><img src="logo.svg" alt="Coast Quarterly"></a>
<nav aria-label="Main"><ul><li><a href="/news">News</a></li><li><a href="/essays">Essays</a></li>
<li><a href="/maps">Maps and charts</a></li><li><a href="/shop">Shop</a></li><li><a href="/about">About us</a></li></ul></nav>
<form role="search"><label>Search this site</label><input name="q"><button>Search</button></form></header>
<main id="main"><nav class="breadcrumb"><a href="/">Home</a> &rsaquo; <a href="/essays">Essays</a></nav>
<article><header><h1>{title}</h1></header>{article}</article></main>
<aside><h2>Most read this week</h2><ol><li><a href="/1">Seven harbours you have never seen</a></li>
<li><a href="/2">The last ferry of the season</a></li><li><a href="/3">How tides are predicted</a></li></ol>
<h2>Our newsletter</h2><p>Every Friday the best stories of the coast, free of charge, in your letter box.</p></aside>
<footer><p>&copy; 2024 Coast Quarterly. All rights reserved. Reproduction needs our written permission.</p>
<ul><li><a href="/privacy">Privacy</a></li><li><a href="/imprint">Imprint</a></li><li><a href="/jobs">Work with us</a></li></ul>
</footer></body></html>"""


def soup(title: str, article: str) -> str:
    """A page built by a component library: divisions with generated class names, no landmarks."""
    return f"""<!doctype html><html><head><meta charset="utf-8"><title>{title}</title></head><body class="css-0">
<div id="root"><div class="css-1x8a"><div class="css-9k2"><div class="css-q1"><a href="/">Harbour Herald</a></div>
<div class="css-q2"><a href="/local">Local</a><a href="/sport">Sport</a><a href="/opinion">Opinion</a>
<a href="/weather">Weather</a><a href="/subscribe">Subscribe for one pound</a></div></div></div>
<div class="css-77b"><div class="css-7c1"><h1 class="css-h">{title}</h1><div class="css-body">{article}</div></div>
<div class="css-7c2"><div class="css-w"><h3>You may also like</h3>
<div class="css-card"><a href="/a">Council delays the new bridge again</a><p>Traders fear another summer of diversions.</p></div>
<div class="css-card"><a href="/b">Swimmers return to the north beach</a><p>The water has been declared clean.</p></div>
<div class="css-card"><a href="/c">What to do this weekend</a><p>Concerts, markets and a race of bathtubs.</p></div></div></div></div>
<div class="css-ft"><div>Harbour Herald is published by Northern Press Limited, registered in the county.</div>
<div><a href="/terms">Terms</a> <a href="/privacy">Privacy policy</a> <a href="/cookies">Cookie settings</a></div></div></div>
<div class="css-ck"><div><p>We and our ninety partners store information on your device to show advertisements that suit
you and to measure how they perform. You can change your mind at any time in the settings.</p></div>
<div><button>Accept all</button><button>Reject all</button><button>Manage options</button></div></div>
</body></html>"""


def tables(title: str, article: str) -> str:
    """A page of the nineteen nineties, laid out with tables."""
    return f"""<HTML><HEAD><TITLE>{title}</TITLE></HEAD><BODY BGCOLOR="#FFFFFF">
<TABLE WIDTH="100%" BORDER=0><TR><TD COLSPAN=2><IMG SRC="banner.gif"> <FONT SIZE=2><A HREF="index.html">Home</A> |
<A HREF="links.html">Links</A> | <A HREF="guest.html">Guest book</A> | <A HREF="mail.html">Write to me</A></FONT></TD></TR>
<TR><TD WIDTH=120 VALIGN=TOP><A HREF="p1.html">Page one</A><BR><A HREF="p2.html">Page two</A><BR>
<A HREF="p3.html">Pictures</A><BR><A HREF="p4.html">My cat</A><BR><A HREF="p5.html">Web ring</A></TD>
<TD VALIGN=TOP><H1>{title}</H1>{article}</TD></TR>
<TR><TD COLSPAN=2 ALIGN=CENTER><FONT SIZE=1>Best viewed with any browser. Last changed on a Tuesday.</FONT></TD></TR>
</TABLE></BODY></HTML>"""


def blog(title: str, article: str) -> str:
    """A blog with widgets, a box to share, a box about the author, and comments."""
    return f"""<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} | Salt and Rope</title></head>
<body class="single single-post with-sidebar"><div id="page" class="site">
<div id="masthead" class="site-header"><p class="site-title"><a href="/">Salt and Rope</a></p>
<div class="main-navigation"><ul class="menu"><li><a href="/">Home</a></li><li><a href="/boats">Boats</a></li>
<li><a href="/knots">Knots</a></li><li><a href="/contact">Contact</a></li></ul></div></div>
<div id="content" class="site-content"><div id="primary"><div id="post-112" class="post hentry">
<h1 class="entry-title">{title}</h1>
<div class="entry-content">{article}</div>
<div class="sharedaddy sd-sharing"><h3>Share this:</h3><ul><li><a href="#f">Facebook</a></li><li><a href="#m">Mastodon</a></li>
<li><a href="#e">Email</a></li></ul></div>
<div class="entry-footer">Filed under <a href="/c/coast">coast</a>, <a href="/c/history">history</a>.</div></div>
<div id="comments" class="comments-area"><h2>Four thoughts on this post</h2><ol class="comment-list">
<li><b>Rosa</b> says: I grew up within sight of it and never heard half of this. Thank you for writing it down!</li>
<li><b>Old Pete</b> says: You forgot the dog. My uncle swore there was a dog, and that it barked the whole night.</li>
<li><b>Ines</b> says: Could you tell us which library keeps the drawings? I should like to see them next summer.</li>
<li><b>Admin</b> says: The county archive has them, Ines; ask for the green boxes at the desk upstairs.</li></ol>
<form><h3>Leave a reply</h3><p>Your address will not be published.</p><textarea></textarea><input name="mail"><button>Post</button></form></div>
</div><div id="secondary" class="widget-area"><div class="widget"><h2>About</h2><p>I repair wooden boats and write about
the people who sail them. I live on the west coast with two children and far too much rope.</p></div>
<div class="widget"><h2>Archives</h2><ul><li><a href="/2023/05">May 2023</a></li><li><a href="/2023/04">April 2023</a></li>
<li><a href="/2023/03">March 2023</a></li></ul></div></div></div>
<div id="colophon" class="site-footer">Proudly powered by a wheel and a wind mill. Theme: Driftwood.</div></div>
<div id="cookie-law-info-bar">This site uses cookies to remember who you are. <a href="#ok">Fine by me</a></div>
</body></html>"""


def documentation(title: str, article: str) -> str:
    """A documentation site: a tree of pages, a table of contents, links to the source."""
    tree = "".join(f'<li><a href="/p{n}">{name}</a></li>' for n, name in enumerate(
        ("Overview", "Installation", "First steps", "Configuration", "Sensors", "Radios", "Troubleshooting", "Glossary",
         "Command reference", "Release notes", "Contributing", "Licence")))  # fmt: skip
    return f"""<!doctype html><html><head><meta charset="utf-8"><title>{title} - Manual 4.2</title></head><body>
<div class="topbar"><a href="/">Manual</a> <select><option>Version 4.2</option><option>Version 4.1</option></select>
<input placeholder="Search the manual"></div>
<div class="layout"><div class="sidebar"><ul>{tree}</ul></div>
<div class="content"><div role="navigation"><a href="/">Docs</a> &raquo; <a href="/guide">Guide</a></div>
<h1>{title}<a class="headerlink" href="#top" title="Permalink">&para;</a></h1>{article}
<div class="edit-page"><a href="/edit">Edit this page</a> <a href="/issue">Report a mistake</a></div>
<div class="prev-next"><a href="/prev">Previous: First steps</a> <a href="/next">Next: Sensors</a></div></div>
<div class="toc-column"><ul><li><a href="#a">On this page</a></li><li><a href="#b">Terms</a></li><li><a href="#c">Messages</a></li>
<li><a href="#d">More</a></li></ul></div></div>
<div class="footer">Built with a generator. Copyright the authors of the manual.</div></body></html>"""


def wiki(title: str, article: str) -> str:
    """A page of a wiki."""
    return f"""<!doctype html><html><head><meta charset="utf-8"><title>{title} - Openwiki</title></head>
<body class="skin-vector mediawiki"><div id="mw-page-base"></div>
<div id="content" class="mw-body" role="main"><h1 id="firstHeading">{title}</h1>
<div id="siteSub" class="noprint">From Openwiki, the encyclopedia that everybody writes</div>
<div id="mw-content-text"><div class="mw-parser-output">{article}</div></div>
<div id="catlinks" class="catlinks"><a href="/c">Categories</a>: <ul><li><a href="/c1">Things by the sea</a></li>
<li><a href="/c2">Articles with figures</a></li></ul></div></div>
<div id="mw-navigation"><h2>Navigation menu</h2><div id="p-personal"><ul><li><a href="/login">Log in</a></li>
<li><a href="/join">Create account</a></li></ul></div><div id="mw-panel"><ul><li><a href="/main">Main page</a></li>
<li><a href="/random">Random article</a></li><li><a href="/help">Help</a></li><li><a href="/upload">Upload file</a></li></ul></div></div>
<div id="footer" role="contentinfo"><ul><li>This page was last edited on a quiet afternoon.</li>
<li>Text is available under a free licence; additional terms may apply.</li></ul></div></body></html>"""


def portal(title: str, article: str) -> str:
    """A large portal: advertisements inside the article, related boxes, a form, a consent dialog on top."""
    half = article.find("<p>", len(article) // 2)
    first, second = article[:half], article[half:]
    return f"""<!doctype html><html><head><meta charset="utf-8"><title>{title} - Portal</title></head><body>
<div id="onetrust-consent-sdk"><div role="dialog"><h2>Your privacy matters to us</h2><p>With your consent we and our
partners use cookies and similar technologies to store and read personal data such as your visit to this site. You may
withdraw your consent or object at any time by clicking the link at the bottom of the page.</p><button>Agree</button></div></div>
<div class="header-wrapper"><div class="logo"><a href="/">Portal</a></div><ul class="nav-list"><li><a href="/w">World</a></li>
<li><a href="/m">Money</a></li><li><a href="/s">Science</a></li><li><a href="/t">Travel</a></li><li><a href="/f">Food</a></li></ul></div>
<div class="page-grid"><div class="story"><h1>{title}</h1><div class="share-bar"><a href="#1">Share</a> <a href="#2">Save</a></div>
{first}<div class="advert"><p>Advertisement. Holidays on the islands from ninety nine pounds, book before Sunday!</p></div>
<div class="inline-signup"><p>Get our daily briefing in your inbox each morning.</p><input type="email"><button>Sign up</button></div>
{second}<div class="related-stories"><h3>Related stories</h3><ul><li><a href="/r1">The sea that ate a road</a></li>
<li><a href="/r2">Who owns the beach?</a></li><li><a href="/r3">Life on a rock</a></li></ul></div></div>
<div class="rail"><div class="promo"><h3>Editors' picks</h3><p><a href="/e1">A year without rain in the wettest town</a></p>
<p><a href="/e2">The woman who maps caves</a></p></div></div></div>
<div class="mega-footer"><ul><li><a href="/help">Help</a></li><li><a href="/careers">Careers</a></li><li><a href="/ads">Advertise
with us</a></li><li><a href="/site">Site map</a></li></ul><p>Portal is part of the Wide Media group of companies.</p></div></body></html>"""


DESIGNS: dict[str, Callable[[str, str], str]] = {
    "bare": bare,
    "semantic": semantic,
    "soup": soup,
    "tables": tables,
    "blog": blog,
    "documentation": documentation,
    "wiki": wiki,
    "portal": portal,
}
