"""Markdown and AsciiDoc with a word at every place where the text is shown, and at every place where it is not.

The places of Markdown are those of CommonMark 0.31, GitHub Flavored Markdown and the plugins that are used; those of
AsciiDoc are the blocks and macros of its language documentation.
"""

from __future__ import annotations

from collections.abc import Callable

Build = Callable[[str], bytes]

_MARKDOWN_SHOWN = {
    "paragraph": "W", "heading": "# W", "underlined heading": "W\n===", "emphasis": "*W*", "strong": "__W__",
    "code": "`W`", "indented code": "    W", "fenced code": "```\nW\n```", "unclosed fence": "~~~\nW",
    "comment in code": "```html\n<!-- W -->\n```", "link": "[W](http://a)", "reference": "[W][a]\n\n[a]: http://a",
    "address": "<http://W>", "item": "- W", "numbered item": "1. W", "task": "- [x] W", "quotation": "> W",
    "cell": "|W|b|\n|-|-|\n|c|d|", "body cell": "|a|b|\n|-|-|\n|W|d|", "deleted in GitHub": "a ~~b~~ W",
    "note": "a[^1]\n\n[^1]: W", "note without a mark": "[^1]: W", "inline note": "a^[W]", "note in a list": "- a[^1]\n\n  [^1]: W",
    "term": "W\n: b", "definition": "a\n: W", "HTML block": "<p>W</p>", "HTML inline": "a <b>W</b>", "entity": "a&amp;b W",
    "tenth list": "".join(f"{'  ' * n}- {n}\n" for n in range(12)) + "  " * 12 + "- W",
    "hundredth list": "".join(f"{'  ' * n}- {n}\n" for n in range(100)) + "  " * 100 + "- W",
    "twentieth quotation": "> " * 22 + "W", "three hundredth quotation": "> " * 300 + "W", "nested item": "- " * 200 + "W",
    "between rules": "---\n\nW\n\n---", "sentence between rules": "---\nThe text W of a page\n---",
    "note between rules": "---\nNote: W leaves at six\n---", "capital title": "---\nTitle: W\na: b\n---",
    "list between rules": "---\n- W\n\n---", "text after metadata": "---\nname: page\n---\nW", "title": "---\ntitle: W\n---",
    "quoted title": "---\na: b\ntitle: 'W'\n---", "folded title": "---\ntitle: >\n  W\n---", "TOML title": '+++\ntitle = "W"\n+++',
    "unclosed metadata": "---\na: b\n\nW", "details": "<details>\n<summary>a</summary>\n\nW\n\n</details>",
    "after a long number": f"a &#{'9' * 5000}; &#{'0' * 5000}65; W", "long number": "9" * 5000 + " W",
    "after an instruction": "<?php\n\nW", "in a line with an instruction": "a <? W", "after a declaration": "<!DOCTYPE a\n\nW",
    "after CDATA": "<![CDATA[\n\nW", "after a quotation mark in a tag": '<p align="center>\n\nW', "carriage returns": "a\r\rW",
    "fallback of a video": "<video src=a>\n\nW\n\n</video>", "after a template": "<div><template></div>\n\nW",
}  # fmt: skip
HIDING = ("script", "style", "textarea", "title", "xmp", "iframe", "noembed", "noframes", "plaintext", "template", "select",
          "svg", "rt", "command", "object", "video", "audio", "canvas", "noscript", "datalist", "map", "head", "pre", "math", "button")  # fmt: skip
for _tag in HIDING:
    _MARKDOWN_SHOWN |= {
        f"after <{_tag}> in a line": f"Write <{_tag}> before W",
        f"below <{_tag}> in a line": f"Write <{_tag}> first\n\nW",
        f"below <{_tag}> at the start": f"<{_tag}>\n\nW",
        f"below <{_tag.upper()}> in a block": f"<div>\n<{_tag.upper()} a='b'>\n</div>\n\nW",
        f"below </{_tag}>": f"a </{_tag}> b\n\nW",
        f"in a list with <{_tag}>": f"- <{_tag}>\n- W",
    }
_MARKDOWN_SHOWN |= {
    "after <!-- in a line": "Write <!-- before W", "below <!-- at the start": "<!-- a\n\nW",
    "below <!-- in a block": "<div>\n<!-- a\n</div>\n\nW", "in a list with <!--": "- <!-- a\n- W\n\n<!-- b -->",
}  # fmt: skip
_MARKDOWN_HIDDEN = {
    "comment": "<!-- W -->", "long comment": "<!--\n\nW\n\n-->", "script": "<script>\nW\n\nW\n</script>", "style": "<style>W</style>",
    "script in a line": "a <script>W</script>", "hidden": "<div hidden>W</div>", "title of a link": '[a](http://b "W")',
    "address of a link": "[a](http://W)", "definition of a link": "[W]: http://a", "alternative text": "![W](a.png)",
    "metadata": "---\nauthor: W\n---", "list in metadata": "---\ntags:\n- W\n---", "block in metadata": "---\na: |\n  W\n---",
    "TOML metadata": '+++\nauthor = "W"\n[a]\n+++', "language of code": "```W\na\n```", "commented metadata": "---\n# W\na: b\n---",
    "attribute": '<p title="W">a</p>', "metadata that ends with dots": "---\na: W\n...",
    "script with signs": "<script>if (a<b && \"W) { '</b' }</script>", "template": "<template>W</template>",
}  # fmt: skip

_ASCIIDOC_SHOWN = {
    "paragraph": "W", "title": "= W", "section": "== W", "underlined title": "W" + "\n" + "-" * 10, "block title": ".W\n----\na\n----",
    "item": "* W", "dotted item": ".. W", "numbered": "1. W", "term": "W:: a", "definition": "a:: W", "callout": "----\na <1>\n----\n<1> W",
    "listing": "----\nW\n----", "literal": "....\nW\n....", "fence": "```ruby\nW\n```", "literal paragraph": "\n  W", "example": "====\nW\n====",
    "sidebar": "****\nW\n****", "quotation": "[quote, a]\n____\nW\n____", "who is quoted": "[quote, W]\n____\na\n____",
    "source of a quotation": '[quote, a, "W"]\n____\na\n____', "verse": "[verse]\nW", "open block": "--\nW\n--", "source paragraph": "[source,c]\nW",
    "passthrough": "++++\n<p>W</p>\n++++", "formula": "[stem]\n++++\nW\n++++", "inline passthrough": "+++<u>W</u>+++", "pass": "pass:[W]",
    "passed mark-up": "pass:q,a[<u>W</u>]", "plus": "a +W+ b", "pluses": "a++W++b W".replace("++W++", "++x++"), "dollars": "$$W$$",
    "stem": "stem:[W]", "latexmath": "latexmath:[W]", "cell": "|===\n|W |b\n|===", "cell with a style": "|===\n2+^.>s|W\na|b\n|===",
    "bracketed cell": "|===\n|a\n[W]\n|===", "comma table": ",===\na,W\n,===", "repeated cell": "|===\n3*|W\n|===",
    "listing in a cell": "|===\na|\n----\n// W\n----\n|===", "nested table": "|===\na|\n!===\n!W\n!===\n|===",
    "menu": "menu:W[Save]", "menu item": "menu:File[Save > W]", "menu alone": "menu:W[]", "menu with spaces": "menu:Tools & W[Save]",
    "key": "kbd:[W]", "button": "btn:[W]", "reference": "xref:a[W]", "reference with options": "xref:a[W,role=b]", "link": "link:a[W^]",
    "link with options": 'link:a["W",window=_blank]', "address": "https://a.b[W]", "mail": "mailto:a@b[W]", "short reference": "<<a,W>>",
    "note": "a.footnote:[W] b", "named note": "a.footnote:b[W] b", "old note": "a.footnoteref:[b,W] b", "long note": "a.footnote:[b\nW] c",
    "note with a link": "a.footnote:[See https://a.b[W].] b", "visible term": "((W))", "visible term macro": "indexterm2:[W]",
    "caption of a picture": "image::a.png[b,title=W]", "quoted caption": 'image::a.png[b,title="W"]', "title attribute": "[title=W]\n----\na\n----",
    "attribute": ":a: W\n\n{a}", "attribute in an attribute": ":a: W\n:b: {a}\n\n{b}", "long attribute": ":a: b \\\n  W\n\n{a}",
    "under a condition": "ifdef::a[]\nW\nendif::[]", "in a condition": "ifdef::a[W]", "condition in a listing": "----\nifdef::a[]\nW\nendif::[]\n----",
    "comment in a listing": "----\n// W\n----", "attributes in a listing": "----\n[W]\n----", "attribute in a listing": "----\n:W: b\n----",
    "macro in a listing": "----\nimage:a[W]\n----", "reference in a listing": "----\n((( W )))\n----", "delimiter in a listing": "-----\n----\n// W\n-----",
    "plus in a listing": "----\na\n+\n// W\n----", "comment delimiter in a listing": "----\n////\nW\n----", "title in a listing": "----\n.W\n----",
    "comment in a literal": "....\n// W\n....", "table in a listing": "----\n|===\n// W\n----", "listing of a list": "* a\n+\n----\n// W\n----",
    "after an unclosed comment": "////\n\nW", "after an unclosed listing": "----\na\n\nW", "after an unclosed script": "++++\n<script>\n\nW",
    "three slashes": "/// W", "attribute in a paragraph": "a\n:b: W", "anchor": "[[a]]W", "role": "[.a]#W#", "bibliography": "[[[a]]] W",
    "custom macro": "linkgit:W[1]", "custom block macro": "chart::a[W]", "after a long number": f"&#{'9' * 5000}; &#{'0' * 5000}65; W",
    "definition after a comment": "// a\nW", "in brackets": "a [W] b", "after a tag": "<script> W", "quoted": '"`W`"', "raised": "a^W^ W".replace("a^W^ ", "b "),
    "name before two colons": "W::vector[0]",
}  # fmt: skip
_ASCIIDOC_HIDDEN = {
    "comment": "// W", "comment in a paragraph": "a\n// W\nb", "comment block": "////\nW\n\nW\n////", "comment style": "[comment]\nW",
    "open comment": "[comment]\n--\nW\n\nW\n--", "styled comment": "[comment]\n----\nW\n----", "hidden term": "a (((W))) b",
    "hidden terms": "a (((b, W, c))) d", "term macro": "a indexterm:[W,b] c", "long term": "a (((b,\nW))) c", "attribute": ":author: W",
    "unused attribute": ":W: a", "long attribute": ":a: b \\\n  W", "picture": "image::a.png[W]", "inline picture": "a image:a.png[W] b",
    "icon": "a icon:W[] b", "attributes": "[W]\na", "anchor": "[[W]]\na", "inline anchor": "a [[W]]b", "anchor macro": "a anchor:W[] b", "role": "[.W]#a#",
    "target": "link:W[a]", "named target": "xref:W[a]", "key of a reference": "<<W,a>>", "options": "link:a[b,role=W]", "table options": '[cols="W"]\n|===\n|a\n|===',
    "language": "[source,W]\n----\na\n----", "script": "++++\n<script>W</script>\n++++", "passed attribute": "+++<u a='W'>b</u>+++",
    "condition": "ifdef::W[]\na\nendif::W[]", "counter": "a {counter:W} b", "comment in a table": "|===\n|a\n// W\n|b\n|===", "metadata": "---\nauthor: W\n---",
}  # fmt: skip
_ASCIIDOC_COUNTED = {
    "include": ("include::W[]", "included files not read: 1 (first: '"), "include in a listing": ("----\ninclude::W[tag=a]\n----", "included files not read: 1"),
    "include in a table": ("|===\ninclude::W[]\n|===", "included files not read: 1"), "include in a list": ("* a\ninclude::W[]", "included files not read: 1"),
}  # fmt: skip


def _builder(text: str) -> Build:
    return lambda word: f"page\n\n{text.replace('W', word)}\n\nother\n".encode()


def _first(text: str) -> Build:
    """Return a builder of a document that begins with the place, as metadata do."""
    return lambda word: f"{text.replace('W', word)}\n\npage\n".encode()


def _builders(places: dict[str, str]) -> dict[str, Build]:
    return {
        place: (_first if text.startswith(("---\n", "+++\n")) else _builder)(text) for place, text in places.items()
    }


MARKDOWN = (_builders(_MARKDOWN_SHOWN), _builders(_MARKDOWN_HIDDEN))
ASCIIDOC = (_builders(_ASCIIDOC_SHOWN), _builders(_ASCIIDOC_HIDDEN))
COUNTED = {place: (_builder(text), warning) for place, (text, warning) in _ASCIIDOC_COUNTED.items()}
