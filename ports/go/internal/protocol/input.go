package protocol

import (
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf16"
)

// inputMembers are the members of a request of which one holds the input.
var inputMembers = []string{"text", "bytes", "utf16", "recipe"}

// input returns the input of a request in UTF-8, which may be ill-formed if it was given as bytes.
func (r Request) input() ([]byte, error) {
	for _, name := range inputMembers {
		raw, given := r[name]
		if !given {
			continue
		}
		if name == "recipe" {
			var out strings.Builder
			err := expand(raw, &out)
			return []byte(out.String()), err
		}
		var text string
		if err := json.Unmarshal(raw, &text); err != nil {
			return nil, err
		}
		switch name {
		case "bytes":
			return hex.DecodeString(text)
		case "utf16":
			return decodeUTF16(text)
		}
		return []byte(text), nil
	}
	return nil, fmt.Errorf("the request has none of %s", strings.Join(inputMembers, ", "))
}

// decodeUTF16 reads code units in hexadecimal; lone surrogates become U+FFFD.
func decodeUTF16(digits string) ([]byte, error) {
	units := make([]uint16, 0, len(digits)/4)
	for ; len(digits) >= 4; digits = digits[4:] {
		unit, err := strconv.ParseUint(digits[:4], 16, 16)
		if err != nil {
			return nil, err
		}
		units = append(units, uint16(unit))
	}
	return []byte(string(utf16.Decode(units))), nil
}

// recipe describes a large input; at most one of its forms is used.
type recipe struct {
	Repeat   *string
	Count    int
	Words    *int
	Distinct uint64
	Seed     uint64
	Letters  string
	Scalars  *[2]rune
	Template string
	Concat   *[]json.RawMessage
	UTF8     json.RawMessage
}

func expand(raw json.RawMessage, out *strings.Builder) error {
	var text string
	if json.Unmarshal(raw, &text) == nil {
		out.WriteString(text)
		return nil
	}
	var r recipe
	if err := json.Unmarshal(raw, &r); err != nil {
		return err
	}
	switch {
	case r.UTF8 != nil:
		return expand(r.UTF8, out)
	case r.Concat != nil:
		for _, part := range *r.Concat {
			if err := expand(part, out); err != nil {
				return err
			}
		}
	case r.Repeat != nil:
		out.WriteString(strings.Repeat(*r.Repeat, r.Count))
	case r.Scalars != nil:
		for c := r.Scalars[0]; c <= r.Scalars[1]; c++ {
			if c < 0xD800 || c > 0xDFFF {
				out.WriteString(strings.ReplaceAll(r.Template, "{}", string(c)))
			}
		}
	case r.Words != nil:
		r.writeWords(out)
	default:
		return fmt.Errorf("unknown recipe: %s", raw)
	}
	return nil
}

func (r *recipe) writeWords(out *strings.Builder) {
	letters := []rune(r.Letters)
	base := uint64(len(letters))
	x := r.Seed
	for range *r.Words {
		x = 6364136223846793005*x + 1442695040888963407
		var word []rune // least significant letter first
		for n := (x>>33)%r.Distinct + 1; n > 0; n = (n - 1) / base {
			word = append(word, letters[(n-1)%base])
		}
		for i := len(word) - 1; i >= 0; i-- {
			out.WriteRune(word[i])
		}
		out.WriteByte(' ')
	}
}
