// Package protocol answers the requests of the conformance protocol (conformance/PROTOCOL.md) with package simhashdoc.
package protocol

import (
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	simhashdoc "github.com/simhash-doc/simhash-doc/ports/go"
)

// Version is the version of the module, which CHANGELOG.md and the tag name, too.
const Version = "0.1.0"

// Request holds the members of a request.
type Request map[string]json.RawMessage

// Answer is an answer; exactly one of Result, Error and Unsupported is set.
type Answer struct {
	ID          json.RawMessage `json:"id,omitempty"`
	Result      any             `json:"result,omitempty"`
	Error       string          `json:"error,omitempty"`
	Unsupported bool            `json:"unsupported,omitempty"`
}

// errUnsupported is the error of a request that the protocol allows and the package cannot answer.
var errUnsupported = errors.New("unsupported")

var operations = map[string]func(Request) (any, error){
	"fingerprint": fingerprint,
	"encode":      encode,
	"decode":      decode,
	"distance":    distance,
	"narrow":      narrow,
	"fold":        fold,
	"tokens":      tokens,
	"hash_tokens": hashTokens,
	"buckets":     buckets,
	"query":       query,
	"find_all":    findAll,
	"update":      update,
	"trace":       trace,
}

// Hello returns the answer to the handshake.
func Hello() map[string]any {
	var names, schemes []string
	for name := range operations {
		names = append(names, name)
	}
	slices.Sort(names)
	for _, s := range simhashdoc.Schemes() {
		schemes = append(schemes, s.ID())
	}
	return map[string]any{
		"protocol": 1, "name": "simhash-doc-go", "version": Version, "language": "Go", "unicode": "15.0.0",
		"operations": names, "schemes": schemes, "features": []string{"surrogates", "digest", "recipes", "cuts"},
	}
}

// Handle answers a request other than the handshake. The error is that of a request that is not of the protocol.
func Handle(r Request) (Answer, error) {
	answer := Answer{ID: r["id"]}
	name, err := member[string](r, "op")
	if err != nil {
		return answer, err
	}
	operation, ok := operations[name]
	if !ok {
		answer.Unsupported = true
		return answer, nil
	}
	result, err := operation(r)
	if errors.Is(err, errUnsupported) {
		answer.Unsupported = true
		return answer, nil
	}
	var named simhashdoc.Error
	if errors.As(err, &named) {
		answer.Error = named.Name()
		return answer, nil
	}
	answer.Result = result
	return answer, err
}

// member reads a member of a request.
func member[T any](r Request, name string) (value T, err error) {
	raw, given := r[name]
	if !given {
		return value, fmt.Errorf("the request has no member %q", name)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		return value, fmt.Errorf("member %q: %w", name, err)
	}
	return value, nil
}

func (r Request) scheme() (simhashdoc.Scheme, error) {
	id, err := member[string](r, "scheme")
	if err != nil {
		return 0, err
	}
	return simhashdoc.ParseScheme(id)
}

func encode(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	digits, err := member[string](r, "hex")
	if err != nil {
		return nil, err
	}
	b, err := hex.DecodeString(digits)
	if err != nil {
		return nil, err
	}
	canonical, err := member[bool](r, "canonical")
	if err != nil {
		return nil, err
	}
	f, err := simhashdoc.FromBytes(b, scheme, canonical)
	return f.String(), err
}

func decode(r Request) (any, error) {
	text, err := member[string](r, "text")
	if err != nil {
		return nil, err
	}
	var f simhashdoc.Fingerprint
	if _, given := r["scheme"]; given {
		scheme, err := r.scheme()
		if err != nil {
			return nil, err
		}
		f, err = simhashdoc.ParseAs(text, scheme)
		if err != nil {
			return nil, err
		}
	} else if f, err = simhashdoc.Parse(text); err != nil {
		return nil, err
	}
	return map[string]any{"scheme": f.Scheme().ID(), "hex": hex.EncodeToString(f.Bytes()), "canonical": f.Canonical()}, nil
}

func distance(r Request) (any, error) {
	var values [2]simhashdoc.Fingerprint
	for i, name := range []string{"a", "b"} {
		text, err := member[string](r, name)
		if err != nil {
			return nil, err
		}
		if values[i], err = simhashdoc.Parse(text); err != nil {
			return nil, err
		}
	}
	d, err := simhashdoc.Distance(values[0], values[1])
	if err != nil {
		return nil, err
	}
	similarity, err := simhashdoc.Similarity(values[0], values[1])
	return map[string]any{"distance": d, "similarity": similarity}, err
}

func narrow(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	text, err := member[string](r, "text")
	if err != nil {
		return nil, err
	}
	f, err := simhashdoc.Parse(text)
	if err != nil {
		return nil, err
	}
	f, err = f.Narrow(scheme)
	return f.String(), err
}
