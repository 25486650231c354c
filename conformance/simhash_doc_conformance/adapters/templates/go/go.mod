module simhash-doc-adapter

go 1.21
