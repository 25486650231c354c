package simhashdoc

import (
	"encoding/binary"
	"slices"
)

// Actions of the table foldBlocks; internal/gen defines the same.
const (
	foldKeep    = iota // stays, and nothing before it changes it
	foldReplace        // becomes U+FFFD
	foldDelete         // maps to nothing
	foldFeed           // stays, and has to be normalized together with what precedes it
	foldMapped         // foldMapped + i: becomes mapping number i
)

// feedMapping is set in foldMappings if the mapping has to be normalized with what precedes it.
const feedMapping = 1 << 28

// folder folds a text that is given in pieces (section 4 of the specification).
//
// Nearly all text is in NFC after folding and is appended to out as it is. out[last:] is the part that a following
// mark, or another second code point of a composite, can still change. If one follows, that part is moved to the
// normalizer, which is then active until a code point comes that ends its segment (appendix C).
type folder struct {
	out      []byte
	last     int
	norm     normalizer
	part     [4]byte // an incomplete sequence at the end of the last piece
	partSize int
}

// fold appends the folded form of a piece of UTF-8 to out.
func (f *folder) fold(piece []byte) {
	if f.partSize > 0 {
		piece = f.completePart(piece)
	}
	for i := 0; i < len(piece); {
		if piece[i] < 0x80 {
			i += f.foldASCII(piece[i:])
			continue
		}
		if n := f.foldKept(piece[i:]); n > 0 {
			i += n
			continue
		}
		r, size := decodeRune(piece[i:])
		if r == incomplete {
			f.partSize = copy(f.part[:], piece[i:])
			return
		}
		if r == replacement {
			f.replace()
		} else {
			f.foldRune(r, piece[i:i+size])
		}
		i += size
	}
}

// foldKept appends the code points at the start of b that are not ASCII and stay as they are, and returns the number of
// their bytes.
func (f *folder) foldKept(b []byte) int {
	i, last := 0, 0
	for i < len(b) && b[i] >= 0x80 {
		r, size := decodeRune(b[i:])
		if r == incomplete || r == replacement || foldBlocks[int(foldIndex[r>>7])<<7|int(r&127)] != foldKeep {
			break
		}
		last = i
		i += size
	}
	if i > 0 {
		f.settle()
		f.last = len(f.out) + last
		f.out = append(f.out, b[:i]...)
	}
	return i
}

// completePart folds the code point that began in an earlier piece, and returns the rest of this piece.
func (f *folder) completePart(piece []byte) []byte {
	for len(piece) > 0 {
		n := f.partSize
		f.part[n] = piece[0]
		r, size := decodeRune(f.part[:n+1])
		if r == incomplete {
			f.partSize, piece = size, piece[1:]
			continue
		}
		f.partSize = 0
		if r == replacement {
			f.replace()
		} else {
			f.foldRune(r, f.part[:size])
		}
		return piece[size-n:] // an ill-formed sequence ends before piece[0]
	}
	return nil
}

// finish ends the text.
func (f *folder) finish() {
	if f.partSize > 0 {
		f.partSize = 0
		f.replace()
	}
	f.settle()
	f.last = len(f.out)
}

// stable returns the length of the part of out that nothing can change.
func (f *folder) stable() int {
	if f.norm.active {
		return len(f.out)
	}
	return f.last
}

// foldRune folds a code point other than ASCII. b is its UTF-8.
func (f *folder) foldRune(r rune, b []byte) {
	action := foldBlocks[int(foldIndex[r>>7])<<7|int(r&127)]
	switch action {
	case foldKeep:
		f.settle()
		f.last = len(f.out)
		f.out = append(f.out, b...)
	case foldReplace:
		f.replace()
	case foldDelete:
	case foldFeed:
		f.feed(r)
	default:
		m := foldMappings[action-foldMapped]
		mapping := foldBytes[m&0xFFFF : m&0xFFFF+m>>16&0x3F]
		if m&feedMapping != 0 {
			for _, c := range mapping {
				f.feed(c)
			}
			return
		}
		f.settle()
		f.last = len(f.out) + int(m>>22&0x3F)
		f.out = append(f.out, mapping...)
	}
}

func (f *folder) replace() {
	f.settle()
	f.last = len(f.out)
	f.out = appendRune(f.out, replacement)
}

// foldASCII folds the ASCII characters at the start of b and returns their number, at least 1.
func (f *folder) foldASCII(b []byte) int {
	const (
		ones  = 0x0101010101010101
		tops  = 0x80 * ones
		fromA = (0x80 - 'A') * ones
		pastZ = (0x80 - 'Z' - 1) * ones
	)
	f.settle()
	at := len(f.out)
	f.out = slices.Grow(f.out, len(b))
	out := f.out[at : at+len(b)]
	n := 0
	for ; n+8 <= len(b); n += 8 {
		w := binary.LittleEndian.Uint64(b[n:])
		if w&tops != 0 {
			break
		}
		capitals := (w + fromA) &^ (w + pastZ) & tops
		binary.LittleEndian.PutUint64(out[n:], w|capitals>>2)
	}
	for ; n < len(b) && b[n] < 0x80; n++ {
		c := b[n]
		if 'A' <= c && c <= 'Z' {
			c += 'a' - 'A'
		}
		out[n] = c
	}
	f.out = f.out[:at+n]
	f.last = at + n - 1
	return n
}
