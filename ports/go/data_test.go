package simhashdoc

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"strings"
	"testing"
)

const specification = "../../spec/"

func readSpecification(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(specification + name)
	if err != nil {
		t.Skip(err)
	}
	return content
}

func TestTheTablesAreGeneratedFromTheSpecification(t *testing.T) {
	sum := sha256.Sum256(readSpecification(t, "data/SHA256SUMS"))
	if got := hex.EncodeToString(sum[:]); got != DataDigest {
		t.Errorf("the digest of SHA256SUMS is %s; the tables are from %s", got, DataDigest)
	}
}

func TestTheSchemesAreThoseOfTheRegistry(t *testing.T) {
	var r struct {
		Schemes []struct {
			Name, ID                       string
			Bits, Characters, Close, Loose int
		}
	}
	if err := json.Unmarshal(readSpecification(t, "data/schemes.json"), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Schemes) != len(Schemes()) {
		t.Fatalf("the registry has %d schemes", len(r.Schemes))
	}
	for i, s := range Schemes() {
		want := r.Schemes[i]
		if s.ID() != want.ID || s.Name() != want.Name || s.Bits() != want.Bits || s.Characters() != want.Characters ||
			s.Close() != want.Close || s.Loose() != want.Loose {
			t.Errorf("%s is not %v", s, want)
		}
	}
}

func TestTheLicenceOfTheTablesIsThatOfTheData(t *testing.T) {
	want := readSpecification(t, "data/LICENSE-UNICODE.txt")
	if got, err := os.ReadFile("LICENSE-UNICODE.txt"); err != nil || string(got) != string(want) {
		t.Errorf("LICENSE-UNICODE.txt is not that of spec/data: %v", err)
	}
}

func TestTheLinesOfTheReadmeAreAnExample(t *testing.T) {
	readme, err := os.ReadFile("README.md")
	if err != nil {
		t.Fatal(err)
	}
	examples, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, program, _ := strings.Cut(string(readme), "func main() {\n")
	lines, _, found := strings.Cut(program, "}\n```")
	if !found || !strings.Contains(string(examples), lines) {
		t.Errorf("example_test.go does not have the lines of README.md:\n%s", lines)
	}
}
