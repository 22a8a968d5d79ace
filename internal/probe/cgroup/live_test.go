package cgroup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"rtrail/internal/recording"
)

// TestLive makes a group of its own with limits under version 1 controllers,
// lives in none of them, and reads it back.
func TestLive(t *testing.T) {
	p := New()
	if err := p.Start(); err != nil {
		t.Skip(err)
	}
	list, err := p.hierarchies()
	if err != nil {
		t.Fatal(err)
	}
	name := fmt.Sprintf("rtrail-test-%d", os.Getpid())
	set := map[string]string{"cpu": "cpu.cfs_quota_us=20000", "memory": "memory.limit_in_bytes=67108864", "pids": "pids.max=100"}
	made := map[string]bool{}
	for _, h := range list {
		for _, controller := range h.controllers {
			limit, ok := set[controller]
			if !ok || h.prefix != "" {
				continue
			}
			dir := filepath.Join(h.dir, name)
			if err := os.Mkdir(dir, 0o755); errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
				t.Skipf("cannot make control groups here: %v", err)
			} else if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() {
				if err := os.Remove(dir); err != nil {
					t.Error(err)
				}
			})
			file, value, _ := strings.Cut(limit, "=")
			if err := os.WriteFile(filepath.Join(dir, file), []byte(value), 0); err != nil {
				t.Fatal(err)
			}
			made[controller] = true
		}
	}
	if len(made) < len(set) {
		t.Skip("needs the version 1 controllers cpu, memory and pids")
	}
	w := recording.NewWriter(time.Now())
	if err := p.Sample(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	r := recording.New(recording.Manifest{})
	if err := r.Commit(w); err != nil {
		t.Fatal(err)
	}
	for _, row := range recording.Rows[recording.CgroupSample](r) {
		if row.Path != "/"+name {
			continue
		}
		if row.Quota != 20*time.Millisecond || row.Period != 100*time.Millisecond || row.MemoryMax != 64<<20 ||
			row.PidsMax != 100 || row.OOMKills != 0 || row.Throttled != 0 || row.Version != 1 {
			t.Errorf("row %+v", row)
		}
		return
	}
	t.Errorf("no row for the group among %d", w.Rows())
}

func BenchmarkSample(b *testing.B) {
	p := New()
	if err := p.Start(); err != nil {
		b.Skip(err)
	}
	for _, full := range []bool{false, true} {
		b.Run(map[bool]string{false: "short", true: "full"}[full], func(b *testing.B) {
			start := time.Now()
			b.ReportAllocs()
			for b.Loop() {
				if full {
					p.Closing()
				}
				if err := p.Sample(b.Context(), recording.NewWriter(start)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestGroupComesAgain: of a group that was removed and made again under the same
// name, with another one beside it, nothing is read from the files of the old one.
func TestGroupComesAgain(t *testing.T) {
	p := New()
	defer p.Close()
	list, err := p.hierarchies()
	if err != nil {
		t.Skip(err)
	}
	dir := ""
	for _, h := range list {
		for _, c := range h.controllers {
			if c == "pids" && h.prefix == "" {
				dir = filepath.Join(h.dir, fmt.Sprintf("rtrail-again-%d", os.Getpid()))
			}
		}
	}
	if dir == "" {
		t.Skip("needs the version 1 controller pids")
	}
	second := dir + "-2"
	make := func(dir, limit string) {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Skip(err)
		}
		t.Cleanup(func() { os.Remove(dir) })
		if err := os.WriteFile(filepath.Join(dir, "pids.max"), []byte(limit), 0); err != nil {
			t.Fatal(err)
		}
	}
	make(dir, "17")
	at := time.Now()
	if row := rowsOf(t, p, at)["/"+filepath.Base(dir)]; row.PidsMax != 17 || row.Pids != 0 {
		t.Errorf("before: %+v", row)
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	make(second, "18")
	if row := rowsOf(t, p, at.Add(time.Second))["/"+filepath.Base(second)]; row.PidsMax != 18 {
		t.Errorf("a group in the place of another one: %+v", row)
	}
	make(dir, "19")
	p.Closing()
	if row := rowsOf(t, p, at.Add(2*time.Second))["/"+filepath.Base(dir)]; row.PidsMax != 19 || row.Pids != 0 {
		t.Errorf("again: %+v", row)
	}
}
