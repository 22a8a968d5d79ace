// Package envtest keeps tests of labs apart from each other and from real ones.
package envtest

import (
	"os"
	"path/filepath"
	"testing"

	"rtrail/internal/lab/env"
)

// Isolate gives a test state files and temporary folders of its own.
func Isolate(t *testing.T) {
	t.Helper()
	old, dir := env.StateDir, t.TempDir()
	env.StateDir = func() (string, error) { return dir, nil }
	t.Cleanup(func() { env.StateDir = old })
	t.Setenv("TMPDIR", t.TempDir())
}

// Leftovers lists state files and folders that runs have left since Isolate.
func Leftovers(t *testing.T) []string {
	t.Helper()
	dir, err := env.StateDir()
	if err != nil {
		t.Fatal(err)
	}
	state, _ := filepath.Glob(dir + "/*.json") // the pattern is well-formed
	dirs, _ := filepath.Glob(os.TempDir() + "/rtrail-lab-*")
	return append(state, dirs...)
}
