// Command adapter runs package simhashdoc under the conformance suite: it reads requests on standard input and writes
// answers on standard output (conformance/PROTOCOL.md).
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/simhash-doc/simhash-doc/ports/go/internal/protocol"
)

func main() {
	if err := serve(os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "adapter:", err)
		os.Exit(1)
	}
}

func serve(in io.Reader, out io.Writer) error {
	reader := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriter(out)
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := reader.ReadBytes('\n')
		if err == io.EOF && len(line) == 0 {
			return nil
		}
		if err != nil && err != io.EOF {
			return err
		}
		answer, err := answerTo(line)
		if err != nil {
			return err
		}
		if err := encoder.Encode(answer); err != nil {
			return err
		}
		if err := writer.Flush(); err != nil {
			return err
		}
	}
}

func answerTo(line []byte) (any, error) {
	var request protocol.Request
	if err := json.Unmarshal(line, &request); err != nil {
		return nil, err
	}
	if string(request["op"]) == `"hello"` {
		return protocol.Hello(), nil
	}
	return protocol.Handle(request)
}
