"""Web archives (WARC and ARC files): the documents of a crawl."""
