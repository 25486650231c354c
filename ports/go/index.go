package simhashdoc

import (
	"fmt"
	"sync"
)

// Index finds near-duplicates among fingerprints of one scheme. Each entry has an id, different from all others.
//
// Distances of at most 3 are answered by ten permuted tables over the first lane; the result is exact for every scheme,
// because fingerprints differ in no more bits of one lane than of all. The tables are built when comparing the entries
// that they do not have yet has cost about as much. Greater distances are answered by comparing every entry. An entry
// takes 8 bytes per lane, its id twice, and 40 bytes in the tables.
//
// Queries may run concurrently with each other, but not with Add and Remove.
type Index struct {
	scheme   Scheme
	ids      []string
	places   map[string]int // in ids
	values   []uint64       // lanes of all entries
	build    sync.Mutex
	tables   permutedTables // of the first entries
	tabled   int            // the number of entries in the tables
	compared int            // comparisons of entries that were not in the tables, since these were built
	patience int            // the number of comparisons of an entry that cost as much as its place in the tables
}

// Pair is a pair of ids of an index.
type Pair struct{ A, B string }

// NewIndex returns an empty index. The error is ErrUnknownScheme.
func NewIndex(s Scheme) (*Index, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	return &Index{scheme: s, places: map[string]int{}, patience: 500}, nil
}

// Len returns the number of entries.
func (x *Index) Len() int { return len(x.ids) }

// Add adds an entry. The error is ErrSchemeMismatch if f is of another scheme, or a plain error if the index has the
// id already; nothing is added then.
func (x *Index) Add(id string, f Fingerprint) error {
	if err := x.checkScheme(f); err != nil {
		return err
	}
	if _, known := x.places[id]; known {
		return fmt.Errorf("simhashdoc: the index already has an entry with the id %q", id)
	}
	x.places[id] = len(x.ids)
	x.ids = append(x.ids, id)
	x.values = append(x.values, f.lanes[:x.scheme.Lanes()]...)
	return nil
}

// Remove removes an entry; the last one takes its place. It returns a plain error if the index has no such id.
func (x *Index) Remove(id string) error {
	place, known := x.places[id]
	if !known {
		return fmt.Errorf("simhashdoc: the index has no entry with the id %q", id)
	}
	delete(x.places, id)
	end := len(x.ids) - 1
	if place < end {
		x.ids[place] = x.ids[end]
		x.places[x.ids[end]] = place
		copy(x.value(place), x.value(end))
	}
	x.ids = x.ids[:end]
	x.values = x.values[:end*x.scheme.Lanes()]
	if place < x.tabled {
		x.tables, x.tabled = nil, 0
	}
	return nil
}

// Query returns the ids of the entries within a distance of f, in the order in which they were added if none was
// removed. The error is ErrSchemeMismatch if f is of another scheme, or a plain error if the distance is negative.
func (x *Index) Query(f Fingerprint, distance int) ([]string, error) {
	if err := x.check(f, distance); err != nil {
		return nil, err
	}
	var ids []string
	value := f.lanes[:x.scheme.Lanes()]
	from := 0
	if distance <= maxTableDistance {
		var tables permutedTables
		tables, from = x.permutedTables(1)
		for _, number := range tables.near(x, value, distance) {
			ids = append(ids, x.ids[number])
		}
	}
	for number := from; number < len(x.ids); number++ {
		if hamming(value, x.value(number)) <= distance {
			ids = append(ids, x.ids[number])
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
	from := 0
	if distance <= maxTableDistance {
		var tables permutedTables
		tables, from = x.permutedTables(len(x.ids))
		tables.pairs(x, distance, add)
	}
	for b := from; b < len(x.ids); b++ {
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
