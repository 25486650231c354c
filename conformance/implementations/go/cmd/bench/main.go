// Command bench prints how fast the fingerprints of documents are computed on one core.
//
//	go run ./cmd/bench [-scheme sd64] [-size 10000] [-seconds 1] FILE...
//
// Each file is cut into documents of the given number of bytes; 0 takes it as one document. The documents are
// computed again and again; the fastest round counts, because other programs only make a round slower.
package main

import (
	"errors"
	"flag"
	"fmt"
	"math"
	"os"
	"runtime"
	"time"

	simhashdoc "github.com/simhash-doc/simhash-doc/conformance/implementations/go"
)

func main() {
	scheme := flag.String("scheme", "sd64", "`id` of the scheme")
	size := flag.Int("size", 10_000, "`bytes` of a document; 0: the complete file")
	seconds := flag.Float64("seconds", 1, "`time` for each file")
	flag.Parse()
	if flag.NArg() == 0 {
		flag.Usage()
		os.Exit(2)
	}
	runtime.GOMAXPROCS(1)
	for _, path := range flag.Args() {
		if err := measure(path, *scheme, *size, *seconds); err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(1)
		}
	}
}

func measure(path, id string, size int, seconds float64) error {
	scheme, err := simhashdoc.ParseScheme(id)
	if err != nil {
		return err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(content) == 0 {
		return fmt.Errorf("%s is empty", path)
	}
	documents := cut(content, size)
	best := math.Inf(1)
	for begun := time.Now(); time.Since(begun).Seconds() < seconds; {
		round := time.Now()
		for _, document := range documents {
			if _, err := simhashdoc.Sum(document, scheme); err != nil && !errors.Is(err, simhashdoc.ErrNoToken) {
				return err
			}
		}
		best = min(best, time.Since(round).Seconds())
	}
	fmt.Printf("%8.1f MB/s  %s  %d documents  %s\n", float64(len(content))/best/1e6, scheme, len(documents), path)
	return nil
}

// cut returns the documents of a file.
func cut(content []byte, size int) [][]byte {
	var documents [][]byte
	for size > 0 && len(content) > size {
		documents = append(documents, content[:size])
		content = content[size:]
	}
	return append(documents, content)
}
