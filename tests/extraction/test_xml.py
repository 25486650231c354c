from __future__ import annotations

import pytest

from simhash_doc_extraction import NoTextError, extract
from tests.extraction.samples import archive

JATS = """<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE article PUBLIC "-//NLM//DTD JATS (Z39.96) Journal Publishing DTD v1.2 20190208//EN" "JATS-publishing1.dtd">
<article xmlns:mml="http://www.w3.org/1998/Math/MathML" xmlns:xlink="http://www.w3.org/1999/xlink">
<front><journal-meta><journal-title>Metadata Journal</journal-title></journal-meta>
<article-meta><article-id pub-id-type="doi">metadata</article-id>
<title-group><article-title>Drift of <italic>cheap</italic> clocks</article-title></title-group>
<contrib-group><contrib><name><surname>Okafor</surname><given-names>Mary Ann</given-names></name>
<contrib-id>metadata</contrib-id><xref ref-type="aff" rid="a"/></contrib><aff id="a">University of the Coast</aff></contrib-group>
<pub-date><year>1999</year></pub-date><volume>77</volume><permissions><license><license-p>metadata</license-p></license></permissions>
<abstract><p>Clocks drift &nbsp; in cold water.</p></abstract><kwd-group><kwd>metadata</kwd></kwd-group></article-meta></front>
<body><sec><title>Results</title><p>As shown<sup><xref ref-type="bibr" rid="r1">1</xref></sup>, CO<sub>2</sub> matters
<xref ref-type="bibr" rid="r1">(Brandt, 2014)</xref>.</p>
<table-wrap><caption><p>A caption</p></caption><table><tr><td>left</td><td>right</td></tr></table></table-wrap>
<disp-quote><p>A quotation</p></disp-quote>
<p><inline-formula><alternatives><tex-math>\\frac{1}{x}</tex-math><mml:math><mml:mi>x</mml:mi><mml:mo>=</mml:mo><mml:mi>y</mml:mi>
</mml:math></alternatives></inline-formula></p>
<preformat>kept   as
it is</preformat></sec></body>
<back><ack><p>We thank the crew.</p></ack><ref-list><ref id="r1"><element-citation publication-type="article-journal">
<person-group><name><surname>Brandt</surname><given-names>Lena Marie</given-names></name></person-group>
<article-title>Oscillators</article-title><source>Timekeeping</source><pub-id pub-id-type="doi">10.1/x</pub-id></element-citation></ref>
</ref-list></back></article>"""

TEI = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title type="main">Metadata</title></titleStmt>
<publicationStmt><p>metadata</p></publicationStmt><sourceDesc><p>metadata</p></sourceDesc></fileDesc></teiHeader>
<text><front><titlePage><docTitle>The Tower</docTitle></titlePage></front><body><div><head>First chapter</head>
<pb n="3"/><fw type="header">metadata</fw>
<p>The kee<lb break="no"/>per <choice><sic>wented</sic><corr>went</corr></choice> down<lb/>to the sea.<note>A note of the editor.</note></p>
<lg><l>A line of verse</l><l>and another</l></lg></div></body></text></TEI>"""

GROBID = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title type="main">Drift of clocks</title>
</titleStmt><publicationStmt><publisher>metadata</publisher></publicationStmt><sourceDesc><biblStruct><analytic><author><persName>
<forename>Mary</forename><surname>Okafor</surname></persName><email>metadata</email></author><title>metadata</title></analytic>
<monogr><imprint><date>metadata</date></imprint></monogr></biblStruct></sourceDesc></fileDesc>
<encodingDesc><appInfo>metadata</appInfo></encodingDesc>
<profileDesc><abstract><p>Clocks drift.</p></abstract></profileDesc></teiHeader><text><body><div><head>Results</head><p>They do.</p></div></body>
<back><listBibl><biblStruct><analytic><title>Oscillators</title></analytic><note type="raw_reference">L. Brandt. Oscillators. 2014.</note>
</biblStruct></listBibl></back></text></TEI>"""

MARKS = """<article><front/><body><p>Bigger<xref ref-type="bibr" rid="r1">1</xref>, later<xref ref-type="fn">*</xref>
(<xref ref-type="bibr" rid="r2">Brandt 2014</xref>) and better<xref ref-type="bibr" rid="r3">2-4</xref>.</p></body></article>"""

DOCBOOK = """<?xml version="1.0"?><article xmlns="http://docbook.org/ns/docbook" version="5.0"><info><title>Buoys</title>
<author><personname><firstname>Mary</firstname><surname>Okafor</surname></personname></author><pubdate>metadata</pubdate>
<publisher><publishername>metadata</publishername></publisher><copyright><holder>metadata</holder></copyright></info><section><title>Messages<indexterm><primary>metadata</primary></indexterm></title>
<para>Send <command>none</command>, <emphasis>never</emphasis> zero.</para><programlisting>water  11.4
wind   none</programlisting><itemizedlist><listitem><para>One</para></listitem><listitem><para>Two</para></listitem></itemizedlist>
<figure><title>A chart</title><mediaobject><imageobject><imagedata fileref="metadata"/></imageobject></mediaobject></figure>
</section></article>"""


OTHER = "<?xml version='1.0'?><rfc><t>One <bcp14>MUST</bcp14> not.</t><t>Two.</t></rfc>"


@pytest.mark.parametrize(
    ("document", "document_format", "blocks"),
    [
        (JATS, "jats", [
            "Drift of cheap clocks", "Okafor Mary Ann", "University of the Coast", "Clocks drift   in cold water.", "Results",
            "As shown 1 , CO2 matters (Brandt, 2014).", "A caption", "left", "right", "A quotation", "x=y",
            "kept   as\nit is", "We thank the crew.", "Brandt L. M. Oscillators Timekeeping",
        ]),
        (MARKS, "jats", ["Bigger, later (Brandt 2014) and better."]),
        (TEI, "tei", [
            "The Tower", "First chapter", "The keeper went down to the sea.", "A note of the editor.", "A line of verse",
            "and another",
        ]),
        (GROBID, "tei", [
            "Drift of clocks", "Mary Okafor", "Clocks drift.", "Results", "They do.", "L. Brandt. Oscillators. 2014.",
        ]),
        (DOCBOOK, "docbook", [
            "Buoys", "Mary Okafor", "Messages", "Send none, never zero.", "water  11.4\nwind   none", "One", "Two", "A chart",
        ]),
        (OTHER, "xml", ["One MUST not.", "Two."]),
    ],
)  # fmt: skip
def test_printed_text_is_kept_and_metadata_is_not(document: str, document_format: str, blocks: list[str]) -> None:
    extracted = extract(document.encode())
    assert extracted.format == document_format
    assert extracted.text.replace("\xa0", " ").split("\n\n") == blocks


@pytest.mark.parametrize(
    ("document", "line"),
    [
        (
            (
                "<article article-type='a'><body><p>one</p></body><back><ref-list><ref><mixed-citation><name><surname>Oakes"
                "</surname> <given-names>W</given-names></name>. <article-title>On piers</article-title>, <year>1901</year>;"
                "<volume>3</volume></mixed-citation></ref></ref-list></back></article>"
            ),
            "Oakes W. On piers, 1901; 3",
        ),
        (
            "<p xmlns='http://www.tei-c.org/ns/1.0'><persName><surname>A</surname></persName>, (<date>1</date>).</p>",
            "A, (1).",
        ),
    ],
)
def test_names_are_words_of_their_own_but_punctuation_follows_them(document: str, line: str) -> None:
    text = extract(document.encode()).text
    assert line in [" ".join(block.split()) for block in text.split("\n\n")]


def test_internal_entities_are_expanded_and_external_ones_are_not_read() -> None:
    document = (
        "<!DOCTYPE note [<!ENTITY who 'the keeper'><!ENTITY file SYSTEM '/etc/hostname'>]>"
        "<note><p>Written by &who;.</p><p>Read: &file;.</p></note>"
    )
    extracted = extract(document.encode())
    assert "Written by the keeper." in extracted.text
    assert extracted.text.replace(" ", "").endswith("Read:.")


def test_xml_that_is_not_well_formed_is_repaired_with_a_warning() -> None:
    broken = DOCBOOK.replace("</emphasis>", "").replace("<command>", "<command attribute=none>")
    extracted = extract(broken.encode())
    assert extracted.warnings[0].startswith("not well-formed XML, repaired: ")
    for kept in ("Buoys", "never", "water  11.4", "A chart"):
        assert kept in extracted.text


@pytest.mark.parametrize("form", [JATS, TEI, DOCBOOK, OTHER])
def test_the_fallback_of_a_file_that_is_not_included_is_read(form: str) -> None:
    include = (
        "<xi:include xmlns:xi='http://www.w3.org/2001/XInclude' href='a.xml'>"
        "<xi:fallback><p>another text</p></xi:fallback></xi:include>"
    )
    end = next(tag for tag in ("</body>", "</section>", "</rfc>") if tag in form)
    extracted = extract(form.replace(end, include + end).encode())
    assert "another text" in extracted.text.split("\n\n")
    assert extracted.warnings == ("included files not read: 1 (first: 'a.xml')",)


def test_the_error_of_a_document_that_only_includes_others_names_them() -> None:
    document = (
        "<?xml version='1.0'?><book xmlns='http://docbook.org/ns/docbook' xmlns:xi='http://www.w3.org/2001/XInclude'>"
        "<xi:include href='a.xml'/><xi:include href='b.xml'/></book>"
    )
    with pytest.raises(NoTextError, match=r"included files not read: 2 \(first: 'a.xml'\)"):
        extract(document.encode())


def test_documents_in_other_xml_decide_the_format() -> None:
    tei = TEI.replace('<?xml version="1.0"?>', "")
    jats = "<article article-type='letter'><front/><body><p>one</p></body></article>"
    assert extract(f"<?xml version='1.0'?><set>{tei}</set>".encode()).format == "tei"
    both = extract(f"<?xml version='1.0'?><set>{tei}{jats}</set>".encode())
    assert both.format == "xml"
    assert both.warnings == ("documents in one file, joined to one text: 2",)


def test_several_books_in_an_archive_are_read() -> None:
    book = "<?xml version='1.0'?><FictionBook><body><section><p>{}</p></section></body></FictionBook>"
    found = extract(archive({"a.fb2": book.format("one"), "b/c.FB2": book.format("two")}))
    assert (found.format, found.text) == ("fb2", "one\n\ntwo")
    assert found.warnings == ("documents in one file, joined to one text: 2",)


def test_sections_of_characters_and_comments_hold_no_entities() -> None:
    extracted = extract(
        b"<?xml version='1.0'?><a><b><![CDATA[&nbsp; &x;]]></b><!-- &y; --><?z &y; ?><c>d&#x301;</c></a>"
    )
    assert extracted.text == "&nbsp; &x;\n\nd\u0301"
    assert extracted.warnings == ()


def test_a_long_set_of_articles_needs_no_declaration() -> None:
    article = f"<article><front><article-meta/></front><body>{'<p>word</p>' * 10_000}</body></article>"
    found = extract(f"<articles>{article}</articles>".encode())
    assert (found.format, set(found.text.split())) == ("jats", {"word"})


@pytest.mark.parametrize(
    ("names", "initials"),
    [("Jean-Luc", "J. L."), ("JL", "J. L."), ("J. L.", "J. L."), ("MARIA", "M."), ("Ana M", "A. M.")],
)
def test_given_names_of_structured_references_are_initials(names: str, initials: str) -> None:
    name = f"<name><surname>Wu</surname><given-names>{names}</given-names></name>"
    cited = f"<ref-list><ref><element-citation>{name}</element-citation></ref></ref-list>"
    found = extract(f"<article dtd-version='1.3'><body><p>Text.</p></body><back>{cited}</back></article>".encode())
    assert f"Wu {initials}" in found.text
