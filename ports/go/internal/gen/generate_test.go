package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

const data = "../../../../spec/data"

func TestTablesAreThoseOfTheSpecification(t *testing.T) {
	if _, err := os.Stat(data); err != nil {
		t.Skip(err)
	}
	want, err := Generate(data)
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../tables.go")
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("tables.go is out of date: run go generate in the directory of the module")
	}
}

func TestAFileWithAnotherDigestIsRefused(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(data, "*"))
	if err != nil || len(files) == 0 {
		t.Skipf("there are no files in %s", data)
	}
	directory := t.TempDir()
	for _, file := range files {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if filepath.Base(file) == "continua.txt" {
			content = append(content, "FFFFF\n"...)
		}
		if err := os.WriteFile(filepath.Join(directory, filepath.Base(file)), content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Generate(directory); err == nil {
		t.Error("Generate accepted a changed file")
	}
}
