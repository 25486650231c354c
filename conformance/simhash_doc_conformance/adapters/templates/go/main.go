// A simhash-doc conformance adapter: requests on standard input, answers on standard output, one per line.
package main

import (
	"bufio"
	"encoding/json"
	"io"
	"log"
	"os"
)

// Request has the members that the operations of the class "fingerprint" use. Add others as needed.
type Request struct {
	ID        int64   `json:"id"`
	Op        string  `json:"op"`
	Scheme    string  `json:"scheme"`
	Text      *string `json:"text"`  // the input is a text, or else
	Bytes     *string `json:"bytes"` // a document's bytes in hexadecimal (supporting them is optional)
	Hex       string  `json:"hex"`
	Canonical bool    `json:"canonical"`
}

// Members of an answer.
type Members map[string]any

var who = Members{
	"protocol": 1, "name": "my-simhash", "version": "0.1", "language": "Go",
	"unicode": "15.0", // of the NFC that the implementation uses
	"schemes": []string{"sd64"}, "features": []string{},
}

// ---- Plug in here ------------------------------------------------------------------------------
// An operation takes a request and returns the members of the answer: {"result": ...},
// {"error": "spare-bits"} with a name of section 14, or {"unsupported": true}. The operations
// listed here are declared to the runner.
// The result of `decode` is {"scheme": "sd64", "hex": "880881b875821e62", "canonical": true}.
// A text without a token gives {"error": "no-token"}, an unknown scheme {"error": "unknown-scheme"}.
var operations = map[string]func(Request) Members{
	// "encode":      func(r Request) Members { return myEncode(r.Hex, r.Scheme, r.Canonical) },
	// "decode":      func(r Request) Members { return myDecode(*r.Text, r.Scheme) },
	// "fingerprint": func(r Request) Members { return myFingerprint(r.Text, r.Bytes, r.Scheme) },
}

// ---- The protocol ------------------------------------------------------------------------------
func answer(request Request) Members {
	if request.Op == "hello" {
		names := []string{}
		for name := range operations {
			names = append(names, name)
		}
		who["operations"] = names
		return who
	}
	members := Members{"unsupported": true}
	if operation, listed := operations[request.Op]; listed {
		members = operation(request)
	}
	members["id"] = request.ID
	return members
}

func main() {
	// Not bufio.Scanner: it rejects long lines.
	input, output := bufio.NewReader(os.Stdin), json.NewEncoder(os.Stdout)
	for {
		line, err := input.ReadBytes('\n')
		if err == io.EOF {
			return
		}
		var request Request
		if err == nil {
			err = json.Unmarshal(line, &request)
		}
		if err == nil {
			err = output.Encode(answer(request))
		}
		if err != nil {
			log.Fatal(err)
		}
	}
}
