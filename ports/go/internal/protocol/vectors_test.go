package protocol

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

const vectors = "../../../../conformance/vectors"

type vectorCase struct {
	ID       string
	Op       string
	Input    Request
	Same     []Request
	Expected struct {
		Result any
		Error  string
	}
}

// TestVectors answers all vectors of the operations that the package has.
func TestVectors(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectors, "cases-*.json"))
	if err != nil || len(files) == 0 {
		t.Skipf("there are no vectors in %s", vectors)
	}
	answered, skipped := 0, 0
	for _, file := range files {
		if filepath.Base(file) == "cases-index-sizes.json" {
			continue // the runner generates their entries
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var group struct{ Cases []vectorCase }
		if err := json.Unmarshal(content, &group); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, c := range group.Cases {
			if operations[c.Op] == nil {
				skipped++
				continue
			}
			answered++
			t.Run(c.ID, func(t *testing.T) { c.check(t) })
		}
	}
	if answered == 0 {
		t.Error("no vector was answered")
	}
	t.Logf("%d vectors answered; %d of other operations", answered, skipped)
}

// check compares the answer for the input, and for each input that has the same answer, with the expected one.
func (c *vectorCase) check(t *testing.T) {
	inputs := []Request{c.Input}
	for _, same := range c.Same {
		request := Request{}
		for name, value := range c.Input {
			if !slices.Contains(inputMembers, name) {
				request[name] = value
			}
		}
		for name, value := range same {
			request[name] = value
		}
		inputs = append(inputs, request)
	}
	want := canonical(t, c.Op, c.Expected.Result)
	for i, request := range inputs {
		request["op"] = json.RawMessage(fmt.Sprintf("%q", c.Op))
		if request["cuts"] != nil && request["utf16"] != nil {
			continue // pieces are bytes
		}
		answer, err := Handle(request)
		if err != nil {
			t.Fatalf("input %d: %v", i, err)
		}
		got := canonical(t, c.Op, answer.Result)
		if c.Expected.Error == "" && c.Expected.Result == nil {
			want = got // the inputs need only agree
			c.Expected.Result = got
		}
		if answer.Error != c.Expected.Error || !reflect.DeepEqual(got, want) {
			t.Errorf("input %d: got %.300v, error %q; want %.300v, error %q",
				i, got, answer.Error, want, c.Expected.Error)
		}
	}
}

// canonical returns a result as a JSON value, with lists whose order has no meaning sorted.
func canonical(t *testing.T, operation string, result any) any {
	encoded, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	var value any
	if err := json.Unmarshal(encoded, &value); err != nil {
		t.Fatal(err)
	}
	if steps, ok := value.(map[string]any); ok && operation == "trace" {
		steps["tokens"] = canonical(t, "tokens", steps["tokens"])
	}
	list, ok := value.([]any)
	if !ok {
		return value
	}
	byText := func(a, b any) int { return strings.Compare(fmt.Sprintf("%q", a), fmt.Sprintf("%q", b)) }
	switch operation {
	case "query", "find_all":
		for _, ids := range list {
			slices.SortFunc(ids.([]any), byText)
		}
	case "update":
		for _, step := range list {
			for _, ids := range step.([]any) {
				slices.SortFunc(ids.([]any), byText)
			}
		}
	}
	if operation == "tokens" || operation == "find_all" {
		slices.SortFunc(list, byText)
	}
	return list
}
