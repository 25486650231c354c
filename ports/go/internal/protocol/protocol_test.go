package protocol

import (
	"encoding/json"
	"os"
	"regexp"
	"testing"
)

// TestExamplesOfTheProtocol answers the requests of PROTOCOL.md.
func TestExamplesOfTheProtocol(t *testing.T) {
	content, err := os.ReadFile("../../../../conformance/PROTOCOL.md")
	if err != nil {
		t.Skip(err)
	}
	examples := regexp.MustCompile(`(?m)^> (\{"id": .*)\n< (.*)$`).FindAllStringSubmatch(string(content), -1)
	if len(examples) < 13 {
		t.Fatalf("PROTOCOL.md has %d examples", len(examples))
	}
	for _, example := range examples {
		var request Request
		var want Answer
		if err := json.Unmarshal([]byte(example[1]), &request); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(example[2]), &want); err != nil {
			t.Fatal(err)
		}
		if string(request["op"]) == `"extract"` {
			want = Answer{ID: want.ID, Unsupported: true}
		}
		c := vectorCase{Input: request}
		if err := json.Unmarshal(request["op"], &c.Op); err != nil {
			t.Fatal(err)
		}
		if want.Unsupported {
			if got, err := Handle(request); !got.Unsupported || err != nil {
				t.Errorf("%s: got %v, %v", example[1], got, err)
			}
			continue
		}
		c.Expected.Result, c.Expected.Error = want.Result, want.Error
		c.check(t)
	}
}

func TestNarrowReportsTheFirstError(t *testing.T) {
	for _, c := range [][3]string{
		{"sd65:=", "SD64", "unknown-scheme"},
		{"sd128:=", "sd64+custom", "unknown-scheme"},
		{"sd65:=", "sd128", "unknown-scheme"},
		{"sd64:1=", "sd128", "padding"},
		{"sd64:1", "sd128", "bad-character"},
		{"aaaa", "sd128", "bad-length"},
		{"aaaaaaaaaaaab", "sd128", "spare-bits"},
		{"sd64+custom:aaaaaaaaaaaaa", "sd128", "scheme-mismatch"},
		{"aaaaaaaaaaaaa", "sd64", ""},
	} {
		request := Request{"op": json.RawMessage(`"narrow"`)}
		for i, name := range []string{"text", "scheme"} {
			request[name] = json.RawMessage(`"` + c[i] + `"`)
		}
		if answer, err := Handle(request); answer.Error != c[2] || err != nil {
			t.Errorf("%v: error %q, %v", c, answer.Error, err)
		}
	}
}

func TestRequestsWithoutMembersAreErrors(t *testing.T) {
	for operation := range operations {
		request := Request{"op": json.RawMessage(`"` + operation + `"`)}
		if answer, err := Handle(request); err == nil {
			t.Errorf("%s: answered %v", operation, answer)
		}
	}
}
