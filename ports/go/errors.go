package simhashdoc

// Error is the name of an error condition in section 14 of the specification. Errors of this package wrap one of the
// constants below, so errors.Is finds it.
type Error string

// The error conditions of the specification. There is no over-limit: the package has no limit on the size of a text.
const (
	ErrNoToken        Error = "no-token"        // the text contains no token
	ErrUnknownScheme  Error = "unknown-scheme"  // the scheme is not in the registry
	ErrPadding        Error = "padding"         // the text form contains "="
	ErrBadCharacter   Error = "bad-character"   // the text form contains a character outside the alphabet
	ErrBadLength      Error = "bad-length"      // the number of characters or bytes is not the scheme's
	ErrSpareBits      Error = "spare-bits"      // a spare bit is 1
	ErrSchemeMismatch Error = "scheme-mismatch" // the scheme is not the expected one, two schemes differ, or the one to narrow to is wider
)

var explanations = map[Error]string{
	ErrNoToken:        "the text contains no token",
	ErrUnknownScheme:  "the scheme is not sd64, sd128, sd256 or sd512",
	ErrPadding:        "the text form contains the padding character =",
	ErrBadCharacter:   "the text form contains a character other than a-z, A-Z and 2-7",
	ErrBadLength:      "the length is not that of the scheme",
	ErrSpareBits:      "a spare bit of the last character is 1",
	ErrSchemeMismatch: "the schemes differ",
}

// Error returns the name and what it means.
func (e Error) Error() string {
	if explanation, ok := explanations[e]; ok {
		return "simhashdoc: " + string(e) + ": " + explanation
	}
	return "simhashdoc: " + string(e)
}

// Name returns the name of the condition as the specification writes it, such as "no-token".
func (e Error) Name() string { return string(e) }
