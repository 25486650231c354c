"""The engines: optimized forms of the pipeline that give the results of `simhash_doc.reference`."""
