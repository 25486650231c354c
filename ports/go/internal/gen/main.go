// Command gen writes tables.go of package simhashdoc from the pinned Unicode data of the specification.
//
// Usage, in the directory of the module:
//
//	go run ./internal/gen ../../spec/data
//
// It fails if a file does not have the digest that SHA256SUMS gives.
package main

import (
	"fmt"
	"os"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: go run ./internal/gen DIRECTORY, in the directory of the module")
		os.Exit(2)
	}
	source, err := Generate(os.Args[1])
	if err == nil {
		err = os.WriteFile("tables.go", source, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen:", err)
		os.Exit(1)
	}
}
