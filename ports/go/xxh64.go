package simhashdoc

import (
	"encoding/binary"
	"math/bits"
)

const (
	prime1 uint64 = 0x9E3779B185EBCA87
	prime2 uint64 = 0xC2B2AE3D27D4EB4F
	prime3 uint64 = 0x165667B19E3779F9
	prime4 uint64 = 0x85EBCA77C2B2AE63
	prime5 uint64 = 0x27D4EB2F165667C5
)

// HashToken returns the hash of a token in a scheme, one integer per lane: XXH64 with the number of the lane as seed.
// It is nil for an unknown scheme.
func HashToken(token string, s Scheme) []uint64 {
	var hashes []uint64
	for lane := range s.Lanes() {
		hashes = append(hashes, xxh64([]byte(token), uint64(lane)))
	}
	return hashes
}

// xxh64 is the hash of appendix A.
func xxh64(b []byte, seed uint64) uint64 {
	n := uint64(len(b))
	var acc uint64
	if n < 32 {
		acc = seed + prime5
	} else {
		v1, v2, v3, v4 := seed+prime1, seed+prime2, seed, seed-prime1
		v1 += prime2
		for ; len(b) >= 32; b = b[32:] {
			v1 = xxhRound(v1, binary.LittleEndian.Uint64(b[0:8]))
			v2 = xxhRound(v2, binary.LittleEndian.Uint64(b[8:16]))
			v3 = xxhRound(v3, binary.LittleEndian.Uint64(b[16:24]))
			v4 = xxhRound(v4, binary.LittleEndian.Uint64(b[24:32]))
		}
		acc = bits.RotateLeft64(v1, 1) + bits.RotateLeft64(v2, 7) + bits.RotateLeft64(v3, 12) + bits.RotateLeft64(v4, 18)
		acc = (acc^xxhRound(0, v1))*prime1 + prime4
		acc = (acc^xxhRound(0, v2))*prime1 + prime4
		acc = (acc^xxhRound(0, v3))*prime1 + prime4
		acc = (acc^xxhRound(0, v4))*prime1 + prime4
	}
	acc += n
	for ; len(b) >= 8; b = b[8:] {
		acc = bits.RotateLeft64(acc^xxhRound(0, binary.LittleEndian.Uint64(b)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		acc = bits.RotateLeft64(acc^uint64(binary.LittleEndian.Uint32(b))*prime1, 23)*prime2 + prime3
		b = b[4:]
	}
	for _, c := range b {
		acc = bits.RotateLeft64(acc^uint64(c)*prime5, 11) * prime1
	}
	acc = (acc ^ acc>>33) * prime2
	acc = (acc ^ acc>>29) * prime3
	return acc ^ acc>>32
}

func xxhRound(acc, x uint64) uint64 {
	return bits.RotateLeft64(acc+x*prime2, 31) * prime1
}
