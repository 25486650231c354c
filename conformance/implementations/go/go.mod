module github.com/simhash-doc/simhash-doc/conformance/implementations/go

go 1.22
