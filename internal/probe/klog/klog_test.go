package klog

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
)

func TestParse(t *testing.T) {
	for in, want := range map[string]record{
		"6,1234,5678901,-;EXT4-fs (vda): mounted\n":         {0, 6, 1234, 5678901 * time.Microsecond, "EXT4-fs (vda): mounted"},
		"30,7,1,-,caller=T1;systemd[1]: Started\n":          {3, 6, 7, time.Microsecond, "systemd[1]: Started"},
		"4,8,2,c;usb 1-1: new\n SUBSYSTEM=usb\n DEVICE=x\n": {0, 4, 8, 2 * time.Microsecond, "usb 1-1: new"},
		`3,9,3,-;Killed process 7 (a\x0ab) total\x2` + "\n": {0, 3, 9, 3 * time.Microsecond, "Killed process 7 (a\nb) total\\x2"},
		"6,10,4,-;semicolons; stay\n":                       {0, 6, 10, 4 * time.Microsecond, "semicolons; stay"},
		"6,10,4,-;":                                         {0, 6, 10, 4 * time.Microsecond, ""},
	} {
		got, err := parse([]byte(in))
		if err != nil {
			t.Errorf("parse(%q): %v", in, err)
		}
		if d := cmp.Diff(want, got, cmp.AllowUnexported(record{})); d != "" {
			t.Errorf("parse(%q): %s", in, d)
		}
	}
	for _, in := range []string{"", ";", "6,1;text", "a,1,1,-;text", "6,1,-1,-;text", "6,1,1,-", "6,1,99999999999999999999,-;x"} {
		if r, err := parse([]byte(in)); err == nil {
			t.Errorf("parse(%q) = %+v, want an error", in, r)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("6,1234,5678901,-;EXT4-fs (vda): mounted\n SUBSYSTEM=block\n"))
	f.Add([]byte(`3,9,3,-;a\x0ab\x`))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parse(b)
		if err == nil && (r.level < 0 || r.level > 7 || r.since < 0 || len(r.text) > len(b)) {
			t.Errorf("parse(%q) = %+v", b, r)
		}
	})
}

// TestSample reads records from a packet-like file: a real /dev/kmsg gives one
// record per read, an ordinary file all at once, so the file has one.
func TestSampleKeepsOnlyRecentKernelLines(t *testing.T) {
	clock := time.Hour
	for name, c := range map[string]struct {
		record string
		rows   int
	}{
		"recent":         {"4,5,3590000000,-;nf_conntrack: table full, dropping packet\n", 1},
		"long ago":       {"4,5,1000000,-;nf_conntrack: table full, dropping packet\n", 0},
		"from a program": {"12,5,3590000000,-;Out of memory: Killed process 1 (init)\n", 0},
	} {
		path := filepath.Join(t.TempDir(), "kmsg")
		if err := os.WriteFile(path, []byte(c.record), 0o600); err != nil {
			t.Fatal(err)
		}
		p := &Probe{path: path, fd: -1, first: true, since: func() (time.Duration, error) { return clock, nil }}
		w := recording.NewWriter(time.Now())
		if err := p.Sample(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		rec := recording.New(recording.Manifest{})
		_ = rec.Commit(w)
		rows := recording.Rows[recording.KernelLogLine](rec)
		if len(rows) != c.rows {
			t.Errorf("%s: %d rows, want %d", name, len(rows), c.rows)
		}
		for _, r := range rows {
			if ago := time.Since(r.Logged); ago < 9*time.Second || ago > 20*time.Second {
				t.Errorf("%s: logged %v ago, want 10 s", name, ago)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestSequenceGapIsLoss(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kmsg")
	p := &Probe{path: path, fd: -1, first: true, since: func() (time.Duration, error) { return time.Second, nil }}
	lost := func(record string) int64 {
		if err := os.WriteFile(path, []byte(record), 0o600); err != nil {
			t.Fatal(err)
		}
		defer p.Close()
		w := recording.NewWriter(time.Now())
		if err := p.Sample(t.Context(), w); err != nil {
			t.Fatal(err)
		}
		return w.LostRows()
	}
	if n := lost("4,500,1,-;first\n"); n != 0 {
		t.Errorf("what was logged before the first sample is not lost, got %d", n)
	}
	if n := lost("4,501,1,-;next\n"); n != 0 {
		t.Errorf("no gap, but %d lost", n)
	}
	if n := lost("4,512,1,-;after a gap\n"); n != 10 {
		t.Errorf("ten numbers skipped, %d lost", n)
	}
	if n := lost("garbage"); n != 1 {
		t.Errorf("an unreadable record, %d lost", n)
	}
}

func TestCheckSaysWhatIsMissing(t *testing.T) {
	p := &Probe{path: filepath.Join(t.TempDir(), "none"), fd: -1}
	missing, ok := errors.AsType[*probe.MissingError](p.Check())
	if !ok || missing.How == "" || !strings.Contains(missing.Error(), p.path) {
		t.Errorf("got %v", p.Check())
	}
}

func TestLive(t *testing.T) {
	p := New()
	if err := p.Check(); err != nil {
		t.Skip(err)
	}
	defer p.Close()
	w := recording.NewWriter(time.Now())
	if err := p.Sample(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	rec := recording.New(recording.Manifest{})
	_ = rec.Commit(w)
	for _, r := range recording.Rows[recording.KernelLogLine](rec) {
		if ago := time.Since(r.Logged); ago < -time.Second || ago > history+time.Second {
			t.Errorf("logged %v ago: %q", ago, r.Text)
		}
	}
}
