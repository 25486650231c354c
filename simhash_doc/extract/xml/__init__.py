"""XML documents: JATS, TEI, DocBook and others."""
