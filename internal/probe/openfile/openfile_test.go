package openfile

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

func TestParseInfo(t *testing.T) {
	for in, want := range map[string]struct {
		position int64
		flags    uint32
		ok       bool
	}{
		"pos:\t4096\nflags:\t0102001\nmnt_id:\t29\n": {4096, 0o102001, true},
		"pos:\t-1\nflags:\t02\n":                     {-1, 2, true},
		"pos:\t1\n":                                  {1, 0, false},
		"pos:\tx\nflags:\t02\n":                      {},
		"pos:\t1\nflags:\t9\n":                       {},
		"":                                           {},
	} {
		position, flags, ok := parseInfo([]byte(in))
		if ok != want.ok || ok && (position != want.position || flags != want.flags) {
			t.Errorf("%q: %d %#o %v", in, position, flags, ok)
		}
	}
}

// A file has a row when it is seen, at the next look, and when it has grown or its position moved.
func TestFiles(t *testing.T) {
	dir := t.TempDir()
	log, err := os.OpenFile(filepath.Join(dir, "app.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer log.Close()
	if _, err := log.WriteString("begun\n"); err != nil {
		t.Fatal(err)
	}
	read, err := os.Open(log.Name())
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	c := census.New("")
	defer c.Close()
	if err := c.Take(true); err != nil {
		t.Fatal(err)
	}
	p := New(c)
	p.all = c.List(nil)
	rows := func() (list []recording.OpenFile) {
		t.Helper()
		w := recording.NewWriter(time.Now())
		for i := range p.all {
			if p.all[i].PID == int32(os.Getpid()) {
				p.files(&p.all[i], w)
			}
		}
		rec := recording.New(recording.Manifest{})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		for _, r := range recording.Rows[recording.OpenFile](rec) {
			if r.Path == log.Name() {
				list = append(list, r)
			}
		}
		return list
	}
	first := rows()
	if len(first) != 2 || first[1].FD != int32(read.Fd()) || first[1].Position != 0 || first[0].Position != 6 || first[0].Size != 6 || first[0].Flags&unix.O_APPEND == 0 || first[0].FD != int32(log.Fd()) || first[0].Device == "" || !first[0].Whole || first[0].Started.IsZero() {
		t.Fatalf("first: %+v", first)
	}
	if again := rows(); len(again) != 2 || again[0].Position+again[1].Position != 6 {
		t.Errorf("at the second look: %+v", again)
	}
	if again := rows(); len(again) != 0 {
		t.Errorf("nothing changed: %+v", again)
	}
	for key := range p.listed { // some seconds ago
		p.listed[key] = p.listed[key].Add(-listEvery)
	}
	if again := rows(); len(again) != 2 || !again[0].Whole || !again[1].Whole {
		t.Errorf("all of them again: %+v", again)
	}
	_, _ = log.WriteString("more\n")
	_, _ = read.Read(make([]byte, 3))
	if grown := rows(); len(grown) != 2 || grown[0].Position+grown[1].Position != 11+3 {
		t.Errorf("grown: %+v", grown)
	}
}

// Programs that write are noticed while no disk is busy.
func TestWrites(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	dirtied := func(pages int) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "proc", "vmstat"), fmt.Appendf(nil, "nr_dirty 7\nnr_dirtied %d\n", pages), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c := census.New(root)
	defer c.Close()
	p := New(c)
	defer p.Close()
	at, some := time.Now(), minRate/os.Getpagesize()
	for i, want := range []bool{false, true, false, false, true} {
		dirtied([]int{1000, 1000 + 3*some, 1000 + 6*some - 1, 3, 3 + 3*some}[i])
		if got := p.writes(at.Add(time.Duration(i) * 3 * time.Second)); got != want {
			t.Errorf("look %d: %v", i, got)
		}
	}
}

// The process that writes to a busy disk is found, and nobody looks at an idle one.
func TestBusiest(t *testing.T) {
	root := t.TempDir()
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	disks := func(busy string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(root, "proc", "diskstats"), []byte(" 8 0 sda 1 2 3 4 5 6 7 8 9 "+busy+" 11\n 8 1 sdb 1 2 3 4 5 6 7 8 9 77 11\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	disks("1000")
	c := census.New(root)
	defer c.Close()
	p := New(c)
	defer p.Close()
	at := time.Now()
	if share, err := p.busiest(at); share != 0 || err != nil {
		t.Errorf("the first look says %v, %v", share, err)
	}
	p.last = at
	disks("1750")
	if share, err := p.busiest(at.Add(time.Second)); share != 0.75 || err != nil {
		t.Errorf("busy for 750 ms of a second: %v, %v", share, err)
	}
	p.last = at.Add(time.Second)
	disks("20") // it started again
	if share, err := p.busiest(at.Add(2 * time.Second)); share != 0 || err != nil {
		t.Errorf("counters that fell: %v, %v", share, err)
	}
}

// What a process moved is as it was counted, at the time of the count; else its file tells.
func TestMovedBy(t *testing.T) {
	root := t.TempDir()
	if err := os.MkdirAll(root+"/proc/7", 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(root+"/proc/7/io", []byte("rchar: 1\nread_bytes: 4096\nwrite_bytes: 8192\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := New(census.New(root))
	counted, now := time.Unix(100, 0), time.Unix(101, 0)
	e := census.Entry{PID: 7, At: counted, Counted: true}
	e.Total.IO.ReadBytes, e.Total.IO.WriteBytes = 1<<20, 2<<20
	if m, ok := p.movedBy(&e, now); !ok || m != (moved{3 << 20, counted}) {
		t.Errorf("counted: %+v, %v", m, ok)
	}
	e.Counted = false
	if m, ok := p.movedBy(&e, now); !ok || m != (moved{12288, now}) {
		t.Errorf("by its file: %+v, %v", m, ok)
	}
	e.PID = 8
	if m, ok := p.movedBy(&e, now); ok {
		t.Errorf("of none: %+v", m)
	}
}
