package openfile

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// Of more processes than one look has time for, each is looked at in turn, and it is said.
func TestManyProcesses(t *testing.T) {
	const processes = 60
	root := t.TempDir()
	c := census.New(root)
	defer c.Close()
	p := New(c)
	p.budget = 0
	now := time.Now()
	for pid := range processes {
		dir := filepath.Join(root, "proc", fmt.Sprint(pid+1))
		if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(filepath.Join(dir, "io"), []byte("read_bytes: 4096\nwrite_bytes: 4096\n"), 0o600)); err != nil {
			t.Fatal(err)
		}
		p.all = append(p.all, census.Entry{})
		e := &p.all[pid]
		e.PID, e.Active = int32(pid+1), now
	}
	w := recording.NewWriter(now)
	p.most(t.Context(), now, w)
	if len(p.moved) == processes || w.Rows() != 1 {
		t.Fatalf("%d of %d processes, %d rows", len(p.moved), processes, w.Rows())
	}
	for range 20 {
		if len(p.moved) == processes {
			return
		}
		p.most(t.Context(), now, w)
	}
	t.Errorf("of %d processes %d were looked at", processes, len(p.moved))
}
