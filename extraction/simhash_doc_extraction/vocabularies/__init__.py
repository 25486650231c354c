"""Reads documents in vocabularies of XML: JATS, TEI, DocBook, FictionBook, and the complete text of any other."""
