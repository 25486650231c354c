package main

import "slices"

// nfc returns the NFC of a short text by the steps of appendix C.
func (u *unicodeData) nfc(text []rune) []rune {
	var d []rune
	for _, c := range text {
		s := c - 0xAC00
		switch {
		case u.decomposed[c] != nil:
			d = append(d, u.decomposed[c]...)
		case 0 <= s && s < 11172:
			d = append(d, 0x1100+s/588, 0x1161+s%588/28)
			if s%28 != 0 {
				d = append(d, 0x11A7+s%28)
			}
		default:
			d = append(d, c)
		}
	}
	for i := 0; i < len(d); {
		j := i
		for j < len(d) && u.class[d[j]] != 0 {
			j++
		}
		slices.SortStableFunc(d[i:j], func(a, b rune) int { return int(u.class[a]) - int(u.class[b]) })
		i = max(j, i+1)
	}
	var out []rune
	base := -1
	for _, c := range d {
		if base >= 0 && (base == len(out)-1 || u.class[out[len(out)-1]] < u.class[c]) {
			if composite, ok := u.composite(out[base], c); ok {
				out[base] = composite
				continue
			}
		}
		if u.class[c] == 0 {
			base = len(out)
		}
		out = append(out, c)
	}
	return out
}

func (u *unicodeData) composite(b, c rune) (rune, bool) {
	s := b - 0xAC00
	switch {
	case 0x1100 <= b && b <= 0x1112 && 0x1161 <= c && c <= 0x1175:
		return 0xAC00 + ((b-0x1100)*21+c-0x1161)*28, true
	case 0 <= s && s < 11172 && s%28 == 0 && 0x11A8 <= c && c <= 0x11C2:
		return b + c - 0x11A7, true
	}
	composite, ok := u.composed[[2]rune{b, c}]
	return composite, ok
}
