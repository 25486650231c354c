package simhashdoc

// laneBuckets returns the 64 buckets of a lane. The tokens of extra are added to those of t, with the cap applied to
// the total; extra may be nil.
func laneBuckets(t, extra *tokenCounts, lane int) [64]int8 {
	var sum laneSum
	for i := range t.entries {
		e := &t.entries[i]
		sum.add(xxh64(t.token(e), uint64(lane)), e.count)
	}
	if extra != nil {
		for i := range extra.entries {
			e := &extra.entries[i]
			token := extra.token(e)
			before := t.count(token)
			sum.add(xxh64(token, uint64(lane)), min(before+e.count, maxCount)-before)
		}
	}
	return sum.buckets()
}

// laneSum counts, for each bit, the hashes in which it is 1. Byte j of packed[k] belongs to bit 8 j + k.
type laneSum struct {
	packed [8]uint64
	weight int // of the hashes in packed, which fits in a byte
	ones   [64]int
	total  int
}

func (s *laneSum) add(hash uint64, weight int) {
	const lowBits = 0x0101010101010101
	if s.weight+weight > 255 {
		s.unpack()
	}
	s.weight += weight
	w := uint64(weight)
	s.packed[0] += hash & lowBits * w
	s.packed[1] += hash >> 1 & lowBits * w
	s.packed[2] += hash >> 2 & lowBits * w
	s.packed[3] += hash >> 3 & lowBits * w
	s.packed[4] += hash >> 4 & lowBits * w
	s.packed[5] += hash >> 5 & lowBits * w
	s.packed[6] += hash >> 6 & lowBits * w
	s.packed[7] += hash >> 7 & lowBits * w
}

func (s *laneSum) unpack() {
	for k, packed := range s.packed {
		for j := range 8 {
			s.ones[8*j+k] += int(packed >> (8 * j) & 0xFF)
		}
	}
	s.total += s.weight
	s.packed, s.weight = [8]uint64{}, 0
}

// buckets returns the sums, clamped.
func (s *laneSum) buckets() (b [64]int8) {
	s.unpack()
	for i, ones := range s.ones {
		b[i] = int8(max(-127, min(127, 2*ones-s.total)))
	}
	return b
}

// signs returns the integer whose bit i is 1 if bucket i is greater than 0.
func signs(buckets []int8) (lane uint64) {
	for i, bucket := range buckets {
		if bucket > 0 {
			lane |= 1 << i
		}
	}
	return lane
}
