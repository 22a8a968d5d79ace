package main

import (
	"bytes"
	"path/filepath"
	"slices"
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

// recordingPrinters are the verbs that read recordings, in every form.
var recordingPrinters = [][]string{
	{"replay"}, {"replay", "--step", "1s"}, {"replay", "--json"}, {"replay", "--markdown"}, {"timeline"}, {"timeline", "--json"}, {"timeline", "--markdown"}, {"diagnose"}, {"diagnose", "-v"}, {"diagnose", "--json"}, {"diagnose", "--markdown"}, {"audit"}, {"audit", "-v"}, {"audit", "--json"}, {"audit", "--markdown"},
}

// everyPrinter has a recording printed by all of them, and packed.
func everyPrinter(t testing.TB, dir string) (list []printed) {
	t.Helper()
	packed := filepath.Join(t.TempDir(), "packed.rtr")
	runs := [][]string{{"pack", dir, "-o", packed}, {"replay", packed}, {"diagnose", "--json", packed}}
	for _, args := range recordingPrinters {
		runs = append(runs, append(slices.Clone(args), dir))
	}
	for _, args := range runs {
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
