package imported

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

func TestTsar(t *testing.T) {
	v := read(t, "tsar/loops.txt")
	if got := v.Start().Format(time.DateTime); got != "2026-11-26 21:23:19" {
		t.Error(got)
	}
	about(t, "seconds", v.Seconds(), 13, 0)
	total, ok := v.CPUTotal()
	if !ok {
		t.Fatal("no CPU time")
	}
	// The means of the columns.
	about(t, "user", total.User, 0.3423, 0.001)
	about(t, "system", total.System, 0.0793, 0.001)
	about(t, "iowait", total.IOWait, 0.0031, 0.0001)
	about(t, "softirq", total.SoftIRQ, 0.0122, 0.0001)
	about(t, "busy", total.Busy(), 0.4953, 0.001)
	s, _ := v.Scheduler()
	if s.ContextSwitches < 100 || s.Load1 > 20 {
		t.Errorf("%+v", s)
	}
	samples := view.Rows[recording.MemorySample](v)
	if m := samples[len(samples)-1]; m.Total < 23<<30 || m.Total > 24<<30 || m.Free < 17<<30 || m.Free > 19<<30 {
		t.Errorf("%+v", m)
	}
	d, ok := v.BlockDevice("vda")
	if !ok || d.WrittenBytes < 10<<20 || d.Utilisation > 0.5 {
		t.Errorf("%+v", d)
	}
}

const tsarHead = `Time              ---cpu--
Time                user     sys    wait    hirq    sirq    util
`

func TestTsarRefused(t *testing.T) {
	real, err := os.ReadFile(filepath.Join("testdata", "tsar", "loops.txt"))
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{
		"without numbers": tsarHead,
		"no date":         tsarHead + "2026-11-26 21:23:20   0.50    0.00    0.00    0.00    0.00    0.50\n2026-11-26 21:23:21   0.50    0.00    0.00    0.00    0.00    0.50\n",
		"fewer numbers":   tsarHead + strings.Repeat("26/11/26-21:23:20   0.50    0.00\n", 3),
		"no dashes":       strings.ReplaceAll(string(real), "-", ""),
	} {
		path := filepath.Join(t.TempDir(), "tsar.txt")
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(t.Context(), []string{path}); err == nil {
			t.Errorf("%s: it is read", name)
		}
	}
}
