package simhashdoc

import (
	"errors"
	"math/bits"
	"reflect"
	"slices"
	"testing"
)

// seeds are texts near the decisions of the steps.
var seeds = []string{
	"", "The ﬁrst _CAFÉ_ opens; see https://example.org/menu. 東京 2024", "a\u0301\u0316b\u0345\u0301", "\xe2\x82b\xff\xc0\xaf\xf0\x9f",
	"ann@example.org, (www.example.org/x) doi:10.1000/182 10.1000/182.3 mailto:a@b.c urn:x arxiv:1 hdl:1/2 end.http://x",
	"id 123e4567-e89b-12d3-a456-426614174000 d41d8cd98f00b204e9800998ecf8427e d41d8cd98f00b204e9800998ecf8427eg",
	"ᄀ\u1172\u11a8가\u11a8 \u1172\u1172", "a\u09be\u0316\u0301 \u09c7\u09be", "ภาษาไทย ២០ हिन्दी カ゛", "__a__b__ \u203fx\u203f _ 3 _3_é_",
	"\u00b4\u0301\u0344 \U00010041\u0301 \ufdfa \u0dd9\u0dcf\u0dca", "a-a-a- a.a@a.a.a@ x+y://é www.a.b", "ΣΑΣ ß İ ŉ ǰ \u0390",
}

func addSeeds(f *testing.F) {
	for _, s := range seeds {
		f.Add([]byte(s), uint16(len(s)))
	}
}

// pieces are what fuzzInput puts together: random bytes hardly ever give links, composites or long runs.
var pieces = []string{
	" ", ".", "-", "_", "@", ":", "://", "/", "+", "%", "a", "e", "f", "0", "1", "10.", "1000", "http", "www.", "doi:", "urn:", "mailto:", "arxiv:", "hdl:",
	"123e4567-e89b-12d3-a456-426614174000", "0123456789abcdef", "abcdef0123456789abcdef0123456789", "w", "É", "ß", "ﬁ", "\u0301", "\u0316", "\u0345", "\u0344",
	"\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301\u0301", "\u0327\u0323", "가", "각", "\u1100", "\u1161", "\u11a8", "\u09c7", "\u09be",
	"\u0dd9", "\u0dcf", "\u0dca", "東", "京", "カ", "゙", "ー", "า", "็", "〇", "。", "\u203f", "\u00ad", "\u200d", "\ufeff", "\xe2\x82", "\xff", "\xf0\x9f", "\xed\xa0\x80",
	"\U0010ffff", "\u0378", "\ufdfa", "\u00b4", "हि", "न्", "sixtythreesixtythreesixtythreesixtythreesixtythreesixtythreesix", "Ω", "A", "Z", "ａ", "İ", "\n", "\x00",
}

// fuzzInput turns every byte into a piece, or into itself.
func fuzzInput(data []byte) (text []byte) {
	for _, c := range data {
		if int(c) < len(pieces) {
			text = append(text, pieces[c]...)
		} else {
			text = append(text, c)
		}
	}
	return text
}

// checkSteps checks that folding the folded text changes nothing, that it has the results of the text, and that a text
// in pieces has the fingerprint of the complete one.
func checkSteps(t *testing.T, text []byte) {
	t.Helper()
	want, wantErr := TraceText(text, SD512)
	got, err := TraceText(want.Folded, SD512)
	if !errors.Is(err, wantErr) {
		t.Fatalf("TraceText(%q): error %v, want %v", want.Folded, err, wantErr)
	}
	if got.Folded != want.Folded || got.LinkFree != want.LinkFree || !slices.Equal(got.Tokens, want.Tokens) ||
		!slices.Equal(got.Buckets, want.Buckets) || got.Fingerprint != want.Fingerprint {
		t.Fatalf("TraceText(%q):\n%+v, want\n%+v", want.Folded, got, want)
	}
	var a Accumulator
	for rest := text; len(rest) > 0; {
		n := min(len(rest), 1+len(rest)%61)
		if _, err := a.Write(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
	}
	if sum, err := a.Sum(SD512); sum != want.Fingerprint || !errors.Is(err, wantErr) {
		t.Fatalf("%q in pieces: %v, %v; want %v, %v", text, sum, err, want.Fingerprint, wantErr)
	}
}

// FuzzBytes checks all steps on the input as it is.
func FuzzBytes(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, _ uint16) { checkSteps(t, data) })
}

// FuzzPieces checks all steps on texts that are put together.
func FuzzPieces(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, _ uint16) { checkSteps(t, fuzzInput(data)) })
}

// FuzzChunks compares a text in chunks, of which each is scanned as far as possible, with the complete text.
func FuzzChunks(f *testing.F) {
	addSeeds(f)
	f.Fuzz(func(t *testing.T, data []byte, chunks uint16) {
		text := fuzzInput(data)
		want, err := TraceText(text, SD64)
		p := newPipeline()
		defer p.release()
		p.record = &recorder{}
		for size := 1 + int(chunks&0xFF); len(text) > 0; size = 1 + int(bits.Reverse16(chunks)>>3)%(size+9) {
			n := min(size, len(text))
			p.write(text[:n])
			p.advance(p.stable(), false)
			text = text[n:]
			// Ending a copy changes nothing.
			if extra := p.tail(); len(text) == 0 {
				got, gotErr := fingerprintOf(p.counts, extra, SD64)
				if got != want.Fingerprint || !errors.Is(gotErr, err) {
					t.Fatalf("the fingerprint is %v, %v; want %v, %v", got, gotErr, want.Fingerprint, err)
				}
			}
		}
		p.end()
		slices.Sort(p.record.tokens)
		if string(p.record.folded) != want.Folded || string(p.record.linkFreeText) != want.LinkFree ||
			!slices.Equal(p.record.tokens, want.Tokens) {
			t.Fatalf("in chunks: %q, %q, %q; want %q, %q, %q", p.record.folded, p.record.linkFreeText, p.record.tokens,
				want.Folded, want.LinkFree, want.Tokens)
		}
	})
}

// FuzzParse checks that what Parse accepts is read back from String, and that errors are named.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"sd64:raeidodvqipge", "SD64+CUSTOM:RAEIDODVQIPGE", "raeidodvqipgf", "sd128:", "=", "sd64:\u212aaeidodvqipge"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		v, err := Parse(text)
		if err != nil {
			var named Error
			if !errors.As(err, &named) || v != (Fingerprint{}) {
				t.Fatalf("Parse(%q) = %v, %v", text, v, err)
			}
			return
		}
		again, err := ParseAs(v.String(), v.Scheme())
		if again != v || err != nil {
			t.Fatalf("Parse(%q) = %v; read back: %v, %v", text, v, again, err)
		}
		fromBytes, err := FromBytes(v.Bytes(), v.Scheme(), v.Canonical())
		if fromBytes != v || err != nil {
			t.Fatalf("FromBytes(%x) = %v, %v; want %v", v.Bytes(), fromBytes, err, v)
		}
	})
}

// FuzzIndex compares an index with a comparison of all pairs while entries come and go: with tables as soon as possible,
// and with tables of some entries.
func FuzzIndex(f *testing.F) {
	f.Add([]byte{0, 1, 3, 7, 15, 31, 0, 255, 200, 128, 192, 1}, uint8(3))
	f.Fuzz(func(t *testing.T, flips []byte, distance uint8) {
		k := int(distance % 6)
		flips = flips[:min(len(flips), 60)]
		for _, patience := range []int{0, 3} {
			x, err := NewIndex(SD128)
			if err != nil {
				t.Fatal(err)
			}
			x.patience = patience
			value := Fingerprint{scheme: SD128}
			entries := map[string]Fingerprint{}
			for i, flip := range flips {
				value.lanes[flip>>6&1] ^= 1 << (flip & 63)
				id := string(rune('A' + i))
				entries[id] = value
				if err := x.Add(id, value); err != nil {
					t.Fatal(err)
				}
				if id := string(rune('A' + int(flip)%(i+1))); flip >= 128 && entries[id].scheme != 0 {
					delete(entries, id)
					if err := x.Remove(id); err != nil {
						t.Fatal(err)
					}
				}
				checkQuery(t, x, entries, value, k)
			}
			checkPairs(t, x, entries, k)
		}
	})
}

func checkQuery(t *testing.T, x *Index, entries map[string]Fingerprint, value Fingerprint, k int) {
	t.Helper()
	var want []string
	for id, entry := range entries {
		if hamming(entry.lanes[:], value.lanes[:]) <= k {
			want = append(want, id)
		}
	}
	got, err := x.Query(value, k)
	slices.Sort(got)
	slices.Sort(want)
	if err != nil || !slices.Equal(got, want) || x.Len() != len(entries) {
		t.Fatalf("Query(%v, %d) = %v, %v; want %v", value, k, got, err, want)
	}
}

func checkPairs(t *testing.T, x *Index, entries map[string]Fingerprint, k int) {
	t.Helper()
	want := map[Pair]bool{}
	for a, v := range entries {
		for b, w := range entries {
			if a < b && hamming(v.lanes[:], w.lanes[:]) <= k {
				want[Pair{a, b}] = true
			}
		}
	}
	found, err := x.FindAll(k)
	got := map[Pair]bool{}
	for _, pair := range found {
		got[Pair{min(pair.A, pair.B), max(pair.A, pair.B)}] = true
	}
	if err != nil || len(found) != len(want) || !reflect.DeepEqual(got, want) {
		t.Fatalf("FindAll(%d) = %v, %v; want %v", k, found, err, want)
	}
}
