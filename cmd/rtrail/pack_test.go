package main

import (
	"os"
	"path/filepath"
	"testing"
)

// An output that is a file of the recording would destroy it; whatever else lies in
// the directory is not looked at.
func TestOutputIsPartOfTheRecording(t *testing.T) {
	top := t.TempDir()
	t.Chdir(top)
	for _, dir := range []string{"rec/segments", "other"} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"rec/journal", "rec/segments/a", "other/a"} {
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, to := range map[string]string{"link": "rec/journal", "dir": "rec", "rec/out": "../other/a"} {
		if err := os.Symlink(to, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		dir, out string
		want     bool
	}{
		{"rec", "rec/journal", true},
		{"rec", "rec/../rec/segments/a", true},
		{"rec", "link", true},
		{"dir", "link", true},
		{filepath.Join(top, "dir"), "dir/journal", true},
		{".", "rec/journal", true},
		{"rec", "other/a", false},
		{"rec", "rec/out", false},
		{"rec", "rec/new.rtr", false},
		{"rec", "rec.rtr", false},
		{"gone", "other/a", false},
	} {
		if got := partOf(test.dir, test.out); got != test.want {
			t.Errorf("%s into %s: %v", test.dir, test.out, got)
		}
	}
}
