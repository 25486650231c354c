package simhashdoc

import (
	"fmt"
	"math/rand"
	"strings"
	"testing"
)

// english returns a text with the word lengths, repetitions and punctuation of English.
func english(size int, seed int64) string {
	random := rand.New(rand.NewSource(seed))
	zipf := rand.NewZipf(random, 1.1, 4, 20000)
	var text strings.Builder
	for sentence := 0; text.Len() < size; sentence++ {
		if sentence%7 == 6 {
			text.WriteString("\n\n")
		}
		for i, words := 0, 8+random.Intn(16); i < words && text.Len() < size; i++ {
			word := vocabulary(zipf.Uint64())
			if i == 0 {
				word = strings.ToUpper(word[:1]) + word[1:]
			}
			text.WriteString(word)
			switch n := random.Intn(60); {
			case i == words-1:
				text.WriteString(". ")
			case n < 5:
				text.WriteString(", ")
			case n == 5:
				text.WriteString("-")
			case n == 6:
				text.WriteString("'s ")
			default:
				text.WriteString(" ")
			}
		}
	}
	return text.String()[:size]
}

// vocabulary returns a word for a number; frequent ones are short.
func vocabulary(n uint64) string {
	random := rand.New(rand.NewSource(int64(n) + 1))
	word := make([]byte, 2+min(n, 5)/2+uint64(random.Intn(3))+min(n/40, 3)+uint64(random.Intn(3)))
	for i := range word {
		word[i] = "eeetttaaooiinnsshhrrddlluucmfwygpbvk"[random.Intn(36)]
	}
	return string(word)
}

func BenchmarkEnglish10KB(b *testing.B) {
	var documents [16]string
	for i := range documents {
		documents[i] = english(10_000, int64(i))
	}
	for _, s := range []Scheme{SD64, SD256} {
		b.Run(s.ID(), func(b *testing.B) {
			b.SetBytes(10_000)
			b.ReportAllocs()
			for i := range b.N {
				if _, err := Sum(documents[i%len(documents)], s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// worstTexts are texts of at least size bytes that make careless implementations slow.
func worstTexts(size int) map[string]string {
	repeat := func(piece string) string { return strings.Repeat(piece, size/len(piece)+1) }
	return map[string]string{
		"a marks":          "a" + repeat("\u0316\u0301"),
		"marks of 29":      repeat("a" + strings.Repeat("\u0316\u0301", 14)),
		"one token":        repeat("a"),
		"one mixed token":  repeat("aé"),
		"connectors":       "a" + repeat("_"),
		"a-":               repeat("a-"),
		"a.":               repeat("a."),
		"@ ":               repeat("@ "),
		"a@":               repeat("a@"),
		"a@a.a@":           repeat("a@a.a@"),
		"digits":           repeat("0"),
		"hex of 31":        repeat("0123456789abcdef0123456789abcde "),
		"hex of 8":         repeat("01234567-"),
		"schemes":          repeat("a+"),
		"10.":              repeat("10."),
		"10.1000.1.":       repeat("10.1000.1."),
		"one link":         "http://" + repeat("a"),
		"labels":           "a@b" + repeat(".c"),
		"jamo":             repeat("\u1172"),
		"second of pair":   repeat("\u09be"),
		"Han":              repeat("東京"),
		"ligature":         repeat("\ufdfa"),
		"ill-formed":       repeat("\xf0\x9f"),
		"ignorable":        "a" + repeat("\u00ad"),
		"thirty and cycle": repeat(strings.Repeat("\u0301", 30) + "\u0334b"),
	}
}

func BenchmarkWorst(b *testing.B) {
	for name, text := range worstTexts(1 << 20) {
		b.Run(fmt.Sprintf("%q", name), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for range b.N {
				_, _ = Sum(text, SD64)
			}
		})
	}
}

func BenchmarkChunks(b *testing.B) {
	text := english(1<<20, 1)
	for _, size := range []int{1, 100, 64 << 10} {
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			var a Accumulator
			for range b.N {
				a.Reset()
				for rest := text; len(rest) > 0; {
					n := min(size, len(rest))
					_, _ = a.WriteString(rest[:n])
					rest = rest[n:]
				}
				if _, err := a.Sum(SD64); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
