package simhashdoc

import "slices"

// maxMarks is the length of the longest run of non-starters that is kept (SD-FOLD-4).
const maxMarks = 30

const (
	hangulS, hangulL, hangulV, hangulT = 0xAC00, 0x1100, 0x1161, 0x11A7
	hangulCount                        = 11172
)

// Values of the table normalBlocks.
const (
	classMask = 0xFF  // Canonical_Combining_Class
	canFollow = 0x100 // may be the second code point of a composite
)

// normalizer normalizes one segment, one decomposed code point after the other. It holds the last starter, which is
// composed as far as it can be, and the marks after it.
type normalizer struct {
	active bool
	base   rune // the last starter, or -1
	marks  [maxMarks]mark
	count  int // of marks; all of them belong to the current run, or are left from it
	run    int // length of the current run of non-starters
}

type mark struct {
	point rune
	class uint8
}

func normalOf(c rune) uint16 { return normalBlocks[int(normalIndex[c>>7])<<7|int(c&127)] }

// feed adds a code point that may change with what precedes it.
func (f *folder) feed(c rune) {
	if !f.norm.active {
		f.norm.active, f.norm.base, f.norm.count, f.norm.run = true, -1, 0, 0
		var points [maxMarks]rune
		tail := points[:0]
		for b := f.out[f.last:]; len(b) > 0; {
			r, size := validRune(b)
			tail, b = append(tail, r), b[size:]
		}
		f.out = f.out[:f.last]
		for _, r := range tail {
			f.decompose(r)
		}
	}
	f.decompose(c)
}

// decompose adds the NFD of one code point.
func (f *folder) decompose(c rune) {
	if s := c - hangulS; 0 <= s && s < hangulCount {
		f.push(hangulL + s/588)
		f.push(hangulV + s%588/28)
		if s%28 != 0 {
			f.push(hangulT + s%28)
		}
		return
	}
	n := decompositionBlocks[int(decompositionIndex[c>>7])<<7|int(c&127)]
	if n == 0 {
		f.push(c)
		return
	}
	for _, d := range decompositionPoints[n>>3-1:][:n&7] {
		f.push(d)
	}
}

// push adds a code point that does not decompose.
func (f *folder) push(c rune) {
	n := &f.norm
	normal := normalOf(c)
	if class := uint8(normal & classMask); class != 0 {
		if n.run < maxMarks {
			n.marks[n.run] = mark{c, class}
		}
		n.run++
		return
	}
	f.endRun()
	if n.base >= 0 && n.count == 0 && normal&canFollow != 0 {
		if composite := compose(n.base, c); composite != 0 {
			n.base = composite
			return
		}
	}
	f.flush()
	n.base = c
}

// endRun orders the run of non-starters and composes them with the base, or replaces a run that is too long.
func (f *folder) endRun() {
	n := &f.norm
	switch {
	case n.run == 0:
		return
	case n.run > maxMarks:
		n.run, n.count = 0, 0
		f.flush()
		n.base = replacement
		return
	}
	run := n.marks[:n.run]
	if n.run > 1 {
		slices.SortStableFunc(run, func(a, b mark) int { return int(a.class) - int(b.class) })
	}
	n.run, n.count = 0, 0
	for _, m := range run {
		if n.base >= 0 && (n.count == 0 || n.marks[n.count-1].class < m.class) {
			if composite := compose(n.base, m.point); composite != 0 {
				n.base = composite
				continue
			}
		}
		n.marks[n.count] = m
		n.count++
	}
}

// flush appends the base and the marks to the folded text.
func (f *folder) flush() {
	n := &f.norm
	if n.base >= 0 {
		f.out = appendRune(f.out, n.base)
	}
	for _, m := range n.marks[:n.count] {
		f.out = appendRune(f.out, m.point)
	}
	n.base, n.count = -1, 0
}

// settle ends the segment, if the normalizer is active.
func (f *folder) settle() {
	if f.norm.active {
		f.endSegment()
	}
}

func (f *folder) endSegment() {
	f.endRun()
	f.flush()
	f.norm.active = false
}

// compose returns the composite of two code points, or 0.
func compose(b, c rune) rune {
	switch s := b - hangulS; {
	case hangulL <= b && b <= hangulL+18 && hangulV <= c && c <= hangulV+20:
		return hangulS + ((b-hangulL)*21+c-hangulV)*28
	case 0 <= s && s < hangulCount && s%28 == 0 && hangulT < c && c <= hangulT+27:
		return b + c - hangulT
	}
	if normalOf(c)&canFollow == 0 {
		return 0
	}
	if i, found := slices.BinarySearch(compositionKeys[:], uint64(b)<<32|uint64(c)); found {
		return compositionValues[i]
	}
	return 0
}
