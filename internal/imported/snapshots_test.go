package imported

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

func TestCollection(t *testing.T) {
	if !IsCollection("testdata/stalk") || IsCollection("testdata/cpu") || IsCollection("testdata") || IsCollection("testdata/none") {
		t.Error("what a collection is")
	}
	rec, held, err := Read(t.Context(), []string{"testdata/stalk"})
	if err != nil {
		t.Fatal(err)
	}
	v := view.New(rec, held.From, held.To)
	if total, ok := v.CPUTotal(); !ok || total.Busy() < 0.3 || len(v.CPUs()) != 2 {
		t.Errorf("%+v", total)
	}
	if s, ok := v.Scheduler(); !ok || s.ContextSwitches <= 0 || !view.Known(s.Running) || view.Known(s.Load1) {
		t.Errorf("%+v", s)
	}
	if d, ok := v.BlockDevice("vda"); !ok || d.Writes <= 0 {
		t.Errorf("%+v", d)
	}
	if p, ok := v.Paging(); !ok || p.Faults <= 0 {
		t.Errorf("%+v", p)
	}
	if m, ok := v.MemoryNow(); !ok || m.Total < 1<<30 || m.Dirty < 0 {
		t.Errorf("%+v", m)
	}
	if h := v.Manifest().Host; h.Name != "vm" || h.CPUs != 2 {
		t.Errorf("%+v", h)
	}
	if len(view.Rows[recording.ProcessSample](v)) == 0 {
		t.Error("no processes of top")
	}
	out := verdict.Judge(v, catalogue.For(v.Manifest()))
	for _, id := range []string{"mem/oom-kill", "cpu/short-lived-processes", "disk/errors", "net/packet-loss"} {
		if !notJudged(out, id) {
			t.Errorf("%s was judged", id)
		}
	}
	if notJudged(out, "disk/saturated") || notJudged(out, "mem/swapping") || notJudged(out, "cpu/steal") {
		t.Errorf("%+v", out.NotJudged)
	}
}

// Files of a collection can be given as the shell lists them; those that tell nothing of the
// host are left out.
func TestCollectionAsFiles(t *testing.T) {
	files, err := filepath.Glob("testdata/stalk/*")
	if err != nil || len(files) < 8 {
		t.Fatal(files, err)
	}
	if _, _, err := Read(t.Context(), files); err != nil {
		t.Error(err)
	}
	_, _, err = Read(t.Context(), []string{"testdata/stalk/2026_11_26_14_50_00-df"})
	if err == nil || !strings.Contains(err.Error(), "none of these files") {
		t.Error(err)
	}
}

// One that is still being written is read as far as it goes; the last of several is read.
func TestHalfACollection(t *testing.T) {
	dir := t.TempDir()
	whole, err := os.ReadFile("testdata/stalk/2026_11_26_14_50_00-procstat")
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"2026_11_26_14_50_00-procstat": whole[:len(whole)*2/3], "2025_01_01_00_00_00-procstat": whole,
		"2026_11_27_00_00_00-variables": []byte("max_connections 1"),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rec, held, err := Read(t.Context(), []string{dir})
	if err != nil {
		t.Fatal(err)
	}
	if s := held.To.Sub(held.From); s < 3*time.Second || s > 5*time.Second {
		t.Errorf("%v", held)
	}
	if notes := strings.Join(rec.Manifest().Notes, "\n"); !strings.Contains(notes, "the last of 3 collections") {
		t.Error(notes)
	}
}

func TestSnapshotsRefused(t *testing.T) {
	for name, tc := range map[string]struct{ text, want string }{
		"one":     {"TS 1767322800.5 x\ncpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2 3 4 5 6 7 8 0 0\n", "a rate needs two"},
		"cut off": {"TS 1767322800.5 x\ncpu  1 2 3 4 5 6 7 8 0 0\ncpu0 1 2", "no whole copy"},
	} {
		_, _, err := Read(t.Context(), []string{write(t, tc.text)})
		if err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, want %q", name, err, tc.want)
		}
	}
}

func TestDifferentTimes(t *testing.T) {
	_, _, err := Read(t.Context(), []string{"testdata/cpu/mpstat.txt", "testdata/stalk/2026_11_26_14_50_00-procstat"})
	if err == nil || !strings.Contains(err.Error(), "different times") {
		t.Error(err)
	}
}

func FuzzSnapshots(f *testing.F) {
	files, _ := filepath.Glob("testdata/stalk/*")
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(b[:min(len(b), 3000)])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if snapshotName(b) == "" {
			return
		}
		from, err := parseSnapshots("fuzz", string(b), time.Time{})
		if err != nil {
			return
		}
		rec, held, err := together([]*told{from})
		if err != nil {
			return
		}
		v := view.New(rec, held.From, held.To)
		v.CPUTotal()
		v.BlockDevices()
		v.Paging()
	})
}
