package main

import (
	"fmt"
	"strconv"
)

const maxPoint = 0x10FFFF

// unicodeData is the content of the nine tables.
type unicodeData struct {
	word, connector, alphabetic, assigned, continua [maxPoint + 1]bool
	class                                           [maxPoint + 1]uint8
	folded                                          map[rune][]rune
	decomposed                                      map[rune][]rune
	composed                                        map[[2]rune]rune
	second                                          map[rune]bool // second code points of composites
}

func readData(d *directory) (*unicodeData, error) {
	u := &unicodeData{
		folded: map[rune][]rune{}, decomposed: map[rune][]rune{},
		composed: map[[2]rune]rune{}, second: map[rune]bool{},
	}
	nonstarter := map[rune]bool{}
	readers := []struct {
		name string
		set  func(c rune, s span) error
	}{
		{"word.txt", func(c rune, s span) error { u.word[c], u.connector[c] = true, s.value == "Pc"; return nil }},
		{"alphabetic.txt", func(c rune, _ span) error { u.alphabetic[c] = true; return nil }},
		{"assigned.txt", func(c rune, _ span) error { u.assigned[c] = true; return nil }},
		{"continua.txt", func(c rune, _ span) error { u.continua[c] = true; return nil }},
		{"nonstarter.txt", func(c rune, _ span) error { nonstarter[c] = true; return nil }},
		{"combining_class.txt", func(c rune, s span) error {
			class, err := strconv.ParseUint(s.value, 10, 8)
			u.class[c] = uint8(class)
			return err
		}},
		{"nfkc_casefold.txt", func(c rune, s span) (err error) { u.folded[c], err = s.sequence(); return err }},
		{"decomposition.txt", func(c rune, s span) (err error) { u.decomposed[c], err = s.sequence(); return err }},
		{"composition.txt", func(c rune, s span) error {
			pair, err := s.sequence()
			if err != nil || len(pair) != 2 {
				return fmt.Errorf("%q is not a pair of code points", s.value)
			}
			u.composed[[2]rune{pair[0], pair[1]}] = c
			u.second[pair[1]] = true
			return nil
		}},
	}
	for _, reader := range readers {
		spans, err := d.table(reader.name)
		if err != nil {
			return nil, err
		}
		for _, s := range spans {
			for c := s.first; c <= s.last; c++ {
				if err := reader.set(c, s); err != nil {
					return nil, fmt.Errorf("%s: U+%04X: %w", reader.name, c, err)
				}
			}
		}
	}
	return u, u.check(nonstarter)
}

// check verifies the properties of the data on which package simhashdoc relies.
func (u *unicodeData) check(nonstarter map[rune]bool) error {
	for c := rune(0); c <= maxPoint; c++ {
		if nonstarter[c] != (u.class[c] != 0) {
			return fmt.Errorf("U+%04X is in one of nonstarter.txt and combining_class.txt", c)
		}
		if u.connector[c] && (u.continua[c] || u.alphabetic[c]) {
			return fmt.Errorf("U+%04X is a connector and in continua.txt or alphabetic.txt", c)
		}
	}
	for c := rune(0); c < 0x80; c++ {
		mapping, maps := u.folded[c]
		capital := 'A' <= c && c <= 'Z'
		if maps != capital || capital && (len(mapping) != 1 || mapping[0] != c+32) {
			return fmt.Errorf("U+%04X does not fold as ASCII does", c)
		}
		digit, letter := '0' <= c && c <= '9', 'a' <= c && c <= 'z'
		if !u.assigned[c] || !u.boundary(c) || u.continua[c] || u.connector[c] != (c == '_') ||
			u.word[c] != (digit || letter || capital || c == '_') || u.alphabetic[c] != (letter || capital) {
			return fmt.Errorf("U+%04X does not have the properties that the scanner of ASCII text assumes", c)
		}
	}
	return nil
}

// boundary reports whether a text may be cut before c after SD-FOLD-2 (appendix C).
func (u *unicodeData) boundary(c rune) bool {
	return u.class[c] == 0 && !u.mayCompose(c)
}

// mayCompose reports whether c can be the second code point of a composite.
func (u *unicodeData) mayCompose(c rune) bool {
	return u.second[c] || 0x1161 <= c && c <= 0x1175 || 0x11A8 <= c && c <= 0x11C2
}
