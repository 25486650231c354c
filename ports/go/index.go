package simhashdoc

import (
	"fmt"
	"sync"
)

// Index finds near-duplicates among fingerprints of one scheme. Each entry has an id, different from all others.
//
// Distances of at most 3 are answered by ten permuted tables over the first lane, which are built when they are first
// needed; the result is exact for every scheme, because fingerprints differ in no more bits of one lane than of all.
// Greater distances are answered by comparing every entry. An entry takes 8 bytes per lane, its id, and 40 bytes in
// the tables.
//
// Queries may run concurrently with each other, but not with Add.
type Index struct {
	scheme Scheme
	ids    []string
	known  map[string]struct{}
	values []uint64 // lanes of all entries
	build  sync.Mutex
	tables []permutedTable // nil if they have to be built
}

// Pair is a pair of ids of an index, in the order in which they were added.
type Pair struct{ A, B string }

// NewIndex returns an empty index. The error is ErrUnknownScheme.
func NewIndex(s Scheme) (*Index, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return &Index{scheme: s, known: map[string]struct{}{}}, nil
}

// Len returns the number of entries.
func (x *Index) Len() int { return len(x.ids) }

// Add adds an entry. The error is ErrSchemeMismatch if f is of another scheme, or a plain error if the index has the
// id already; nothing is added then.
func (x *Index) Add(id string, f Fingerprint) error {
	if err := x.checkScheme(f); err != nil {
		return err
	}
	if _, known := x.known[id]; known {
		return fmt.Errorf("simhashdoc: the index already has an entry with the id %q", id)
	}
	x.known[id] = struct{}{}
	x.ids = append(x.ids, id)
	x.values = append(x.values, f.lanes[:x.scheme.Lanes()]...)
	x.tables = nil
	return nil
}

// Query returns the ids of the entries within a distance of f, in the order in which they were added. The error is
// ErrSchemeMismatch if f is of another scheme, or a plain error if the distance is negative.
func (x *Index) Query(f Fingerprint, distance int) ([]string, error) {
	if err := x.check(f, distance); err != nil {
		return nil, err
	}
	var ids []string
	value := f.lanes[:x.scheme.Lanes()]
	if distance <= maxTableDistance {
		for _, number := range x.permutedTables().near(x, value, distance) {
			ids = append(ids, x.ids[number])
		}
		return ids, nil
	}
	for number, id := range x.ids {
		if hamming(value, x.value(number)) <= distance {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// FindAll returns the pairs of entries within a distance of each other, each once, in no particular order. It returns
// a plain error if the distance is negative.
func (x *Index) FindAll(distance int) ([]Pair, error) {
	if err := checkDistance(distance); err != nil {
		return nil, err
	}
	var pairs []Pair
	add := func(a, b int) { pairs = append(pairs, Pair{x.ids[min(a, b)], x.ids[max(a, b)]}) }
	if distance <= maxTableDistance {
		x.permutedTables().pairs(x, distance, add)
		return pairs, nil
	}
	for b := range x.ids {
		for a := range b {
			if hamming(x.value(a), x.value(b)) <= distance {
				add(a, b)
			}
		}
	}
	return pairs, nil
}

func (x *Index) value(number int) []uint64 {
	lanes := x.scheme.Lanes()
	return x.values[lanes*number:][:lanes]
}

func (x *Index) check(f Fingerprint, distance int) error {
	if err := x.checkScheme(f); err != nil {
		return err
	}
	return checkDistance(distance)
}

func (x *Index) checkScheme(f Fingerprint) error {
	if f.scheme != x.scheme {
		return fmt.Errorf("%w (found %s in an index of %s)", ErrSchemeMismatch, f.scheme, x.scheme)
	}
	return nil
}

func checkDistance(distance int) error {
	if distance < 0 {
		return fmt.Errorf("simhashdoc: the distance is %d, less than 0", distance)
	}
	return nil
}
