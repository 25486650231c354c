"""Texts for the special cases of the pipeline."""

from __future__ import annotations

from hypothesis import strategies as st

from simhash_doc.conformance.generated_texts import FRAGMENTS

seam_text = st.lists(st.one_of(st.sampled_from(FRAGMENTS), st.text(max_size=4)), max_size=40).map("".join)
surrogate = st.characters(categories=["Cs"])
any_text = st.one_of(seam_text, st.text(), st.lists(st.one_of(surrogate, st.sampled_from(FRAGMENTS))).map("".join))
