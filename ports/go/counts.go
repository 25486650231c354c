package simhashdoc

import (
	"bytes"
	"encoding/binary"
	"hash/maphash"
	"math/bits"
)

// maxCount is the greatest number of times that a token counts (SD-CAP-1).
const maxCount = 8

// shortToken is the greatest number of bytes of a token that are compared as two integers.
const shortToken = 16

// The keys of the hashes are random, so that a text cannot be written to make the tokens collide in the table.
var (
	hashSeed = maphash.MakeSeed()
	hashKey1 = maphash.String(maphash.MakeSeed(), "")
	hashKey2 = maphash.String(maphash.MakeSeed(), "")
)

// tokenKey stands for a token in comparisons: the bytes of a short token, followed by zeros, or the hash of a longer
// one and 0; and the number of bytes.
type tokenKey struct {
	low, high uint64
	size      int
}

// lowMasks and highMasks keep the first n of 16 bytes that are read as two integers.
var lowMasks, highMasks = func() (low, high [shortToken + 1]uint64) {
	for n := range low {
		low[n] = 1<<(8*min(n, 8)) - 1
		high[n] = 1<<(8*max(n-8, 0)) - 1
	}
	return low, high
}()

func keyOf(token []byte) tokenKey {
	n := len(token)
	if n > shortToken {
		return tokenKey{maphash.Bytes(hashSeed, token), 0, n}
	}
	if cap(token) < shortToken {
		token = append(make([]byte, 0, shortToken), token...)
	}
	// What follows the token in its buffer is read, too, and masked.
	b := token[:shortToken]
	return tokenKey{
		binary.LittleEndian.Uint64(b) & lowMasks[n],
		binary.LittleEndian.Uint64(b[8:]) & highMasks[n],
		n,
	}
}

func (k tokenKey) hash() uint64 {
	high, low := bits.Mul64(k.low^hashKey1, k.high^hashKey2^uint64(k.size)<<56)
	return high ^ low
}

// tokenCounts is a multiset of tokens in which each counts at most maxCount times: an open-addressing hash table. A
// slot is 0, or the number of an entry plus 1, below 24 bits of its hash.
type tokenCounts struct {
	slots   []uint64
	entries []countEntry
	text    []byte // of all tokens
}

type countEntry struct {
	key   tokenKey
	at    int // in text
	count int
}

const (
	slotBits = 40
	slotMask = 1<<slotBits - 1
	// A table that has grown beyond these sizes is not kept for the next document.
	maxKeptEntries = 1 << 16
	maxKeptText    = 1 << 20
)

// add counts one occurrence of a token.
func (t *tokenCounts) add(token []byte) {
	if 4*len(t.entries) >= 3*len(t.slots) {
		t.grow()
	}
	key := keyOf(token)
	hash := key.hash()
	i, e := t.find(token, key, hash)
	if e != nil {
		if e.count < maxCount {
			e.count++
		}
		return
	}
	t.entries = append(t.entries, countEntry{key, len(t.text), 1})
	t.text = append(t.text, token...)
	t.slots[i] = hash>>slotBits<<slotBits | uint64(len(t.entries))
}

// find returns the entry of a token, or the number of the free slot for it and nil.
func (t *tokenCounts) find(token []byte, key tokenKey, hash uint64) (uint64, *countEntry) {
	mask := uint64(len(t.slots) - 1)
	i := hash & mask
	for t.slots[i] != 0 {
		if slot := t.slots[i]; (slot^hash)>>slotBits == 0 {
			e := &t.entries[slot&slotMask-1]
			if e.key == key && (key.size <= shortToken || bytes.Equal(t.token(e), token)) {
				return i, e
			}
		}
		i = (i + 1) & mask
	}
	return i, nil
}

// count returns how often a token counts.
func (t *tokenCounts) count(token []byte) int {
	if len(t.slots) == 0 {
		return 0
	}
	key := keyOf(token)
	if _, e := t.find(token, key, key.hash()); e != nil {
		return e.count
	}
	return 0
}

func (t *tokenCounts) token(e *countEntry) []byte { return t.text[e.at : e.at+e.key.size] }

func (t *tokenCounts) grow() {
	t.slots = make([]uint64, max(1024, 2*len(t.slots)))
	mask := uint64(len(t.slots) - 1)
	for number := range t.entries {
		hash := t.entries[number].key.hash()
		i := hash & mask
		for t.slots[i] != 0 {
			i = (i + 1) & mask
		}
		t.slots[i] = hash>>slotBits<<slotBits | uint64(number+1)
	}
}

// reset removes all tokens and keeps memory of moderate size.
func (t *tokenCounts) reset() {
	if cap(t.entries) > maxKeptEntries || cap(t.text) > maxKeptText {
		*t = tokenCounts{}
		return
	}
	clear(t.slots)
	t.entries, t.text = t.entries[:0], t.text[:0]
}
