// An adapter of github.com/mfonda/simhash for check.py: mfonda [unicode].
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"github.com/mfonda/simhash"
	"golang.org/x/text/unicode/norm"
)

func main() {
	name, features := "mfonda", func(text []byte) simhash.FeatureSet { return simhash.NewWordFeatureSet(text) }
	if len(os.Args) > 1 {
		name, features = "mfonda-unicode", func(text []byte) simhash.FeatureSet {
			return simhash.NewUnicodeWordFeatureSet(text, norm.NFC)
		}
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var request struct {
			Op, Text string
			ID       int
		}
		if err := json.Unmarshal(lines.Bytes(), &request); err != nil {
			panic(err)
		}
		if request.Op == "hello" {
			fmt.Printf(`{"protocol": 1, "name": %q, "version": "github.com/mfonda/simhash 79f94a1100d6", `+
				`"language": "Go", "unicode": "15.0", "operations": ["hash"], "schemes": [], "features": []}`+"\n", name)
			continue
		}
		fmt.Printf(`{"id": %d, "result": "%016x"}`+"\n", request.ID, simhash.Simhash(features([]byte(request.Text))))
	}
}
