package protocol

import (
	"errors"
	"fmt"
	"strings"

	simhashdoc "github.com/simhash-doc/simhash-doc/ports/go"
)

func fingerprint(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	text, err := r.input()
	if err != nil {
		return nil, err
	}
	if _, given := r["cuts"]; given {
		return fingerprintOfPieces(r, text, scheme)
	}
	f, err := simhashdoc.Sum(text, scheme)
	return f.String(), err
}

func fingerprintOfPieces(r Request, text []byte, scheme simhashdoc.Scheme) (any, error) {
	if _, given := r["utf16"]; given {
		return nil, errUnsupported // pieces are bytes
	}
	cuts, err := member[[]int](r, "cuts")
	if err != nil {
		return nil, err
	}
	var a simhashdoc.Accumulator
	start := 0
	for _, end := range append(cuts, len(text)) {
		a.Write(text[start:end])
		start = end
	}
	f, err := a.Sum(scheme)
	return f.String(), err
}

func buckets(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	text, err := r.input()
	if err != nil {
		return nil, err
	}
	return simhashdoc.Buckets(text, scheme)
}

// steps returns the steps up to the tokens.
func steps(r Request) (*simhashdoc.Trace, error) {
	text, err := r.input()
	if err != nil {
		return nil, err
	}
	t, err := simhashdoc.TraceText(text, simhashdoc.SD64)
	if errors.Is(err, simhashdoc.ErrNoToken) {
		err = nil
	}
	return t, err
}

func fold(r Request) (any, error) {
	t, err := steps(r)
	if err != nil {
		return nil, err
	}
	return orDigest(r, t.Folded, t.Folded)
}

func tokens(r Request) (any, error) {
	t, err := steps(r)
	if err != nil {
		return nil, err
	}
	if len(t.Tokens) == 0 {
		return orDigest(r, []string{}, "")
	}
	return orDigest(r, t.Tokens, strings.Join(t.Tokens, "\n")+"\n")
}

// orDigest returns the result, or the hash of its text if the request has "digest": true.
func orDigest(r Request, result any, text string) (any, error) {
	if _, given := r["digest"]; !given {
		return result, nil
	}
	digest, err := member[bool](r, "digest")
	if err != nil || !digest {
		return result, err
	}
	return hexHashes(text, simhashdoc.SD64), nil
}

func hashTokens(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	tokens, err := member[[]string](r, "tokens")
	if err != nil {
		return nil, err
	}
	hashes := make([]string, len(tokens))
	for i, token := range tokens {
		hashes[i] = hexHashes(token, scheme)
	}
	return hashes, nil
}

func hexHashes(token string, scheme simhashdoc.Scheme) string {
	var digits strings.Builder
	for _, hash := range simhashdoc.HashToken(token, scheme) {
		fmt.Fprintf(&digits, "%016x", hash)
	}
	return digits.String()
}

func trace(r Request) (any, error) {
	scheme, err := r.scheme()
	if err != nil {
		return nil, err
	}
	text, err := r.input()
	if err != nil {
		return nil, err
	}
	t, err := simhashdoc.TraceText(text, scheme)
	if err != nil && !errors.Is(err, simhashdoc.ErrNoToken) {
		return nil, err
	}
	result := map[string]any{"folded": t.Folded, "prepared": t.LinkFree, "tokens": append([]string{}, t.Tokens...)}
	if err != nil {
		result["error"] = simhashdoc.ErrNoToken.Name()
	} else {
		result["buckets"] = t.Buckets
		result["fingerprint"] = t.Fingerprint.String()
	}
	return result, nil
}
