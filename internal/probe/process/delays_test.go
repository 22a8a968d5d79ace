package process

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// Kernels before 5.14 account delays and have no setting that says so. Where it is off, the note
// names what there is to do on that kernel.
func TestDelayAccounting(t *testing.T) {
	booted := t.TempDir()
	for name, text := range map[string]string{"sys/kernel/osrelease": "4.18.0-553.el8.x86_64\n", "cmdline": "ro nodelayacct\n"} {
		file := filepath.Join(booted, "proc", name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		root string
		want procfile.DelayAccounting
		how  string // of the note; "": there is none
	}{
		{"../host/testdata/linux-4.18-dm", procfile.DelaysOn, ""},
		{"../host/testdata/linux-6.18", procfile.DelaysOff, "sysctl -w kernel.task_delayacct=1"},
		{booted, procfile.DelaysOffAtBoot, "boot without nodelayacct"},
	} {
		dir := census.OpenDir(c.root)
		if err := dir.Err(); err != nil {
			t.Fatal(err)
		}
		d := newDelays(dir)
		if d.ready() {
			t.Errorf("%s: files answer no taskstats", c.root)
		}
		if d.accounting != c.want {
			t.Errorf("%s: accounting %d, want %d", c.root, d.accounting, c.want)
		}
		w, rec := recording.NewWriter(time.Now()), recording.New(recording.Manifest{})
		d.report(w, "process")
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		notes := recording.Rows[recording.UnseenNote](rec)
		if (c.how == "") != (len(notes) == 0) || len(notes) > 0 && !strings.Contains(notes[0].How, c.how) {
			t.Errorf("%s: notes %+v, want %q", c.root, notes, c.how)
		}
		dir.Close()
	}
}
