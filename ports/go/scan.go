package simhashdoc

import (
	"encoding/binary"
	"math/bits"
)

// Bits of the table propertyBlocks; internal/gen defines the same.
const (
	isWord = 1 << iota
	isContinua
	isAlphabetic
	isConnector
)

// Kinds of the bytes of folded text. All other bytes are ASCII characters between words.
const (
	kindLetter = 1 << iota
	kindDigit
	kindConnector // "_", the only ASCII connector
	kindHigh      // a byte of a code point other than ASCII
	kindMark      // an ASCII character between words that can follow the first word of a link
	kindWord      = kindLetter | kindDigit | kindConnector
)

var kinds = func() (kinds [256]uint8) {
	for c := range kinds {
		switch {
		case 'a' <= c && c <= 'z':
			kinds[c] = kindLetter
		case '0' <= c && c <= '9':
			kinds[c] = kindDigit
		case c == '_':
			kinds[c] = kindConnector
		case c >= 0x80:
			kinds[c] = kindHigh
		}
	}
	for _, c := range []byte(".:-@+%") {
		kinds[c] = kindMark
	}
	return kinds
}()

// scanner removes links from folded text and counts its tokens (sections 5 and 6). The text is given in pieces.
type scanner struct {
	at        int      // next byte of the text
	afterWord bool     // whether an ASCII word character precedes it
	rest      linkRest // if it is inside a link: what the link continues with
	schemeEnd int      // ends of the last runs of characters of URL schemes and of local parts
	localEnd  int
	stretch   stretch
	counts    *tokenCounts
	record    *recorder // nil unless the steps are recorded
}

// scan reads text as far as it can be decided, or all of it if final is true. It returns the number of bytes that are
// not needed any more; the next call's text starts behind them.
func (s *scanner) scan(text []byte, final bool) int {
	limit := len(text) - lookahead
	if final {
		limit = len(text)
	}
	from, i := s.at, s.at
	if s.rest != noLink {
		i = s.skipRest(text, i, final)
		from = i
	}
	for i < limit {
		kind := kinds[text[i]]
		switch {
		case kind&^kindMark == 0:
			s.endStretch(text)
			s.afterWord = false
			i++
		case kind == kindHigh:
			i = s.scanHigh(text, i)
		default:
			end, kind := wordEnd(text[:limit], i)
			if !s.afterWord && (end-i >= 32 || end == limit || mayStartLink(text, end)) {
				if linkEnd, rest := s.linkAt(text, i); rest != noLink {
					s.endStretch(text)
					s.record.link(text[from:i])
					s.rest = rest
					i = s.skipRest(text, linkEnd, final)
					from = i
					continue
				}
			}
			if s.stretch.state == outside && end < limit && kinds[text[end]]&^kindMark == 0 {
				s.countWord(text[i:end], kind)
				s.afterWord = false
				i = end + 1
				continue
			}
			s.addWord(text, i, end, kind)
			s.afterWord = true
			i = end
		}
	}
	s.record.linkFree(text[from:i])
	if final {
		s.endStretch(text)
	}
	return s.rebase(text, i)
}

// wordEnd returns the end of the ASCII word that starts at text[i], and the kinds of its characters except digits. It
// reads eight bytes at a time: a loop over the bytes of a word ends at a place that processors cannot predict.
func wordEnd(text []byte, i int) (int, uint8) {
	const (
		ones       = 0x0101010101010101
		tops       = 0x80 * ones
		fromA      = (0x80 - 'a') * ones
		pastZ      = (0x80 - 'z' - 1) * ones
		from0      = (0x80 - '0') * ones
		past9      = (0x80 - '9' - 1) * ones
		connectors = '_' * ones
	)
	kind := uint8(0)
	for ; i+8 <= len(text); i += 8 {
		// In each byte of the following, the top bit tells whether the byte of the text is of that sort.
		w := binary.LittleEndian.Uint64(text[i:])
		x := w &^ tops
		letter := (x + fromA) &^ (x + pastZ) &^ w & tops
		digit := (x + from0) &^ (x + past9) &^ w & tops
		connector := tops &^ ((x ^ connectors) + (tops - ones)) &^ w
		outside := tops &^ (letter | digit | connector)
		before := (outside - 1) &^ outside
		if letter&before != 0 {
			kind |= kindLetter
		}
		if connector&before != 0 {
			kind |= kindConnector
		}
		if outside != 0 {
			return i + bits.TrailingZeros64(outside)/8, kind
		}
	}
	for ; i < len(text) && kinds[text[i]]&kindWord != 0; i++ {
		kind |= kinds[text[i]]
	}
	return i, kind
}

// countWord counts an ASCII word with nothing but ASCII separators around it.
func (s *scanner) countWord(word []byte, kind uint8) {
	if kind&kindLetter == 0 {
		return
	}
	if kind&kindConnector != 0 {
		for word[0] == '_' {
			word = word[1:]
		}
		for word[len(word)-1] == '_' {
			word = word[:len(word)-1]
		}
	}
	s.emit(word)
}

// scanHigh reads a code point other than ASCII, and returns its end.
func (s *scanner) scanHigh(text []byte, i int) int {
	s.afterWord = false
	r, size := validRune(text[i:])
	end := i + size
	property := propertyBlocks[int(propertyIndex[r>>7])<<7|int(r&127)]
	switch {
	case property&isWord == 0:
		s.endStretch(text)
	case property&isContinua != 0:
		s.addContinua(text, i, end, property&isAlphabetic != 0)
	case property&isConnector != 0:
		s.addPlain(text, i, i, end, false)
	default:
		all := property
		for end+lookahead < len(text) && text[end] >= 0x80 { // the rest of the word, as far as it is of the same sort
			r, size := validRune(text[end:])
			property := propertyBlocks[int(propertyIndex[r>>7])<<7|int(r&127)]
			if property&(isWord|isContinua|isConnector) != isWord {
				break
			}
			all |= property
			end += size
		}
		s.addPlain(text, i, end, end, all&isAlphabetic != 0)
	}
	return end
}

// skipRest continues a link at text[i] and returns its end, or as much of it as can be decided.
func (s *scanner) skipRest(text []byte, i int, final bool) int {
	decided := true
	switch s.rest {
	case restTail:
		for i < len(text) && asciiClasses[text[i]]&inTail != 0 {
			i++
		}
		decided = i < len(text)
	case restLabels:
		for {
			decided = final || i+lookahead <= len(text)
			end := labelAt(text, i)
			if !decided || end == 0 {
				break
			}
			i = end
		}
	}
	if decided || final {
		s.rest = noLink
	}
	if i > 0 { // otherwise the link continues from an earlier text and ends there
		s.afterWord = kinds[text[i-1]]&kindWord != 0
	}
	return i
}

// rebase prepares for a text without its first bytes, and returns their number.
func (s *scanner) rebase(text []byte, i int) int {
	from := s.stretch.rebase(text, i)
	s.at = i - from
	s.schemeEnd, s.localEnd = 0, 0
	return from
}

func (s *scanner) emit(token []byte) {
	s.counts.add(token)
	s.record.token(token)
}
