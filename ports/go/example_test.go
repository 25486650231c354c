package simhashdoc_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	simhashdoc "github.com/simhash-doc/simhash-doc/ports/go"
)

func Example() { // the lines of README.md
	first, err1 := simhashdoc.Sum("The first café opens", simhashdoc.SD64) // "sd64:" and 13 characters
	second, err2 := simhashdoc.Sum([]byte("THE FIRST CAFÉ OPENS!"), simhashdoc.SD64)
	if err := errors.Join(err1, err2); err != nil { // a text without words
		panic(err)
	}
	distance, _ := simhashdoc.Distance(first, second) // 0; for two texts, 3 or less is close
	fmt.Println(first, distance)
	// Output: sd64:bieadmtetjhwe 0
}

func ExampleSum() {
	f, err := simhashdoc.Sum("The Café opens; see https://example.org/menu.", simhashdoc.SD64)
	if err != nil {
		panic(err)
	}
	fmt.Println(f)
	_, err = simhashdoc.Sum([]byte("2024 !"), simhashdoc.SD64)
	fmt.Println(errors.Is(err, simhashdoc.ErrNoToken))
	// Output:
	// sd64:bibydmdvqjnge
	// true
}

func ExampleAccumulator() {
	var a simhashdoc.Accumulator
	if _, err := io.Copy(&a, strings.NewReader("The Café opens; see https://example.org/menu.")); err != nil {
		panic(err)
	}
	for _, s := range []simhashdoc.Scheme{simhashdoc.SD64, simhashdoc.SD128} {
		f, err := a.Sum(s)
		fmt.Println(f, err)
	}
	// Output:
	// sd64:bibydmdvqjnge <nil>
	// sd128:bibydmdvqjngeaqifkk4gfbbsa <nil>
}

func ExampleParse() {
	f, err := simhashdoc.Parse("SD64:RAEIDODVQIPGE")
	fmt.Println(f, f.Scheme().Bits(), err)
	_, err = simhashdoc.Parse("sd64:raeidodvqipgf")
	fmt.Println(errors.Is(err, simhashdoc.ErrSpareBits))
	// Output:
	// sd64:raeidodvqipge 64 <nil>
	// true
}

func ExampleFingerprint_Narrow() {
	wide, _ := simhashdoc.Parse("sd128:raeidodvqipgeeaahak4gvbbsa")
	f, err := wide.Narrow(simhashdoc.SD64)
	fmt.Println(f, err)
	_, err = f.Narrow(simhashdoc.SD256)
	fmt.Println(errors.Is(err, simhashdoc.ErrSchemeMismatch))
	// Output:
	// sd64:raeidodvqipge <nil>
	// true
}

func ExampleDistance() {
	a, _ := simhashdoc.Parse("sd64:raeidodvqipge")
	b, _ := simhashdoc.Parse("sd64:raeidodvqipgi")
	distance, _ := simhashdoc.Distance(a, b)
	similarity, _ := simhashdoc.Similarity(a, b)
	fmt.Println(distance, similarity, distance <= simhashdoc.SD64.Close())
	// Output: 2 0.96875 true
}

func ExampleBuckets() {
	buckets, err := simhashdoc.Buckets("one two three", simhashdoc.SD64)
	fmt.Println(buckets[:8], err)
	// Output: [-1 1 1 -1 1 -1 -1 1] <nil>
}

func ExampleTraceText() {
	t, err := simhashdoc.TraceText("The ﬁrst _CAFÉ_: www.example.org 東京", simhashdoc.SD64)
	fmt.Printf("%q\n%q\n%q\n%v\n", t.Folded, t.LinkFree, t.Tokens, err)
	// Output:
	// "the first _café_: www.example.org 東京"
	// "the first _café_:   東京"
	// ["café" "first" "the" "東京"]
	// <nil>
}

func ExampleIndex() {
	index, _ := simhashdoc.NewIndex(simhashdoc.SD64)
	for id, text := range map[string]string{"a": "sd64:aaaaaaaaaaaaa", "b": "sd64:aaaaaaaaaaaao", "c": "sd64:7777777777776"} {
		f, _ := simhashdoc.Parse(text)
		if err := index.Add(id, f); err != nil {
			panic(err)
		}
	}
	query, _ := simhashdoc.Parse("sd64:7777777777774")
	ids, _ := index.Query(query, simhashdoc.SD64.Close())
	pairs, _ := index.FindAll(simhashdoc.SD64.Close())
	fmt.Println(ids, len(pairs))
	if err := index.Remove("b"); err != nil {
		panic(err)
	}
	pairs, _ = index.FindAll(simhashdoc.SD64.Close())
	fmt.Println(len(pairs))
	// Output:
	// [c] 1
	// 0
}
