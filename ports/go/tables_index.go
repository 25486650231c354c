package simhashdoc

import (
	"cmp"
	"slices"
	"sort"
)

// maxTableDistance is the greatest distance that the permuted tables answer: fingerprints at this distance agree in at
// least two of five blocks.
const maxTableDistance = 3

// tableMasks has one mask for each pair of the five blocks of the first lane.
var tableMasks = func() (masks []uint64) {
	var blocks [5]uint64
	for bit := range 64 {
		blocks[bit*5/64] |= 1 << bit
	}
	for i := range blocks {
		for j := range i {
			masks = append(masks, blocks[i]|blocks[j])
		}
	}
	return masks
}()

// permutedTable has the numbers of entries, sorted by the bits of the mask of their first lane.
type permutedTable struct {
	mask    uint64
	numbers []uint32
}

type permutedTables []permutedTable

// permutedTables returns the tables and the number of the entries in them, the first ones. The caller compares each of
// the others with the given number of fingerprints; if the comparisons since the last tables cost more than tables of
// all entries, these are built first.
func (x *Index) permutedTables(fingerprints int) (permutedTables, int) {
	x.build.Lock()
	defer x.build.Unlock()
	x.compared += fingerprints * (len(x.ids) - x.tabled)
	if x.tabled == len(x.ids) || x.compared < x.patience*len(x.ids) {
		return x.tables, x.tabled
	}
	x.tables, x.tabled, x.compared = nil, len(x.ids), 0
	for _, mask := range tableMasks {
		t := permutedTable{mask, make([]uint32, len(x.ids))}
		for i := range t.numbers {
			t.numbers[i] = uint32(i)
		}
		slices.SortFunc(t.numbers, func(a, b uint32) int {
			return cmp.Or(cmp.Compare(t.key(x, a), t.key(x, b)), cmp.Compare(a, b))
		})
		x.tables = append(x.tables, t)
	}
	return x.tables, x.tabled
}

func (t *permutedTable) key(x *Index, number uint32) uint64 { return x.value(int(number))[0] & t.mask }

// near returns the numbers of the entries within the distance, ascending.
func (tables permutedTables) near(x *Index, value []uint64, distance int) []uint32 {
	var found []uint32
	for i := range tables {
		t := &tables[i]
		key := value[0] & t.mask
		n := len(t.numbers)
		for at := sort.Search(n, func(j int) bool { return t.key(x, t.numbers[j]) >= key }); at < n; at++ {
			number := t.numbers[at]
			if t.key(x, number) != key {
				break
			}
			entry := x.value(int(number))
			if hamming(value, entry) <= distance && tables.first(value[0], entry[0]) == i {
				found = append(found, number)
			}
		}
	}
	slices.Sort(found)
	return found
}

// pairs calls add for each pair within the distance.
func (tables permutedTables) pairs(x *Index, distance int, add func(a, b int)) {
	for i := range tables {
		t := &tables[i]
		for from := 0; from < len(t.numbers); {
			key, end := t.key(x, t.numbers[from]), from+1
			for end < len(t.numbers) && t.key(x, t.numbers[end]) == key {
				end++
			}
			for _, b := range t.numbers[from:end] {
				for _, a := range t.numbers[from:end] {
					if a == b {
						break
					}
					u, v := x.value(int(a)), x.value(int(b))
					if hamming(u, v) <= distance && tables.first(u[0], v[0]) == i {
						add(int(a), int(b))
					}
				}
			}
			from = end
		}
	}
}

// first returns the number of the first table in which two lanes are equal, so that a pair is reported once.
func (tables permutedTables) first(a, b uint64) int {
	for i := range tables {
		if (a^b)&tables[i].mask == 0 {
			return i
		}
	}
	return -1
}
