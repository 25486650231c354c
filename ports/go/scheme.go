//go:generate go run ./internal/gen ../../spec/data

package simhashdoc

import "fmt"

// Scheme is a width of fingerprints. The zero value is not a scheme.
type Scheme uint8

// The schemes of the registry. A wide fingerprint begins with the SD64 fingerprint of the same text.
const (
	SD64  Scheme = iota + 1 // 64 bits, 13 characters
	SD128                   // 128 bits, 26 characters
	SD256                   // 256 bits, 52 characters
	SD512                   // 512 bits, 103 characters
)

const maxLanes = 8

type schemeData struct {
	id, name                       string
	bits, characters, close, loose int
}

var registry = [...]schemeData{
	{},
	{"sd64", "simhash-doc-64", 64, 13, 3, 6},
	{"sd128", "simhash-doc-128", 128, 26, 10, 16},
	{"sd256", "simhash-doc-256", 256, 52, 26, 36},
	{"sd512", "simhash-doc-512", 512, 103, 56, 76},
}

// Schemes returns all schemes, the narrowest first.
func Schemes() []Scheme { return []Scheme{SD64, SD128, SD256, SD512} }

// ParseScheme returns the scheme with a short id, written exactly as in the registry: "sd64". The error is
// ErrUnknownScheme.
func ParseScheme(id string) (Scheme, error) {
	for _, s := range Schemes() {
		if s.ID() == id {
			return s, nil
		}
	}
	return 0, fmt.Errorf("%w (found %q)", ErrUnknownScheme, id)
}

func (s Scheme) data() *schemeData {
	if int(s) < len(registry) {
		return &registry[s]
	}
	return &registry[0]
}

func (s Scheme) check() error {
	if s.Bits() == 0 {
		return fmt.Errorf("%w (found Scheme(%d))", ErrUnknownScheme, uint8(s))
	}
	return nil
}

// ID returns the short id, such as "sd64".
func (s Scheme) ID() string { return s.data().id }

// Name returns the long name, such as "simhash-doc-64".
func (s Scheme) Name() string { return s.data().name }

// Bits returns the number of bits of a fingerprint.
func (s Scheme) Bits() int { return s.data().bits }

// Lanes returns the number of 64-bit lanes of a fingerprint.
func (s Scheme) Lanes() int { return s.data().bits / 64 }

// Characters returns the length of the text form without its scheme.
func (s Scheme) Characters() int { return s.data().characters }

// Close returns the greatest distance of two documents that are close (search.md of the specification).
func (s Scheme) Close() int { return s.data().close }

// Loose returns the greatest distance of two documents that are close or loose.
func (s Scheme) Loose() int { return s.data().loose }

// String returns the short id.
func (s Scheme) String() string {
	if s.Bits() == 0 {
		return fmt.Sprintf("Scheme(%d)", uint8(s))
	}
	return s.ID()
}
