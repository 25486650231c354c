"""PDF files with a word at every place where a PDF can show text (ISO 32000-2), and at every place where it does not.

The places are the keys of `SHOWN`, `COUNTED` and `NOT_SHOWN`. Each value builds a file from a word.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

Build = Callable[[str], bytes]

FONT = b"3 0 R"
_HEAD = 4  # objects of `document`


def document(
    content: bytes = b"",
    *,
    objects: Sequence[bytes] = (),
    annotations: Sequence[bytes] = (),
    resources: bytes = b"",
    page: bytes = b"",
    catalog: bytes = b"",
    media_box: bytes = b"[0 0 612 792]",
) -> bytes:
    """Return a PDF with one page. Its additional `objects` have the numbers from 5 on, then come the annotations."""
    first = _HEAD + 1 + len(objects)
    references = b" ".join(b"%d 0 R" % number for number in range(first, first + len(annotations)))
    bodies = [
        b"<</Type/Catalog/Pages 2 0 R%s>>" % catalog.replace(b"@ANNOTATIONS", references),
        b"<</Type/Pages/Count 1/Kids[%d 0 R]>>" % (first + len(annotations)),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        stream(content),
        *objects,
        *annotations,
        b"<</Type/Page/Parent 2 0 R/MediaBox%s/Contents 4 0 R/Annots[%s]/Resources<</Font<</F %s>>%s>>%s>>"
        % (media_box, references, FONT, resources, page),
    ]
    return file(bodies)


def file(bodies: Sequence[bytes]) -> bytes:
    """Return a PDF file of objects, the first of which is the catalog."""
    out, offsets = bytearray(b"%PDF-1.7\n"), []
    for number, body in enumerate(bodies, 1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    out += b"".join(b"%010d 00000 n \n" % offset for offset in offsets)
    return bytes(out + b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, table))


def compressed(data: bytes) -> bytes:
    """Return a file of this module with all its objects that are no streams in an object stream, as since PDF 1.5."""
    bodies = [part.split(b"\nendobj\n")[0] for part in data.split(b" 0 obj\n")[1:]]
    packed = [at for at, body in enumerate(bodies) if b"stream\n" not in body]
    heads, inside = b"", b""
    for at in packed:
        heads += b"%d %d " % (at + 1, len(inside))
        inside += bodies[at] + b" "
    last = len(bodies) + 1
    holder = stream(heads + inside, b"/Type/ObjStm/N %d/First %d" % (len(packed), len(heads)))
    out, entries = bytearray(b"%PDF-1.7\n"), {0: (0, 0, 255)}
    for number, body in [*((at + 1, body) for at, body in enumerate(bodies) if at not in packed), (last, holder)]:
        entries[number] = (1, len(out), 0)
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    entries.update({at + 1: (2, last, index) for index, at in enumerate(packed)})
    table = len(out)
    entries[last + 1] = (1, table, 0)
    rows = b"".join(
        b"%c%s%s" % (kind, place.to_bytes(4), index.to_bytes(2)) for _, (kind, place, index) in sorted(entries.items())
    )
    references = stream(rows, b"/Type/XRef/W[1 4 2]/Size %d/Root 1 0 R" % (last + 2))
    return bytes(out + b"%d 0 obj\n%s\nendobj\nstartxref\n%d\n%%%%EOF\n" % (last + 1, references, table))


def stream(content: bytes, entries: bytes = b"") -> bytes:
    """Return a stream with additional entries of its dictionary."""
    packed = zlib.compress(content)
    return b"<<%s/Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (entries, len(packed), packed)


def show(word: str, *, at: str = "1 0 0 1 72 700", before: str = "") -> bytes:
    """Return content that shows a word."""
    return f"BT {before} /F 11 Tf {at} Tm ({word}) Tj ET\n".encode()


def form(content: bytes, entries: bytes = b"") -> bytes:
    """Return a form XObject, such as the appearance of an annotation."""
    head = b"/Type/XObject/Subtype/Form/BBox[0 0 500 500]/Resources<</Font<</F %s>>>>" % FONT
    return stream(content, head + entries)


def _annotation(kind: bytes, entries: bytes = b"") -> bytes:
    return b"<</Type/Annot/Subtype/%s/Rect[72 600 372 640]%s>>" % (kind, entries)


def annotated(kind: bytes, entries: bytes = b"", *, form_entries: bytes = b"") -> Build:
    """Return a builder of annotations whose appearance shows the word."""

    def build(word: str) -> bytes:
        appearance = form(show(word, at="1 0 0 1 2 8"))
        given = entries.replace(b"@WORD", word.encode()) + b"/AP<</N 5 0 R>>"
        return document(
            show("page"),
            objects=[appearance],
            annotations=[_annotation(kind, given)],
            catalog=_ACRO_FORM % form_entries if kind == b"Widget" else b"",
        )

    return build


_ACRO_FORM = b"/AcroForm<</Fields[@ANNOTATIONS]/DR<</Font<</Helv 3 0 R>>>>%s>>"
_DEFAULT = b"/DA(/Helv 10 Tf 0 g)"


def without_appearance(kind: bytes, entries: bytes, *, form_entries: bytes = b"", is_form: bool = True) -> Build:
    """Return a builder of annotations whose appearance a viewer makes."""
    return lambda word: document(
        show("page"),
        annotations=[_annotation(kind, _DEFAULT + entries.replace(b"@WORD", word.encode()))],
        catalog=_ACRO_FORM % form_entries if is_form else b"",
    )


def layered(
    configuration: bytes,
    content: Callable[[bytes], bytes] = lambda shown: b"/OC /L BDC\n" + shown + b"EMC\n",
    *,
    group: bytes = b"<</Type/OCG/Name(one)>>",
    member: bytes = b"5 0 R",
    member_object: bytes = b"null",
) -> Build:
    """Return a builder of content in the layer `member`. Object 5 is a layer, 6 another, 7 the `member_object`."""
    return lambda word: document(
        show("page") + content(show(word, at="1 0 0 1 72 600")),
        objects=[group, b"<</Type/OCG/Name(two)>>", member_object],
        resources=b"/Properties<</L %s>>" % member,
        catalog=b"/OCProperties<</OCGs[5 0 R 6 0 R]/D<<%s>>>>" % configuration,
    )


def _layered_form(entries: bytes, content: bytes = b"/X Do\n", configuration: bytes = b"/OFF[5 0 R]") -> Build:
    return lambda word: document(
        show("page") + content,
        objects=[b"<</Type/OCG/Name(one)>>", form(show(word, at="1 0 0 1 72 600"), entries)],
        resources=b"/Properties<</L 5 0 R>>/XObject<</X 6 0 R>>",
        catalog=b"/OCProperties<</OCGs[5 0 R]/D<<%s>>>>" % configuration,
    )


def _layered_annotation(configuration: bytes) -> Build:
    return lambda word: document(
        show("page"),
        objects=[b"<</Type/OCG/Name(one)>>", form(show(word, at="1 0 0 1 2 8"))],
        annotations=[_annotation(b"Stamp", b"/OC 5 0 R/AP<</N 6 0 R>>")],
        catalog=b"/OCProperties<</OCGs[5 0 R]/D<<%s>>>>" % configuration,
    )


def member_of(entries: bytes, configuration: bytes = b"/OFF[5 0 R]") -> Build:
    """Return a builder of content whose visibility depends on layers 5 (off) and 6 (on)."""
    return layered(configuration, member=b"7 0 R", member_object=b"<</Type/OCMD%s>>" % entries)


def rotated(quarters: int) -> Build:
    """Return a builder of a page that is displayed rotated, with upright text on the displayed page."""
    matrix = ["1 0 0 1 72 700", "0 1 -1 0 300 72", "-1 0 0 -1 500 300", "0 -1 1 0 300 500"][quarters]
    return lambda word: document(show(word, at=matrix), page=b"/Rotate %d" % (90 * quarters))


def inherited(word: str) -> bytes:
    """Return a page that inherits the font that its text needs, with an annotation."""
    names = b"".join(b"/%c" % letter for letter in word.encode())
    codes = bytes(range(65, 65 + len(word)))
    return file([
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[5 0 R]/Resources<</Font<</F 3 0 R>>>>>>",
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding<</Differences[65%s]>>>>" % names,
        stream(show(codes.decode())),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Annots[6 0 R]>>",
        _annotation(b"Stamp", b"/AP<</N 7 0 R>>"),
        stream(b"0 0 9 9 re f", b"/Type/XObject/Subtype/Form/BBox[0 0 9 9]"),
    ])  # fmt: skip


def _usage(state: bytes) -> bytes:
    return b"<</Type/OCG/Name(one)/Usage<</View<</ViewState/%s>>>>>>" % state


_BY_USAGE = b"/AS[<</Event/View/Category[/View]/OCGs[5 0 R]>>]"

SHOWN: dict[str, Build] = {
    "content": lambda word: document(show(word)),
    "array of strings": lambda word: document(b"BT /F 11 Tf 72 700 Td [(%s)] TJ ET" % word.encode()),
    "next line operators": lambda word: document(b"BT /F 11 Tf 72 700 Td 12 TL (a) ' (%s) ' ET" % word.encode()),
    "hexadecimal string": lambda word: document(b"BT /F 11 Tf 72 700 Td <%s> Tj ET" % word.encode().hex().encode()),
    "outlined": lambda word: document(show(word, before="1 Tr")),
    "invisible, as over a scan": lambda word: document(show(word, before="3 Tr")),
    "clipping": lambda word: document(show(word, before="7 Tr")),
    "white": lambda word: document(b"1 g " + show(word)),
    "actual text": lambda word: document(b"/Span<</ActualText(%s)>>BDC\n" % word.encode() + show("xx") + b"EMC"),
    "form XObject": lambda word: document(b"/X Do", objects=[form(show(word))], resources=b"/XObject<</X 5 0 R>>"),
    "form XObject in another": lambda word: document(
        b"/X Do",
        objects=[form(b"/Y Do", b"/Resources<</XObject<</Y 6 0 R>>>>"), form(show(word))],
        resources=b"/XObject<</X 5 0 R/Y 6 0 R>>",
    ),
    "rotated by 90": rotated(1),
    "rotated by 180": rotated(2),
    "rotated by 270": rotated(3),
    "upright on a page rotated by 90": lambda word: document(show(word), page=b"/Rotate 90"),
    "crop box": lambda word: document(show(word), page=b"/CropBox[50 650 300 750]"),
    "media box elsewhere": lambda word: document(show(word), media_box=b"[50 650 662 1442]"),
    "crop box over the media box": lambda word: document(show(word), page=b"/CropBox[-100 -100 900 900]"),
    "artifact that does not repeat": lambda word: document(b"/Artifact BMC\n" + show(word) + b"EMC"),
    "page with an inherited font and an annotation": inherited,
    "text field": annotated(b"Widget", b"/FT/Tx/T(a)/V(@WORD)"),
    "text field to be drawn": without_appearance(b"Widget", b"/FT/Tx/T(a)/V(@WORD)", form_entries=b"/NeedAppearances true"),
    "text field without appearance": without_appearance(b"Widget", b"/FT/Tx/T(a)/V(@WORD)"),
    "text field of many lines": without_appearance(b"Widget", b"/FT/Tx/Ff 4096/T(a)/V(one\\r@WORD)"),
    "rich text field": without_appearance(b"Widget", b"/FT/Tx/Ff 33554432/T(a)/V(@WORD)/RV(<p>@WORD</p>)"),
    "text field of boxes without appearance": without_appearance(b"Widget", b"/FT/Tx/Ff 16777216/MaxLen 12/T(a)/V(@WORD)"),
    "text field of boxes": lambda word: document(
        show("page"),
        objects=[form(b"".join(show(letter, at=f"1 0 0 1 {5 + 25 * at} 8") for at, letter in enumerate(word)))],
        annotations=[
            _annotation(b"Widget", _DEFAULT + b"/FT/Tx/Ff 16777216/MaxLen 12/T(a)/V(%s)/AP<</N 5 0 R>>" % word.encode())
        ],
        catalog=_ACRO_FORM % b"",
    ),
    "text field of boxes without a value": annotated(b"Widget", b"/FT/Tx/Ff 16777216/MaxLen 12/T(a)"),
    "read-only field": annotated(b"Widget", b"/FT/Tx/Ff 1/T(a)/V(@WORD)"),
    "choice": annotated(b"Widget", b"/FT/Ch/Ff 131072/T(a)/Opt[(@WORD)(b)]/V(@WORD)"),
    "choice without appearance": without_appearance(b"Widget", b"/FT/Ch/Ff 131072/T(a)/Opt[(@WORD)(b)]/V(@WORD)"),
    "list without appearance": without_appearance(b"Widget", b"/FT/Ch/T(a)/Opt[(b)(@WORD)]/V(b)"),
    "caption of a button": without_appearance(b"Widget", b"/FT/Btn/Ff 65536/T(a)/MK<</CA(@WORD)>>"),
    "signature": annotated(b"Widget", b"/FT/Sig/T(a)"),
    "free text": annotated(b"FreeText", b"/DA(/Helv 10 Tf)/Contents(@WORD)"),
    "free text without appearance": without_appearance(b"FreeText", b"/Contents(@WORD)", is_form=False),
    "free text of many lines": without_appearance(b"FreeText", b"/Contents(one\\r@WORD\\ntwo)", is_form=False),
    "stamp": annotated(b"Stamp"),
    "watermark": annotated(b"Watermark"),
    "caption of a line": annotated(b"Line", b"/Cap true/L[72 600 372 640]"),
    "overlay of a redaction": annotated(b"Redact"),
    "link with an appearance": annotated(b"Link"),
    "note with an appearance": annotated(b"Text"),
    "annotation of an unknown kind": annotated(b"Other"),
    "printed annotation": annotated(b"Stamp", b"/F 4"),
    "layer that is on": layered(b"/OFF[6 0 R]"),
    "layer without configuration": layered(b""),
    "layer that is on though the others are not": layered(b"/BaseState/OFF/ON[5 0 R]"),
    "layer that is on by its usage": layered(b"/OFF[5 0 R]" + _BY_USAGE, group=_usage(b"ON")),
    "layer for printing": layered(b"/AS[<</Event/Print/OCGs[5 0 R]>>]", group=_usage(b"OFF")),
    "any layer on": member_of(b"/OCGs[5 0 R 6 0 R]"),
    "any layer off": member_of(b"/P/AnyOff/OCGs[5 0 R 6 0 R]"),
    "all layers off": member_of(b"/P/AllOff/OCGs 5 0 R"),
    "not a layer that is off": member_of(b"/VE[/Not 5 0 R]"),
    "layer or another": member_of(b"/VE[/Or 5 0 R[/And 6 0 R 6 0 R]]"),
    "form XObject in a layer that is on": _layered_form(b"/OC 5 0 R", configuration=b""),
    "annotation in a layer that is on": _layered_annotation(b""),
    "after a layer that is off": layered(b"/OFF[5 0 R]", lambda shown: b"/OC /L BDC\n" + show("secret") + b"EMC\n" + shown),
}  # fmt: skip


def _with_attachment(word: str) -> bytes:
    return document(
        show("page"),
        objects=[stream(word.encode(), b"/Type/EmbeddedFile"), b"<</Type/Filespec/F(a.txt)/EF<</F 5 0 R>>>>"],
        catalog=b"/Names<</EmbeddedFiles<</Names[(a.txt) 6 0 R]>>>>",
    )


def _with_xfa(word: str) -> bytes:
    template = f"<xdp:xdp xmlns:xdp='http://ns.adobe.com/xdp/'><template><text>{word}</text></template></xdp:xdp>"
    return document(
        show("Please wait"), objects=[stream(template.encode())], catalog=b"/NeedsRendering true/AcroForm<</Fields[]/XFA 5 0 R>>"
    )  # fmt: skip


COUNTED: dict[str, tuple[Build, str]] = {
    "attachment": (_with_attachment, "attached files left out: 1"),
    "attachment on a page": (
        lambda word: document(
            show("page"),
            objects=[stream(word.encode(), b"/Type/EmbeddedFile"), b"<</Type/Filespec/F(a.txt)/EF<</F 5 0 R>>>>"],
            annotations=[_annotation(b"FileAttachment", b"/FS 6 0 R")],
        ),
        "attached files left out: 1",
    ),
    "XFA": (_with_xfa, "XFA"),
    "comment": (without_appearance(b"Text", b"/Contents(@WORD)", is_form=False), "comments of readers left out: 1"),
    "comment on a highlight": (
        without_appearance(b"Highlight", b"/Contents(@WORD)", is_form=False),
        "comments of readers left out: 1",
    ),
}
"""Places that are not read, and what the warning names."""

NOT_SHOWN: dict[str, Build] = {
    "layer that is off": layered(b"/OFF[5 0 R]"),
    "layer that is off as all are": layered(b"/BaseState/OFF"),
    "layer that is off by its usage": layered(_BY_USAGE, group=_usage(b"OFF")),
    "layers of which one is off": member_of(b"/P/AllOn/OCGs[5 0 R 6 0 R]"),
    "one layer that is off": member_of(b"/OCGs 5 0 R"),
    "any layer off, and none is": member_of(b"/P/AnyOff/OCGs[6 0 R]"),
    "layer and another": member_of(b"/VE[/And 5 0 R 6 0 R]"),
    "not a layer that is on": member_of(b"/VE[/Not 6 0 R]"),
    "direct dictionary": layered(b"/OFF[5 0 R]", member=b"<</Type/OCMD/OCGs[5 0 R]>>"),
    "nested in a layer that is off": layered(
        b"/OFF[5 0 R]", lambda shown: b"/OC /L BDC /Span BMC\n" + shown + b"EMC EMC\n"
    ),
    "form XObject of a layer that is off": _layered_form(b"/OC 5 0 R"),
    "form XObject drawn in a layer that is off": _layered_form(b"", b"/OC /L BDC /X Do EMC\n"),
    "annotation of a layer that is off": _layered_annotation(b"/OFF[5 0 R]"),
    "form XObject that is not drawn": _layered_form(b"", b""),
    "outside the crop box": lambda word: document(
        show("page") + show(word, at="1 0 0 1 72 100"), page=b"/CropBox[50 650 300 750]"
    ),
    "outside the media box": lambda word: document(show("page") + show(word, at="1 0 0 1 72 900")),
    "outside the crop box of a rotated page": lambda word: document(
        show("page") + show(word, at="0 1 -1 0 500 72"), page=b"/Rotate 90/CropBox[50 650 300 750]"
    ),
    "hidden field": annotated(b"Widget", b"/FT/Tx/T(a)/F 2/V(@WORD)"),
    "field that is only printed": annotated(b"Widget", b"/FT/Tx/T(a)/F 36/V(@WORD)"),
    "hidden stamp": annotated(b"Stamp", b"/F 2"),
    "name of a field": without_appearance(b"Widget", b"/FT/Tx/T(@WORD)/TU(@WORD)/V(other)"),
    "export value of a choice": without_appearance(b"Widget", b"/FT/Ch/Ff 131072/T(a)/Opt[[(@WORD)(b)]]/V(@WORD)"),
    "password": without_appearance(b"Widget", b"/FT/Tx/Ff 8192/T(a)/V(@WORD)"),
    "popup": annotated(b"Popup", b"/Contents(@WORD)"),
    "metadata": lambda word: document(show("page"), catalog=b"/Metadata 5 0 R/Lang(%s)" % word.encode(), objects=[
        stream(word.encode(), b"/Type/Metadata/Subtype/XML")]),
    "bookmark": lambda word: document(show("page"), catalog=b"/Outlines 5 0 R", objects=[
        b"<</Type/Outlines/First 6 0 R/Last 6 0 R/Count 1>>", b"<</Title(%s)/Parent 5 0 R>>" % word.encode()]),
    "alternative text": lambda word: document(b"/Figure<</Alt(%s)>>BDC\n" % word.encode() + show("page") + b"EMC"),
    "page label": lambda word: document(show("page"), catalog=b"/PageLabels<</Nums[0<</P(%s)>>]>>" % word.encode()),
    "address of a link": lambda word: document(show("page"), annotations=[
        _annotation(b"Link", b"/A<</S/URI/URI(http://%s)>>" % word.encode())]),
    "script": lambda word: document(show("page"), catalog=b"/OpenAction<</S/JavaScript/JS(app.alert('%s'))>>" % word.encode()),
    "comment in the file": lambda word: document(b"%% %s\n" % word.encode() + show("page")),
}  # fmt: skip
