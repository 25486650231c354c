package simhashdoc

const (
	outside  = iota // not in a word
	plain           // in a stretch of code points that are not in continua.txt
	continua        // in a stretch of code points that are
)

// stretch is the stretch of SD-SPLIT-1 that the scanner is in.
//
// A plain stretch is text[start:end], without connectors at its ends; start is -1 as long as there are only
// connectors. If it began in an earlier piece of the text, it is carry[:carryEnd] instead. Of a continua stretch, only
// the last code point is needed: text[start:end].
type stretch struct {
	state      uint8
	alphabetic bool // plain: whether any code point is alphabetic; continua: whether the last one is
	single     bool // continua: whether it has one code point so far
	start, end int
	carry      []byte
	carryEnd   int
}

// addWord adds the ASCII word text[i:end] to the stretch, or starts one.
func (s *scanner) addWord(text []byte, i, end int, kind uint8) {
	contentEnd := end
	if kind&kindConnector != 0 {
		for contentEnd > i && text[contentEnd-1] == '_' {
			contentEnd--
		}
		if s.stretch.state != plain || s.stretch.isEmpty() {
			for i < contentEnd && text[i] == '_' {
				i++
			}
		}
	}
	s.addPlain(text, i, contentEnd, end, kind&kindLetter != 0)
}

// addPlain adds text[i:end], in which everything from contentEnd on is connectors. If the stretch is empty, text[i]
// is not a connector, unless i is contentEnd.
func (s *scanner) addPlain(text []byte, i, contentEnd, end int, alphabetic bool) {
	t := &s.stretch
	if t.state != plain {
		s.endStretch(text)
		t.state, t.start, t.alphabetic = plain, -1, false
	}
	t.alphabetic = t.alphabetic || alphabetic
	switch {
	case len(t.carry) > 0:
		t.carry = append(t.carry, text[i:end]...)
		if contentEnd > i {
			t.carryEnd = len(t.carry) - (end - contentEnd)
		}
	case contentEnd > i:
		if t.start < 0 {
			t.start = i
		}
		t.end = contentEnd
	}
}

// addContinua adds the code point text[i:end], which is in continua.txt.
func (s *scanner) addContinua(text []byte, i, end int, alphabetic bool) {
	t := &s.stretch
	if t.state == continua {
		if t.alphabetic || alphabetic {
			s.emit(text[t.start:end])
		}
		t.single = false
	} else {
		s.endStretch(text)
		t.state, t.single = continua, true
	}
	t.start, t.end, t.alphabetic = i, end, alphabetic
}

// endStretch ends the stretch, if there is one.
func (s *scanner) endStretch(text []byte) {
	t := &s.stretch
	if t.state == outside {
		return
	}
	switch {
	case !t.alphabetic || t.state == continua && !t.single:
	case len(t.carry) > 0:
		s.emit(t.carry[:t.carryEnd])
	default:
		s.emit(text[t.start:t.end])
	}
	t.carry = t.carry[:0]
	t.state = outside
}

// isEmpty reports whether a plain stretch consists of connectors so far.
func (t *stretch) isEmpty() bool { return t.start < 0 && len(t.carry) == 0 }

// rebase returns how many of the bytes before text[i] are not needed for the stretch.
func (t *stretch) rebase(text []byte, i int) int {
	switch {
	case t.state == continua:
		from := t.start
		t.start, t.end = 0, t.end-from
		return from
	case t.state == plain && t.start >= 0:
		t.carry = append(t.carry[:0], text[t.start:i]...)
		t.carryEnd = t.end - t.start
		t.start = -1
	}
	return i
}
