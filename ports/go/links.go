package simhashdoc

// Classes of the bytes of folded text, in asciiClasses. Bytes of 80 (hexadecimal) and above are in none.
const (
	inAlpha = 1 << iota
	inDigit
	inHex
	inTail
	inLabel  // of labels
	inScheme // of the schemes of URLs
	inLocal  // of the local parts of e-mail addresses
	afterLinkStart
)

const inAlnum = inAlpha | inDigit

var asciiClasses = func() (classes [256]uint8) {
	for _, group := range []struct {
		characters string
		bits       uint8
	}{
		{"abcdefghijklmnopqrstuvwxyz", inAlpha | inTail | inLabel | inScheme | inLocal | afterLinkStart},
		{"0123456789", inDigit | inHex | inTail | inLabel | inScheme | inLocal | afterLinkStart},
		{"abcdef", inHex},
		{"._~:/?#[]@!$&'()*+,;=%-", inTail},
		{"-", inLabel},
		{"+.-", inScheme},
		{"._%+-", inLocal},
		{"_+.-%@:/", afterLinkStart},
	} {
		for _, c := range []byte(group.characters) {
			classes[c] |= group.bits
		}
	}
	return classes
}()

// lookahead is more than the number of bytes that decide whether a link starts at a position, and how: the longest
// are those of an e-mail address, 7 + 64 + 1 + 63 + 1 + 63, and one more.
const lookahead = 256

// What follows the part of a link that linkAt has read.
type linkRest uint8

const (
	noLink     linkRest = iota
	restNone            // nothing
	restTail            // *tail
	restLabels          // *( "." label )
)

// mayStartLink reports whether a link can start at an ASCII word whose end is text[end]. It may be wrong only if it
// returns true. Digests, which have at least 32 characters, are not considered.
func mayStartLink(text []byte, end int) bool {
	return kinds[text[end]] == kindMark && end+1 < len(text) && asciiClasses[text[end+1]]&afterLinkStart != 0
}

// linkAt reads the link that starts at text[i], an ASCII word character, or at least its part that decides. It returns
// the end of that part and what follows, or noLink. The forms are tried in the order of section 5.
func (s *scanner) linkAt(text []byte, i int) (int, linkRest) {
	c := text[i]
	if asciiClasses[c]&inAlpha != 0 {
		s.schemeEnd = runFrom(text, i, s.schemeEnd, inScheme)
		if s.schemeEnd-i <= 32 && hasAt(text, s.schemeEnd, "://") {
			return s.schemeEnd + 3, restTail
		}
		if end := namedAt(text, i); end > 0 {
			return end, restTail
		}
		if hasAt(text, i, "www.") {
			end := run(text, i+4, 63, inLabel)
			if end > i+4 && hasAt(text, end, ".") {
				return end + 1, restTail
			}
		}
	}
	if end := s.mailAt(text, i); end > 0 {
		return end, restLabels
	}
	if c == '1' {
		if end := doiAt(text, i); end > 0 {
			return end, restTail
		}
	}
	if asciiClasses[c]&inHex != 0 {
		if end := hexAt(text, i); end > 0 {
			return end, restNone
		}
	}
	return 0, noLink
}

// namedAt returns the end of "doi:" and so on with one letter or digit, or 0.
func namedAt(text []byte, i int) int {
	end := 0
	switch {
	case hasAt(text, i, "doi:"), hasAt(text, i, "urn:"), hasAt(text, i, "hdl:"):
		end = i + 4
	case hasAt(text, i, "arxiv:"):
		end = i + 6
	}
	if end == 0 || end == len(text) || asciiClasses[text[end]]&inAlnum == 0 {
		return 0
	}
	return end + 1
}

// mailAt returns the end of an e-mail address after the second label, or 0.
func (s *scanner) mailAt(text []byte, i int) int {
	if hasAt(text, i, "mailto:") {
		i += len("mailto:")
	}
	if i >= len(text) || asciiClasses[text[i]]&inAlnum == 0 {
		return 0
	}
	s.localEnd = runFrom(text, i, s.localEnd, inLocal)
	if s.localEnd-i > 64 || !hasAt(text, s.localEnd, "@") {
		return 0
	}
	domain := s.localEnd + 1
	end := run(text, domain, 63, inLabel)
	if end == domain {
		return 0
	}
	return labelAt(text, end)
}

// labelAt returns the end of "." label, or 0.
func labelAt(text []byte, i int) int {
	if !hasAt(text, i, ".") {
		return 0
	}
	if end := run(text, i+1, 63, inLabel); end > i+1 {
		return end
	}
	return 0
}

// doiAt returns the end of a DOI after the first character of its tail, or 0.
func doiAt(text []byte, i int) int {
	if !hasAt(text, i, "10.") {
		return 0
	}
	end := run(text, i+3, 9, inDigit)
	if end < i+3+4 {
		return 0
	}
	for range 3 {
		if !hasAt(text, end, ".") {
			break
		}
		next := run(text, end+1, 9, inDigit)
		if next == end+1 {
			return 0
		}
		end = next
	}
	if !hasAt(text, end, "/") || end+1 == len(text) || asciiClasses[text[end+1]]&inTail == 0 {
		return 0
	}
	return end + 2
}

// hexAt returns the end of a UUID or a digest, or 0.
func hexAt(text []byte, i int) int {
	end := run(text, i, 128, inHex)
	switch {
	case end-i >= 32:
	case end-i == 8 && uuidAt(text, i):
		end = i + 36
	default:
		return 0
	}
	if end < len(text) && kinds[text[end]]&kindWord != 0 {
		return 0
	}
	return end
}

func uuidAt(text []byte, i int) bool {
	end := i + 8
	for _, size := range [4]int{4, 4, 4, 12} {
		if !hasAt(text, end, "-") || run(text, end+1, size, inHex) != end+1+size {
			return false
		}
		end += 1 + size
	}
	return true
}

// run returns the end of the run of bytes of a class that starts at i and has at most limit bytes.
func run(text []byte, i, limit int, class uint8) int {
	limit = min(len(text), i+limit)
	for i < limit && asciiClasses[text[i]]&class != 0 {
		i++
	}
	return i
}

// runFrom returns the end of the run of bytes of a class that starts at i. known is the end of an earlier run of the
// class: what begins in a run ends where the run ends, so a run is read only once.
func runFrom(text []byte, i, known int, class uint8) int {
	if i < known {
		return known
	}
	return run(text, i, len(text), class)
}

func hasAt(text []byte, i int, prefix string) bool {
	return i+len(prefix) <= len(text) && string(text[i:i+len(prefix)]) == prefix
}
