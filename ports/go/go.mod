module github.com/simhash-doc/simhash-doc/ports/go

go 1.22
