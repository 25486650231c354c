// Command bench prints how fast the fingerprints of documents are computed on one core.
//
//	go run ./cmd/bench [SIZE] FILE...
//
// Each file is cut into documents of SIZE bytes (default: one document). Several passes go over all documents; the best
// time of each document counts, so that other work of the machine does not. The environment variable SECONDS is the time
// for each file and scheme (default: 2).
package main

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"strconv"
	"time"

	simhashdoc "github.com/simhash-doc/simhash-doc/ports/go"
)

func main() {
	runtime.GOMAXPROCS(1)
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	size := 0
	if len(files) > 0 {
		if n, err := strconv.Atoi(files[0]); err == nil {
			size, files = n, files[1:]
		}
	}
	seconds := 2.0
	if given := os.Getenv("SECONDS"); given != "" {
		var err error
		if seconds, err = strconv.ParseFloat(given, 64); err != nil {
			return fmt.Errorf("SECONDS: %w", err)
		}
	}
	for _, path := range files {
		if err := measure(path, size, seconds); err != nil {
			return err
		}
	}
	return nil
}

func measure(path string, size int, seconds float64) error {
	content, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if len(content) == 0 {
		return fmt.Errorf("%s is empty", path)
	}
	fmt.Printf("%s:", path)
	for _, scheme := range []simhashdoc.Scheme{simhashdoc.SD64, simhashdoc.SD128, simhashdoc.SD256, simhashdoc.SD512} {
		best, err := bestTime(cut(content, size), scheme, seconds)
		if err != nil {
			return err
		}
		fmt.Printf("  %s %.1f MB/s", scheme, float64(len(content))/best/1e6)
	}
	fmt.Println()
	return nil
}

// bestTime returns the sum of the best times of all documents.
func bestTime(documents [][]byte, scheme simhashdoc.Scheme, seconds float64) (float64, error) {
	best := make([]float64, len(documents))
	for i := range best {
		best[i] = math.Inf(1)
	}
	for begun := time.Now(); time.Since(begun).Seconds() < seconds; {
		for i, document := range documents {
			start := time.Now()
			if _, err := simhashdoc.Sum(document, scheme); err != nil && !errors.Is(err, simhashdoc.ErrNoToken) {
				return 0, err
			}
			best[i] = min(best[i], time.Since(start).Seconds())
		}
	}
	total := 0.0
	for _, seconds := range best {
		total += seconds
	}
	return total, nil
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
