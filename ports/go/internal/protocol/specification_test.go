package protocol

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// TestExamplesOfTheSpecification computes the worked examples of the core and of search.md.
func TestExamplesOfTheSpecification(t *testing.T) {
	examples := 0
	for _, name := range []string{"simhash-doc.md", "search.md"} {
		content, err := os.ReadFile("../../../../spec/" + name)
		if err != nil {
			t.Skip(err)
		}
		for _, block := range regexp.MustCompile("(?ms)^```json\n(.*?)^```$").FindAllStringSubmatch(string(content), -1) {
			var example Request
			if json.Unmarshal([]byte(block[1]), &example) != nil || example["example"] == nil {
				continue
			}
			examples++
			t.Run(block[1][:min(60, len(block[1]))], func(t *testing.T) { checkExample(t, example) })
		}
	}
	if examples < 20 {
		t.Errorf("only %d examples were found", examples)
	}
}

func checkExample(t *testing.T, example Request) {
	kind, err := member[string](example, "example")
	if err != nil {
		t.Fatal(err)
	}
	request := Request{"scheme": json.RawMessage(`"sd64"`)}
	if kind == "decode" {
		delete(request, "scheme")
	}
	for name, value := range example {
		switch name {
		case "input":
			name = "text"
			if kind == "hash_tokens" {
				name = "tokens"
			}
		case "input_hex", "input_utf16":
			digits, err := member[string](example, name)
			if err != nil {
				t.Fatal(err)
			}
			value, err = json.Marshal(strings.ToLower(strings.ReplaceAll(digits, " ", "")))
			if err != nil {
				t.Fatal(err)
			}
			name = map[string]string{"input_hex": "bytes", "input_utf16": "utf16"}[name]
		}
		request[name] = value
	}
	c := vectorCase{Op: kind, Input: request}
	if raw, given := example["error"]; given {
		if err := json.Unmarshal(raw, &c.Expected.Error); err != nil {
			t.Fatal(err)
		}
	} else if raw := example["output"]; raw != nil {
		if err := json.Unmarshal(raw, &c.Expected.Result); err != nil {
			t.Fatal(err)
		}
	}
	switch kind {
	case "remove_links", "trace":
		checkTrace(t, c)
	default:
		c.check(t)
	}
}

// checkTrace compares the members of an example of a trace, or the link-free text.
func checkTrace(t *testing.T, c vectorCase) {
	want := map[string]any{"prepared": c.Expected.Result}
	if c.Op == "trace" {
		want = map[string]any{}
		for _, name := range []string{"folded", "prepared", "tokens", "buckets", "fingerprint"} {
			var value any
			if err := json.Unmarshal(c.Input[name], &value); err != nil {
				t.Fatal(err)
			}
			want[name] = value
		}
	}
	result, err := trace(c.Input)
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range want {
		if a, b := canonical(t, name, result.(map[string]any)[name]), canonical(t, name, value); !equalJSON(t, a, b) {
			t.Errorf("%s is %v, want %v", name, a, b)
		}
	}
}

func equalJSON(t *testing.T, a, b any) bool {
	x, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	y, err := json.Marshal(b)
	if err != nil {
		t.Fatal(err)
	}
	return string(x) == string(y)
}
