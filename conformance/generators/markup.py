"""Section 3: text that a program may take for markup, and strip. All of it is text."""

from __future__ import annotations

from collections.abc import Iterator

from generators.case_builder import Draft, table

COMMENTS = {
    "html": "one <!-- two --> three", "c": "one /* two */ three", "line": "one\n// two\nthree",
    "line-end": "one // two\nthree",
    "hash": "one\n# two\nthree", "hash-end": "one # two\nthree", "sql": "one\n-- two\nthree",
    "semicolon": "one\n; two\nthree", "percent": "one\n% two\nthree",
    "percent-end": "one % two\nthree", "quote": "one\n' two\nthree", "rem": "one\nREM two\nthree",
    "bang": "one\n! two\nthree", "pascal": "one { two } three",
    "pascal-star": "one (* two *) three", "haskell": "one {- two -} three", "lua": "one --[[ two ]] three",
    "python": 'one """ two """ three',
    "asciidoc": "one\n////\ntwo\n////\nthree", "rst": "one\n\n.. two\n\nthree", "jinja": "one {# two #} three",
    "erb": "one <%# two %> three",
    "handlebars": "one {{! two }} three", "ruby": "one\n=begin\ntwo\n=end\nthree",
    "pod": "one\n\n=pod\n\ntwo\n\n=cut\n\nthree", "perl-end": "one\n__END__\ntwo",
    "troff": 'one\n.\\" two\nthree', "matlab": "one\n%{\ntwo\n%}\nthree", "batch": "one\n:: two\nthree",
    "org": "one\n#+BEGIN_COMMENT\ntwo\n#+END_COMMENT\nthree",
    "markdown": "one\n\n[//]: # (two)\n\nthree", "wiki": "one <nowiki>two</nowiki> three",
}  # fmt: skip
BLOCKS = {
    "front-yaml": "---\ntitle: one\n---\ntwo", "front-toml": '+++\ntitle = "one"\n+++\ntwo',
    "front-json": '{\n "title": "one"\n}\n\ntwo',
    "quote": "one\n> two\nthree", "quote-nested": "one\n>> two\n> three",
    "quote-mail": "On Monday, Ann wrote:\n> one\ntwo", "signature": "one\n-- \ntwo",
    "from": "one\n>From two\nthree", "heading": "# one\ntwo", "heading-closed": "## one ##\ntwo",
    "setext": "one\n===\ntwo\n---\nthree", "rule": "one\n***\ntwo",
    "fence": "one\n```\ntwo\n```\nthree", "fence-language": "one\n```python\ntwo\n```\nthree",
    "fence-tilde": "one\n~~~\ntwo\n~~~\nthree", "indented": "one\n\n    two\n\nthree",
    "list": "- one\n* two\n+ three", "numbered": "1. one\n2) two\na. three\niv. four", "task": "- [x] one\n- [ ] two",
    "table": "| one | two |\n|---|:--|\n| three | four |",
    "definition": "one\n: two", "footnote": "one[^a] two\n\n[^a]: three",
    "reference": "one [two][three]\n\n[three]: four", "directive": ".. note:: one\n   two",
    "field": ":author: one\ntwo", "wiki-heading": "== one ==\ntwo", "wiki-table": "{|\n|-\n| one || two\n|}",
    "asciidoc-attribute": ":toc: one\ntwo",
    "textile": "h1. one\nbq. two\np(three). four", "org-heading": "* TODO one :two:\nthree",
    "org-block": "#+TITLE: one\ntwo", "man": ".TH one 1\n.B two\nthree",
    "subtitles": "1\n00:00:01,000 --> 00:00:02,000\none", "vtt": "WEBVTT\n\nNOTE one\n\ntwo",
    "lyrics": "[00:12.00]one\n[ar:two]", "log": "2024-01-31 12:00:00 INFO one",
    "script": "one <script>two</script> three", "style": "one <style>two</style> three",
    "title": "one <title>two</title> three", "pre": "one <pre>two</pre> three",
    "cdata": "one <![CDATA[two]]> three", "instruction": "one <?two three?> four", "doctype": "<!DOCTYPE one>two",
    "conditional": "one <!--[if two]>three<![endif]--> four",
    "page": "one\n\f\n- 2 -\ntwo", "here": "one <<EOF\ntwo\nEOF\nthree", "csv": 'one,"two ""three""",four',
    "properties": "[one]\ntwo=three", "diff": "@@ -1,2 +1,2 @@\n-one\n+two",
}  # fmt: skip
INLINE = {
    "bold": "a**b**c one **two**", "bold-underscore": "a__b__c __one__", "italic": "a*b*c one *two*",
    "italic-underscore": "a_b_c _one_", "strike": "a~~b~~c",
    "code": "a`b`c one `two`", "code-double": "a``b``c", "link": "[one](two) a[b](c)d", "image": "![one](two)",
    "link-title": '[one](two "three")', "autolink": "<one@two>",
    "wiki": "[[one|two]] a[[b]]c", "wiki-bold": "a'''b'''c a''b''c", "template": "{{one|two}} a{{b}}c",
    "statement": "{% one %} two", "expression": "${one} #{two} %(three)s",
    "format": "%s one %d {0} {two}", "math": "$one$ a$b$c $$two$$", "math-bracket": "\\(one\\) \\[two\\]",
    "command": "\\textbf{one} a\\emph{b}c", "command-hyphen": "a\\-b one\\two",
    "tilde": "one~two", "escape": "a\\*b a\\_b a\\\nb", "role": ":role:`one` a :sup:`b`", "substitution": "|one| a",
    "bbcode": "[b]one[/b] a[i]b[/i]c", "quote-bbcode": "[quote=one]two[/quote]",
    "jira": "{code}one{code} a{*}b{*}c", "textile": "a-b-c +one+ ^two^ ??three??", "org": "/one/ =two= ~three~ +four+",
    "emoji": "one :smile: two :+1:", "mention": "@one two #three",
    "citation": "one [1] two [12, 13]", "citation-key": "one [@two] \\cite{three}",
    "ruby": "\u6f22\u5b57\u300a\u304b\u3093\u3058\u300b one",
    "ruby-bar": "\uff5c\u6f22\u5b57\u300a\u304b\u3093\u3058\u300b",
    "ruby-bracket": "\u6f22\u5b57(\u304b\u3093\u3058) one", "ruby-tag": "<ruby>\u6f22<rt>\u304b\u3093</rt></ruby>",
    "bracket": "one (two) [three] {four}", "angle": "one <two> three < four > five",
    "superscript": "a^b^c a^{b} x_{i}", "critic": "{++one++} {--two--} {>>three<<}", "attribute": "one{.two #three}",
    "highlight": "a==b==c", "spoiler": "a||b||c", "shortcode": "[one two=three]",
    "break": "one<br>two<br/>three", "inline-tag": "a<b>b</b>c", "entity": "a&amp;b a&shy;b a&#8203;b",
    "overstrike": "a\ba b_\bb", "irc": "\x02one\x02 a\x0304b\x03c", "ansi": "a\x1b[1mb\x1b[0mc",
    "terminal-link": "\x1b]8;;one\x1b\\two\x1b]8;;\x1b\\", "bidi-isolate": "a\u2067b\u2069c",
    "bidi-embedding": "a\u202bb\u202cc", "bidi-mark": "a\u200fb\u200ec", "interlinear": "a\ufff9b\ufffac\ufffbd",
    "joiner": "a\u200db a\u200cb a\u2060b", "soft-hyphen": "a\u00adb", "zero-width": "a\u200bb",
    "variation": "a\ufe0fb a\U000e0100b", "tag": "a\U000e0061b\U000e007fc", "object": "a\ufffcb",
    "keycap": "1\ufe0f\u20e3 a",
    "continuation": "a\\\nb one \\\ntwo", "soft-break": "a=\nb one =\ntwo", "flowed": "one \ntwo",
    "trigraph": "a??/b one??!two", "placeholder": "__one__ @two@ %three% <<four>>", "path": "C:\\one\\two /three/four",
    "caret": "^C ^M one", "repeated": "soooo looong", "censored": "a*b f**k", "leet": "h3ll0 w0rld",
    "dots": "o.n.e t-w-o", "spaced": "o n e t w o",
}  # fmt: skip


def constructs() -> Iterator[Draft]:
    for kind, texts in (("comment", COMMENTS), ("block", BLOCKS), ("inline", INLINE)):
        rows = {slug: (text, f"text that looks like markup: {kind}, {slug}") for slug, text in texts.items()}
        yield from table(f"markup/{kind}-", "fingerprint", "SD-INPUT-1", rows, "text")


GENERATORS = (constructs,)
