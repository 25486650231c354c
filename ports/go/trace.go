package simhashdoc

import "slices"

// Trace holds the results of the steps from a text to its fingerprint.
type Trace struct {
	Folded      string      // section 4 of the specification
	LinkFree    string      // section 5
	Tokens      []string    // section 6: before the cap, in the order of their bytes, repeated ones repeated
	Buckets     []int8      // section 8; nil if there is no token
	Fingerprint Fingerprint // the zero value if there is no token
}

// TraceText returns the results of the steps. The errors are those of Sum; with ErrNoToken, the results of the steps
// up to the tokens are returned, too.
func TraceText[T string | []byte](text T, s Scheme) (*Trace, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p := newPipeline()
	defer p.release()
	p.record = &recorder{}
	writeText(p, text)
	p.end()
	t := &Trace{Folded: string(p.record.folded), LinkFree: string(p.record.linkFreeText), Tokens: p.record.tokens}
	slices.Sort(t.Tokens)
	var err error
	if t.Buckets, err = bucketsOf(p.counts, nil, s); err != nil {
		return t, err
	}
	t.Fingerprint, err = fingerprintOf(p.counts, nil, s)
	return t, err
}
