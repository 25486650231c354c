package simhashdoc

import (
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
)

// Fingerprint is the fingerprint of a document. Equal values compare equal with ==. The zero value is not a
// fingerprint: its scheme is unknown.
type Fingerprint struct {
	scheme Scheme
	custom bool
	lanes  [maxLanes]uint64
}

const alphabet = "abcdefghijklmnopqrstuvwxyz234567"

var encoding = base32.NewEncoding(alphabet).WithPadding(base32.NoPadding)

// FromBytes returns the fingerprint with the given bytes, the most significant byte of the first lane first. canonical
// is false for fingerprints of other tokens than the specification's. The error is ErrUnknownScheme or ErrBadLength.
func FromBytes(b []byte, s Scheme, canonical bool) (Fingerprint, error) {
	if err := s.check(); err != nil {
		return Fingerprint{}, err
	}
	if len(b)*8 != s.Bits() {
		return Fingerprint{}, fmt.Errorf("%w (found %d bytes; %s has %d)", ErrBadLength, len(b), s, s.Bits()/8)
	}
	f := Fingerprint{scheme: s, custom: !canonical}
	for i := range s.Lanes() {
		f.lanes[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return f, nil
}

// Parse reads a text form: "sd64:raeidodvqipge", "sd64+custom:raeidodvqipge" or, without its scheme, "raeidodvqipge".
// Letters may be in either case. The error wraps ErrUnknownScheme, ErrPadding, ErrBadCharacter, ErrBadLength or
// ErrSpareBits, the first of those that apply.
func Parse(text string) (Fingerprint, error) { return parse(text, 0) }

// ParseAs reads a text form that is expected to be of the scheme s, with the errors of Parse. A text of another scheme
// is ErrSchemeMismatch.
func ParseAs(text string, s Scheme) (Fingerprint, error) {
	if err := s.check(); err != nil {
		return Fingerprint{}, err
	}
	return parse(text, s)
}

func parse(text string, expected Scheme) (Fingerprint, error) {
	f := Fingerprint{scheme: expected}
	digits := text
	if prefix, rest, named := strings.Cut(text, ":"); named {
		id, custom := strings.CutSuffix(lowerASCII(prefix), "+custom")
		s, err := ParseScheme(id)
		if err != nil {
			return Fingerprint{}, err
		}
		if expected != 0 && s != expected {
			return Fingerprint{}, fmt.Errorf("%w (found %s; expected %s)", ErrSchemeMismatch, s, expected)
		}
		f.scheme, f.custom, digits = s, custom, rest
	}
	if at := strings.IndexByte(digits, '='); at >= 0 {
		return Fingerprint{}, fmt.Errorf("%w (at byte %d of %q)", ErrPadding, at, digits)
	}
	lower := lowerASCII(digits)
	for i := range len(lower) {
		if strings.IndexByte(alphabet, lower[i]) < 0 {
			return Fingerprint{}, fmt.Errorf("%w (at byte %d of %q)", ErrBadCharacter, i, digits)
		}
	}
	for _, s := range Schemes() {
		if f.scheme == 0 && s.Characters() == len(lower) {
			f.scheme = s
		}
	}
	if f.scheme.Characters() != len(lower) || len(lower) == 0 {
		return Fingerprint{}, fmt.Errorf("%w (found %d characters: %q)", ErrBadLength, len(lower), digits)
	}
	spare := uint(5*f.scheme.Characters() - f.scheme.Bits())
	if strings.IndexByte(alphabet, lower[len(lower)-1])&(1<<spare-1) != 0 {
		return Fingerprint{}, fmt.Errorf("%w (%q)", ErrSpareBits, digits)
	}
	b, err := encoding.DecodeString(lower)
	if err != nil {
		return Fingerprint{}, fmt.Errorf("%w (%q)", ErrBadLength, digits)
	}
	for i := range f.scheme.Lanes() {
		f.lanes[i] = binary.BigEndian.Uint64(b[8*i:])
	}
	return f, nil
}

func lowerASCII(text string) string {
	b := []byte(text)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// Scheme returns the scheme.
func (f Fingerprint) Scheme() Scheme { return f.scheme }

// Canonical reports whether the fingerprint was computed with the specification's tokens; false is the mark +custom.
func (f Fingerprint) Canonical() bool { return !f.custom }

// Lane returns lane i, counted from 0. Lane 0 is the 64-bit fingerprint.
func (f Fingerprint) Lane(i int) uint64 { return f.lanes[:f.scheme.Lanes()][i] }

// Bytes returns the bytes, the most significant byte of lane 0 first.
func (f Fingerprint) Bytes() []byte {
	var b []byte
	for _, lane := range f.lanes[:f.scheme.Lanes()] {
		b = binary.BigEndian.AppendUint64(b, lane)
	}
	return b
}

// Narrow returns the fingerprint of the same text in a scheme that is not wider: its first lanes. The mark +custom
// stays. The error is ErrUnknownScheme, or ErrSchemeMismatch if the scheme is wider.
func (f Fingerprint) Narrow(s Scheme) (Fingerprint, error) {
	if err := s.check(); err != nil {
		return Fingerprint{}, err
	}
	if s > f.scheme {
		return Fingerprint{}, fmt.Errorf("%w (%s is narrower than %s)", ErrSchemeMismatch, f.scheme, s)
	}
	f.scheme = s
	clear(f.lanes[s.Lanes():])
	return f, nil
}

// Base32 returns the text form without its scheme, such as "raeidodvqipge".
func (f Fingerprint) Base32() string { return encoding.EncodeToString(f.Bytes()) }

// String returns the text form with its scheme, such as "sd64:raeidodvqipge". Parse reads it.
func (f Fingerprint) String() string {
	mark := ""
	if f.custom {
		mark = "+custom"
	}
	return f.scheme.String() + mark + ":" + f.Base32()
}

// MarshalText returns the text form with its scheme.
func (f Fingerprint) MarshalText() ([]byte, error) {
	if err := f.scheme.check(); err != nil {
		return nil, err
	}
	return []byte(f.String()), nil
}

// UnmarshalText reads a text form as Parse does.
func (f *Fingerprint) UnmarshalText(text []byte) (err error) {
	*f, err = Parse(string(text))
	return err
}

// Distance returns the number of bits in which two fingerprints differ. The error is ErrSchemeMismatch. The mark
// +custom is not compared.
func Distance(a, b Fingerprint) (int, error) {
	if a.scheme != b.scheme {
		return 0, fmt.Errorf("%w (found %s and %s)", ErrSchemeMismatch, a.scheme, b.scheme)
	}
	return hamming(a.lanes[:], b.lanes[:]), a.scheme.check()
}

// Similarity returns 1 - distance / bits, from 0 to 1. The error is that of Distance.
func Similarity(a, b Fingerprint) (float64, error) {
	d, err := Distance(a, b)
	if err != nil {
		return 0, err
	}
	return 1 - float64(d)/float64(a.scheme.Bits()), nil
}

// hamming returns the distance of two rows of lanes.
func hamming(a, b []uint64) int {
	d := 0
	for i, x := range a {
		d += bits.OnesCount64(x ^ b[i])
	}
	return d
}
