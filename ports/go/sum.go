// Package simhashdoc computes simhash-doc fingerprints, version 1: short texts, such as sd64:raeidodvqipge, that are
// nearly equal for documents that share most of their words.
//
// The package has no limit on the size of a text. Time is linear in the size. Memory is proportional to the distinct
// tokens and the longest run of word characters.
//
// All Unicode data is that of the specification, version 15.0 of Unicode; none comes from the platform.
package simhashdoc

// Sum returns the fingerprint of a text in UTF-8, in which each ill-formed part counts as U+FFFD. The error is
// ErrUnknownScheme, or ErrNoToken if the text has no token.
func Sum[T string | []byte](text T, s Scheme) (Fingerprint, error) {
	if err := s.check(); err != nil {
		return Fingerprint{}, err
	}
	p := newPipeline()
	defer p.release()
	writeText(p, text)
	p.end()
	return fingerprintOf(p.counts, nil, s)
}

// Buckets returns the buckets of a text, lane by lane, bit 0 first, each from -127 to 127. The errors are those of Sum.
func Buckets[T string | []byte](text T, s Scheme) ([]int8, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	p := newPipeline()
	defer p.release()
	writeText(p, text)
	p.end()
	return bucketsOf(p.counts, nil, s)
}

func bucketsOf(t, extra *tokenCounts, s Scheme) ([]int8, error) {
	if len(t.entries) == 0 && (extra == nil || len(extra.entries) == 0) {
		return nil, ErrNoToken
	}
	buckets := make([]int8, 0, s.Bits())
	for lane := range s.Lanes() {
		b := laneBuckets(t, extra, lane)
		buckets = append(buckets, b[:]...)
	}
	return buckets, nil
}

func fingerprintOf(t, extra *tokenCounts, s Scheme) (Fingerprint, error) {
	buckets, err := bucketsOf(t, extra, s)
	if err != nil {
		return Fingerprint{}, err
	}
	f := Fingerprint{scheme: s}
	for lane := range s.Lanes() {
		f.lanes[lane] = signs(buckets[64*lane:][:64])
	}
	return f, nil
}
