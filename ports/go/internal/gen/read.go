package main

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// span is one line of a table: the code points first to last, and their value.
type span struct {
	first, last rune
	value       string
}

// sequence returns the value as code points.
func (s span) sequence() ([]rune, error) {
	var points []rune
	for _, field := range strings.Fields(s.value) {
		c, err := parsePoint(field)
		if err != nil {
			return nil, err
		}
		points = append(points, c)
	}
	return points, nil
}

// directory holds the contents of a data directory whose digests have been checked.
type directory struct {
	files  map[string]string
	digest string // SHA-256 of SHA256SUMS
}

func readDirectory(path string) (*directory, error) {
	sums, err := os.ReadFile(filepath.Join(path, "SHA256SUMS"))
	if err != nil {
		return nil, err
	}
	d := &directory{files: map[string]string{}, digest: digestOf(sums)}
	for _, line := range strings.Split(strings.TrimSuffix(string(sums), "\n"), "\n") {
		want, name, ok := strings.Cut(line, "  ")
		if !ok {
			return nil, fmt.Errorf("SHA256SUMS: %q is not a digest, two spaces and a name", line)
		}
		content, err := os.ReadFile(filepath.Join(path, name))
		if err != nil {
			return nil, err
		}
		if got := digestOf(content); got != want {
			return nil, fmt.Errorf("%s has the SHA-256 digest %s; SHA256SUMS gives %s", name, got, want)
		}
		d.files[name] = string(content)
	}
	return d, nil
}

func digestOf(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}

// table parses a table in the syntax of section 1 of the specification.
func (d *directory) table(name string) ([]span, error) {
	content, ok := d.files[name]
	if !ok {
		return nil, fmt.Errorf("SHA256SUMS does not list %s", name)
	}
	var spans []span
	for number, line := range strings.Split(strings.TrimSuffix(content, "\n"), "\n") {
		if strings.HasPrefix(line, "#") {
			continue
		}
		points, value, _ := strings.Cut(line, " ;")
		first, last, ranged := strings.Cut(points, "..")
		if !ranged {
			last = first
		}
		s := span{value: strings.TrimPrefix(value, " ")}
		var err error
		if s.first, err = parsePoint(first); err == nil {
			s.last, err = parsePoint(last)
		}
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, number+1, err)
		}
		spans = append(spans, s)
	}
	return spans, nil
}

func parsePoint(text string) (rune, error) {
	c, err := strconv.ParseUint(text, 16, 32)
	if err != nil || c > maxPoint {
		return 0, fmt.Errorf("%q is not a code point in hexadecimal", text)
	}
	return rune(c), nil
}
