package session

import (
	"archive/tar"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
)

// sosreport is an archive with a file of sar and a copy of /proc of a host with 200 zombies.
func sosreport(t *testing.T) string {
	t.Helper()
	sar, err := os.ReadFile("../imported/testdata/cpu/sar.txt")
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"var/log/sa/sar26": string(sar),
		"proc/stat":        "cpu  1000 0 0 100 0 0 0 0 0 0\ncpu0 1000 0 0 100 0 0 0 0 0 0\nintr 9\nctxt 9\nbtime 1767300000\nprocesses 5\nprocs_running 1\nprocs_blocked 0\n",
		"proc/50/stat":     "50 (parent) S 1 50 50 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 1000 10 1\n",
	}
	for i := range 200 {
		files[fmt.Sprintf("proc/%d/stat", 1000+i)] = fmt.Sprintf("%d (child) Z 50 50 50 0 -1 0 0 0 0 0 1 1 0 0 20 0 1 0 100 0 0 1\n", 1000+i)
	}
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for name, content := range files {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(content)), ModTime: time.Unix(1767322800, 0), Mode: 0o600, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "sosreport.tar")
	if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// What the copy of /proc in a sosreport shows stands beside what its file of sar does, unless a time
// was chosen, of which it is not.
func TestLookBesideReports(t *testing.T) {
	path := sosreport(t)
	chosen := func(held recording.Window) (from, to time.Time, note string, err error) {
		return held.From, held.From.Add(3 * time.Second), "", nil
	}
	for name, tc := range map[string]struct {
		window Window
		found  bool
	}{"all": {Window{}, true}, "a time": {Window{At: chosen}, false}} {
		e, err := (&Imported{Files: []string{path}, Window: tc.window}).Evidence(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		v := e.Judge()
		at := slices.IndexFunc(v.Findings, func(f verdict.Finding) bool { return f.Rule == "proc/zombies" })
		if found := at >= 0; found != tc.found || found && v.Findings[at].Confidence != rule.Possible {
			t.Errorf("%s: %+v", name, v.Findings)
		}
		notes := strings.Join(v.Notes, "\n")
		if strings.Contains(notes, "its copy of /proc, one look") != tc.found || strings.Contains(notes, "is judged only with all of the time") == tc.found {
			t.Errorf("%s: %q", name, notes)
		}
		if seconds := v.Window.End.Sub(v.Window.Start).Seconds(); seconds < 2 || seconds > 8 {
			t.Errorf("%s: a window of %v s", name, seconds)
		}
	}
}

// A length without a time is that of the beginning, as of captures.
func TestLengthOfReports(t *testing.T) {
	path := sosreport(t)
	all, err := (&Imported{Files: []string{path}}).Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	part, err := (&Imported{Files: []string{path}, Window: Window{Length: 2 * time.Second}}).Evidence(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if want := all.From.Add(2 * time.Second); !all.To.After(want) || !part.From.Equal(all.From) || !part.To.Equal(want) {
		t.Errorf("%v to %v of %v to %v", part.From, part.To, all.From, all.To)
	}
}
