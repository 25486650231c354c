package simhashdoc

import (
	"errors"
	"math/rand"
	"strings"
	"testing"
)

func TestPublishedHashes(t *testing.T) {
	for text, want := range map[string]uint64{"": 0xEF46DB3751D8E999, "a": 0xD24EC4F1A98C6E5B, "abc": 0x44BC2CF5AD770999} {
		if got := xxh64([]byte(text), 0); got != want {
			t.Errorf("xxh64(%q) = %x, want %x", text, got, want)
		}
	}
}

func TestStepsOfEnglishTexts(t *testing.T) {
	for seed := range 4 {
		checkSteps(t, []byte(english(40_000, int64(seed))))
	}
}

func TestStepsOfWorstTexts(t *testing.T) {
	for name, text := range worstTexts(3000) {
		t.Run(name, func(t *testing.T) { checkSteps(t, []byte(text)) })
	}
}

// Texts of several blocks, in which every construct meets the ends of blocks.
func TestStepsOfLongTexts(t *testing.T) {
	random := rand.New(rand.NewSource(1))
	for range 10 {
		data := make([]byte, 12_000)
		for i := range data {
			data[i] = byte(random.Intn(len(pieces)))
		}
		checkSteps(t, fuzzInput(data))
	}
	for name, text := range worstTexts(2*blockSize + 100) {
		t.Run(name, func(t *testing.T) { checkSteps(t, []byte(text)) })
	}
}

func TestSumContinuesAfterASum(t *testing.T) {
	text := english(60_000, 3) + strings.Repeat(" again", 20) + " a\u0301b http://x"
	want, err := Sum(text, SD512)
	if err != nil {
		t.Fatal(err)
	}
	var a Accumulator
	for rest := text; rest != ""; {
		n := min(len(rest), 997)
		if _, err := a.WriteString(rest[:n]); err != nil {
			t.Fatal(err)
		}
		rest = rest[n:]
		prefix, err := Sum(text[:len(text)-len(rest)], SD128)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := a.Sum(SD128); got != prefix || err != nil {
			t.Fatalf("after %d bytes: %v, %v; want %v", len(text)-len(rest), got, err, prefix)
		}
	}
	if got, err := a.Sum(SD512); got != want || err != nil {
		t.Errorf("Sum is %v, %v; want %v", got, err, want)
	}
	a.Reset()
	if _, err := a.Sum(SD64); !errors.Is(err, ErrNoToken) {
		t.Errorf("after Reset, the error is %v", err)
	}
}

func TestUnknownSchemesComeFirst(t *testing.T) {
	for _, s := range []Scheme{0, SD512 + 1, 255} {
		_, sum := Sum("", s)
		_, buckets := Buckets("", s)
		_, trace := TraceText("", s)
		_, parse := ParseAs("=", s)
		_, fromBytes := FromBytes(nil, s, true)
		_, narrow := Fingerprint{}.Narrow(s)
		_, index := NewIndex(s)
		_, accumulated := new(Accumulator).Sum(s)
		for i, err := range []error{sum, buckets, trace, parse, fromBytes, narrow, index, accumulated} {
			if !errors.Is(err, ErrUnknownScheme) {
				t.Errorf("Scheme(%d), function %d: error %v", s, i, err)
			}
		}
	}
}

func TestWideFingerprintsBeginWithNarrowOnes(t *testing.T) {
	wide, err := Sum("one two three", SD512)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range Schemes() {
		want, _ := Sum("one two three", s)
		if got, err := wide.Narrow(s); got != want || err != nil {
			t.Errorf("Narrow(%s) = %v, %v; want %v", s, got, err, want)
		}
	}
}

func TestNarrowKeepsTheFirstBytes(t *testing.T) {
	b := make([]byte, 64)
	rand.New(rand.NewSource(1)).Read(b)
	for _, from := range Schemes() {
		for _, to := range Schemes() {
			for _, canonical := range []bool{true, false} {
				f, _ := FromBytes(b[:from.Bits()/8], from, canonical)
				want, _ := FromBytes(b[:to.Bits()/8], to, canonical)
				got, err := f.Narrow(to)
				if to > from && !errors.Is(err, ErrSchemeMismatch) || to <= from && (got != want || err != nil) {
					t.Errorf("%s.Narrow(%s) = %v, %v; want %v", f, to, got, err, want)
				}
			}
		}
	}
	f, _ := Parse("sd128:7777777777777777777777777y")
	if got, err := f.Narrow(SD64); got.Base32() != "7777777777776" {
		t.Errorf("Narrow gave the first characters instead of the first bytes: %v, %v", got, err)
	}
}

func TestEachTextFormErrorExplainsItself(t *testing.T) {
	for err, explanation := range explanations {
		if message := err.Error(); !strings.Contains(message, err.Name()) || !strings.Contains(message, explanation) {
			t.Errorf("the message of %s is %q", err.Name(), message)
		}
	}
}

func TestIndexRefusesWhatIsNotAnEntry(t *testing.T) {
	x, err := NewIndex(SD64)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := Parse("sd64:aaaaaaaaaaaaa")
	wide, _ := Parse("sd128:aaaaaaaaaaaaaaaaaaaaaaaaaa")
	if err := x.Add("a", f); err != nil {
		t.Fatal(err)
	}
	if err := x.Add("b", wide); !errors.Is(err, ErrSchemeMismatch) {
		t.Errorf("another scheme: error %v", err)
	}
	if err := x.Add("a", f); err == nil || x.Len() != 1 {
		t.Errorf("the same id: error %v, %d entries", err, x.Len())
	}
	if err := x.Remove("b"); err == nil || x.Len() != 1 {
		t.Errorf("removal of an unknown id: error %v, %d entries", err, x.Len())
	}
	if _, err := x.Query(wide, 3); !errors.Is(err, ErrSchemeMismatch) {
		t.Errorf("a query of another scheme: error %v", err)
	}
	if _, err := x.Query(f, -1); err == nil {
		t.Error("a negative distance was accepted")
	}
	if _, err := x.FindAll(-1); err == nil {
		t.Error("a negative distance was accepted")
	}
}
