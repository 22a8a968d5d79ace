package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/recording"
)

// printed is what a run of the program gave.
type printed struct {
	of        string
	out, errs string
	code      int
}

// runHere runs the program in this process.
func runHere(args ...string) printed {
	var out, errs bytes.Buffer
	code := run(args, &out, &errs)
	return printed{strings.Join(args, " "), out.String(), errs.String(), code}
}

// everyPrinter has all verbs that read recordings print one, in every form.
func everyPrinter(t testing.TB, dir string) (list []printed) {
	t.Helper()
	packed := filepath.Join(t.TempDir(), "packed.rtr")
	for _, args := range [][]string{
		{"replay", dir}, {"replay", dir, "--step", "1s"},
		{"diagnose", dir}, {"diagnose", dir, "-v"}, {"diagnose", dir, "--json"}, {"diagnose", dir, "--markdown"},
		{"pack", dir, "-o", packed}, {"replay", packed}, {"diagnose", packed, "-v"}, {"diagnose", packed, "--json"},
	} {
		list = append(list, runHere(args...))
	}
	return list
}

// onDisk writes samples as a recording.
func onDisk(t testing.TB, m recording.Manifest, samples ...*recording.Writer) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "rec")
	d, err := recording.Create(dir, m, recording.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range samples {
		if err := d.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	return dir
}
