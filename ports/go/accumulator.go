package simhashdoc

// Accumulator computes the fingerprint of a text that is written in pieces. A piece may end anywhere, inside a
// character or a link too. The zero value is an accumulator of the empty text. It must not be copied after the first
// write, nor used by several goroutines at once.
//
// An Accumulator implements io.Writer and io.StringWriter.
type Accumulator struct {
	p *pipeline
}

// Write adds a piece of the text, in UTF-8. It returns len(piece) and no error.
func (a *Accumulator) Write(piece []byte) (int, error) {
	a.pipeline().write(piece)
	return len(piece), nil
}

// WriteString adds a piece of the text. It returns len(piece) and no error.
func (a *Accumulator) WriteString(piece string) (int, error) {
	writeText(a.pipeline(), piece)
	return len(piece), nil
}

// Sum returns the fingerprint of what has been written. More can be written afterwards. The errors are those of the
// function Sum.
func (a *Accumulator) Sum(s Scheme) (Fingerprint, error) {
	if err := s.check(); err != nil {
		return Fingerprint{}, err
	}
	p := a.pipeline()
	return fingerprintOf(p.counts, p.tail(), s)
}

// Buckets returns the buckets of what has been written. More can be written afterwards.
func (a *Accumulator) Buckets(s Scheme) ([]int8, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p := a.pipeline()
	return bucketsOf(p.counts, p.tail(), s)
}

// Reset forgets what has been written.
func (a *Accumulator) Reset() {
	if a.p != nil {
		a.p.reset()
	}
}

func (a *Accumulator) pipeline() *pipeline {
	if a.p == nil {
		a.p = newPipeline()
	}
	return a.p
}
