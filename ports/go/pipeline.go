package simhashdoc

import "sync"

// blockSize is the number of bytes that are folded, and then scanned, at a time.
const blockSize = 16 << 10

// maxKeptBuffer is the size of the largest buffer that is kept for the next document.
const maxKeptBuffer = 1 << 20

// pipeline computes the token counts of a text that is given in pieces.
type pipeline struct {
	folder
	scanner
	own   tokenCounts
	block []byte // a part of a string that is written
}

var pipelines = sync.Pool{New: func() any { return new(pipeline) }}

func newPipeline() *pipeline {
	p := pipelines.Get().(*pipeline)
	p.scanner.counts = &p.own
	return p
}

// release makes the memory of the pipeline available to the next one.
func (p *pipeline) release() {
	p.reset()
	pipelines.Put(p)
}

// reset forgets the text.
func (p *pipeline) reset() {
	out, carry := p.out[:0], p.stretch.carry[:0]
	if cap(out) > maxKeptBuffer {
		out = nil
	}
	if cap(carry) > maxKeptBuffer {
		carry = nil
	}
	p.folder = folder{out: out}
	p.scanner = scanner{stretch: stretch{carry: carry}, counts: &p.own}
	p.own.reset()
}

// write adds a piece of the text.
func (p *pipeline) write(piece []byte) {
	for len(piece) > 0 {
		n := min(len(piece), blockSize)
		p.fold(piece[:n])
		piece = piece[n:]
		if len(p.out) >= blockSize {
			p.advance(p.stable(), false)
		}
	}
}

// end ends the text.
func (p *pipeline) end() {
	p.finish()
	p.advance(len(p.out), true)
}

// advance scans the folded text up to end and removes what has been scanned.
func (p *pipeline) advance(end int, final bool) {
	used := p.scan(p.out[:end], final)
	p.record.fold(p.out[:used])
	p.out = p.out[:copy(p.out, p.out[used:])]
	p.last -= used
}

// writeText adds a text that is a string or bytes.
func writeText[T string | []byte](p *pipeline, text T) {
	if b, ok := any(text).([]byte); ok {
		p.write(b)
		return
	}
	if p.block == nil {
		p.block = make([]byte, blockSize)
	}
	for len(text) > 0 {
		n := copy(p.block, text)
		p.write(p.block[:n])
		text = text[n:]
	}
}

// tail ends a copy of the pipeline, which stays as it is, and returns the tokens that this adds.
func (p *pipeline) tail() *tokenCounts {
	c := *p
	c.own = tokenCounts{}
	c.counts, c.record = &c.own, nil
	c.out = append([]byte(nil), p.out...)
	c.stretch.carry = append([]byte(nil), p.stretch.carry...)
	c.end()
	return c.counts
}
