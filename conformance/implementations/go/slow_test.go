package simhashdoc

import (
	"math/bits"
	"regexp"
	"slices"
	"unicode/utf8"
)

// This file computes the steps in the most straightforward way: complete texts, one step after the other, with the
// regular expression of appendix B. The tests compare the package with it.

// slowDecode decodes UTF-8 by the table of section 3.
func slowDecode(b []byte) (text []rune) {
	for len(b) > 0 {
		if r, size := utf8.DecodeRune(b); r != utf8.RuneError || size > 1 {
			text, b = append(text, r), b[size:]
			continue
		}
		// The longest prefix of a well-formed sequence, or one byte.
		size := 1
		for n := 2; n <= 3 && n <= len(b); n++ {
			if isPrefix(b[:n]) {
				size = n
			}
		}
		text, b = append(text, 0xFFFD), b[size:]
	}
	return text
}

// isPrefix reports whether some continuation makes b well-formed.
func isPrefix(b []byte) bool {
	for _, middle := range []byte{0x80, 0x90, 0xA0} {
		for _, more := range [][]byte{{}, {middle}, {middle, 0x80}} {
			if sequence := append(slices.Clone(b), more...); utf8.Valid(sequence) && utf8.RuneCount(sequence) == 1 {
				return true
			}
		}
	}
	return false
}

func slowFold(text []rune) []rune {
	var mapped []rune
	for _, c := range text {
		switch action := foldBlocks[int(foldIndex[c>>7])<<7|int(c&127)]; action {
		case foldKeep, foldFeed:
			mapped = append(mapped, c)
		case foldReplace:
			mapped = append(mapped, 0xFFFD)
		case foldDelete:
		default:
			m := foldMappings[action-foldMapped]
			mapped = append(mapped, []rune(foldBytes[m&0xFFFF:m&0xFFFF+m>>16&0x3F])...)
		}
	}
	var bounded []rune
	marks := 0
	for _, d := range slowDecompose(mapped) {
		if slowClass(d) == 0 {
			marks = 0
		} else if marks++; marks == 31 {
			bounded = append(bounded[:len(bounded)-30], 0xFFFD)
		}
		if marks < 31 {
			bounded = append(bounded, d)
		}
	}
	return slowNFC(bounded)
}

func slowClass(c rune) int { return int(normalOf(c) & classMask) }

func slowDecompose(text []rune) (d []rune) {
	for _, c := range text {
		n := decompositionBlocks[int(decompositionIndex[c>>7])<<7|int(c&127)]
		switch {
		case 0xAC00 <= c && c <= 0xD7A3:
			s := c - 0xAC00
			d = append(d, 0x1100+s/588, 0x1161+s%588/28)
			if s%28 != 0 {
				d = append(d, 0x11A7+s%28)
			}
		case n > 0:
			d = append(d, decompositionPoints[n>>3-1:][:n&7]...)
		default:
			d = append(d, c)
		}
	}
	return d
}

func slowNFC(text []rune) []rune {
	d := slowDecompose(text)
	for i := range d { // insertion sort of the runs
		for j := i; j > 0 && slowClass(d[j]) != 0 && slowClass(d[j-1]) > slowClass(d[j]); j-- {
			d[j], d[j-1] = d[j-1], d[j]
		}
	}
	var out []rune
	base := -1
	for _, c := range d {
		blocked := base < 0 || base < len(out)-1 && slowClass(out[len(out)-1]) >= slowClass(c)
		if !blocked {
			if composite := slowCompose(out[base], c); composite != 0 {
				out[base] = composite
				continue
			}
		}
		if slowClass(c) == 0 {
			base = len(out)
		}
		out = append(out, c)
	}
	return out
}

func slowCompose(b, c rune) rune {
	if 0x1100 <= b && b <= 0x1112 && 0x1161 <= c && c <= 0x1175 {
		return 0xAC00 + ((b-0x1100)*21+c-0x1161)*28
	}
	if 0xAC00 <= b && b <= 0xD7A3 && (b-0xAC00)%28 == 0 && 0x11A8 <= c && c <= 0x11C2 {
		return b + c - 0x11A7
	}
	for i, key := range compositionKeys {
		if key == uint64(b)<<32|uint64(c) {
			return compositionValues[i]
		}
	}
	return 0
}

var slowLink = regexp.MustCompile(`\b(?:[a-z][a-z0-9+.-]{0,31}://[a-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*` +
	`|(?:doi|urn|arxiv|hdl):[a-z0-9][a-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*` +
	`|www\.[a-z0-9-]{1,63}\.[a-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*` +
	`|(?:mailto:)?[a-z0-9][a-z0-9._%+-]{0,63}@[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})+` +
	`|10\.[0-9]{4,9}(?:\.[0-9]{1,9}){0,3}/[a-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+` +
	`|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|[0-9a-f]{32,128}\b)`)

// slowTokens returns the tokens of a link-free text.
func slowTokens(text []rune) (tokens []string) {
	property := func(c rune) uint8 { return propertyBlocks[int(propertyIndex[c>>7])<<7|int(c&127)] }
	add := func(candidate []rune) {
		for len(candidate) > 0 && property(candidate[0])&isConnector != 0 {
			candidate = candidate[1:]
		}
		for len(candidate) > 0 && property(candidate[len(candidate)-1])&isConnector != 0 {
			candidate = candidate[:len(candidate)-1]
		}
		if slices.ContainsFunc(candidate, func(c rune) bool { return property(c)&isAlphabetic != 0 }) {
			tokens = append(tokens, string(candidate))
		}
	}
	for i := 0; i < len(text); {
		kind := property(text[i]) & (isWord | isContinua)
		j := i
		for j < len(text) && property(text[j])&(isWord|isContinua) == kind {
			j++
		}
		switch {
		case kind&isWord == 0:
		case kind&isContinua == 0 || j-i == 1:
			add(text[i:j])
		default:
			for k := i; k+1 < j; k++ {
				add(text[k : k+2])
			}
		}
		i = j
	}
	return tokens
}

func slowTrace(b []byte) (*Trace, error) {
	t := &Trace{Folded: string(slowFold(slowDecode(b)))}
	t.LinkFree = slowLink.ReplaceAllString(t.Folded, " ")
	t.Tokens = slowTokens([]rune(t.LinkFree))
	slices.Sort(t.Tokens)
	counts := map[string]int{}
	for _, token := range t.Tokens {
		counts[token] = min(counts[token]+1, 8)
	}
	if len(counts) == 0 {
		return t, ErrNoToken
	}
	var sums [512]int
	for token, count := range counts {
		for i := range sums {
			if slowXXH64([]byte(token), uint64(i/64))>>(i%64)&1 == 1 {
				sums[i] += count
			} else {
				sums[i] -= count
			}
		}
	}
	t.Fingerprint.scheme = SD512
	for i, sum := range sums {
		t.Buckets = append(t.Buckets, int8(max(-127, min(127, sum))))
		if sum > 0 {
			t.Fingerprint.lanes[i/64] |= 1 << (i % 64)
		}
	}
	return t, nil
}

// slowXXH64 reads the input byte by byte.
func slowXXH64(b []byte, seed uint64) uint64 {
	read := func(n int) (x uint64) {
		for i := n - 1; i >= 0; i-- {
			x = x<<8 | uint64(b[i])
		}
		b = b[n:]
		return x
	}
	round := func(acc, x uint64) uint64 { return bits.RotateLeft64(acc+x*prime2, 31) * prime1 }
	n := uint64(len(b))
	acc := seed + prime5
	if n >= 32 {
		p1 := prime1
		v := []uint64{seed + p1 + prime2, seed + prime2, seed, seed - prime1}
		for len(b) >= 32 {
			for i := range v {
				v[i] = round(v[i], read(8))
			}
		}
		acc = 0
		for i, rotation := range []int{1, 7, 12, 18} {
			acc += bits.RotateLeft64(v[i], rotation)
		}
		for _, x := range v {
			acc = (acc^round(0, x))*prime1 + prime4
		}
	}
	acc += n
	for len(b) >= 8 {
		acc = bits.RotateLeft64(acc^round(0, read(8)), 27)*prime1 + prime4
	}
	if len(b) >= 4 {
		acc = bits.RotateLeft64(acc^read(4)*prime1, 23)*prime2 + prime3
	}
	for len(b) > 0 {
		acc = bits.RotateLeft64(acc^read(1)*prime5, 11) * prime1
	}
	acc = (acc ^ acc>>33) * prime2
	acc = (acc ^ acc>>29) * prime3
	return acc ^ acc>>32
}
