package simhashdoc

const (
	replacement = 0xFFFD
	// incomplete is returned by decodeRune if the bytes end inside a sequence.
	incomplete = -1
)

// decodeRune returns the first code point of b and the number of its bytes. The first part of an ill-formed sequence,
// its maximal subpart (SD-INPUT-2), is U+FFFD. If b is a proper prefix of a well-formed sequence, the code point is
// incomplete and the number is that of all bytes.
func decodeRune(b []byte) (rune, int) {
	first := b[0]
	if first < 0x80 {
		return rune(first), 1
	}
	if first < 0xC2 || first > 0xF4 {
		return replacement, 1
	}
	low, high := byte(0x80), byte(0xBF)
	size, r := 2, rune(first&0x1F)
	switch {
	case first >= 0xF0:
		size, r = 4, rune(first&0x07)
		if first == 0xF0 {
			low = 0x90
		} else if first == 0xF4 {
			high = 0x8F
		}
	case first >= 0xE0:
		size, r = 3, rune(first&0x0F)
		if first == 0xE0 {
			low = 0xA0
		} else if first == 0xED {
			high = 0x9F
		}
	}
	for i := 1; i < size; i++ {
		if i == len(b) {
			return incomplete, i
		}
		if b[i] < low || b[i] > high {
			return replacement, i
		}
		low, high = 0x80, 0xBF
		r = r<<6 | rune(b[i]&0x3F)
	}
	return r, size
}

// validRune returns the first code point of well-formed UTF-8 and the number of its bytes.
func validRune(b []byte) (rune, int) {
	switch {
	case b[0] < 0x80:
		return rune(b[0]), 1
	case b[0] < 0xE0:
		return rune(b[0]&0x1F)<<6 | rune(b[1]&0x3F), 2
	case b[0] < 0xF0:
		return rune(b[0]&0x0F)<<12 | rune(b[1]&0x3F)<<6 | rune(b[2]&0x3F), 3
	}
	return rune(b[0]&0x07)<<18 | rune(b[1]&0x3F)<<12 | rune(b[2]&0x3F)<<6 | rune(b[3]&0x3F), 4
}

func appendRune(b []byte, r rune) []byte {
	switch {
	case r < 0x80:
		return append(b, byte(r))
	case r < 0x800:
		return append(b, byte(0xC0|r>>6), byte(0x80|r&0x3F))
	case r < 0x10000:
		return append(b, byte(0xE0|r>>12), byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F))
	}
	return append(b, byte(0xF0|r>>18), byte(0x80|r>>12&0x3F), byte(0x80|r>>6&0x3F), byte(0x80|r&0x3F))
}
