package bench

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "gp3")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, FileName)
	if err := os.WriteFile(file, []byte("{\"scenario\":\"a\"}\n{\"environment\":\"io2\"}\n{\"scena"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{dir, file} {
		runs, cut, err := Open(t.Context(), path)
		if err != nil || !cut || len(runs) != 2 || runs[0].Environment != "gp3" || runs[1].Environment != "io2" {
			t.Errorf("%s: %+v, cut %v, %v", path, runs, cut, err)
		}
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{dir: "no whole run", filepath.Dir(dir): "holds no runs.jsonl", filepath.Join(dir, "none"): "no such file"} {
		if _, _, err := Open(t.Context(), path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", path, err)
		}
	}
}
