"""Vocabularies that are not known: the complete text, with elements inside a line that many of them share."""

from __future__ import annotations

from simhash_doc_extraction.vocabularies.vocabulary import Vocabulary, words

XML = Vocabulary(
    inline=words(
        """
            a abbr acronym b bcp14 big bold br cite code del em emphasis eref font i ins italic kbd mark q relref s samp
            small span strike strong sub subscript sup superscript term tt u underline var xref
        """
    )
)

HARVEST = "http://www.openarchives.org/OAI/2.0/"
HARVEST_METADATA = words("about header request responseDate resumptionToken")
"""Elements of the protocol OAI-PMH that describe the documents in a file."""
