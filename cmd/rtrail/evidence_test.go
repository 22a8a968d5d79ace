package main

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What is asked before privileges are given up opens no evidence; evidenceIn does,
// after it.
func TestCheckOpensNothing(t *testing.T) {
	dir := t.TempDir()
	dump, recorded := filepath.Join(dir, "dump.txt"), filepath.Join(dir, "packed")
	if err := errors.Join(os.WriteFile(dump, []byte("Thread 1 (LWP 7):\n#0  0x01 in wait () from /lib/x\n#1  0x02 in main ()\n"), 0o600),
		os.WriteFile(recorded, []byte("PK\x03\x04"), 0o600)); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.InotifyInit1(unix.IN_NONBLOCK | unix.IN_CLOEXEC)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	if _, err := unix.InotifyAddWatch(fd, dir, unix.IN_OPEN); err != nil {
		t.Fatal(err)
	}
	opened := func() bool {
		n, err := unix.Read(fd, make([]byte, 4096))
		return err == nil && n > 0
	}
	for _, c := range []struct {
		files []string
		want  evidence
		fails bool
	}{
		{[]string{dump}, ofStacks, false}, {[]string{dump, dump}, ofStacks, false}, {[]string{recorded}, ofRecording, false},
		{[]string{dump, recorded}, ofRecording, true}, {[]string{dump, "-"}, ofCaptures, false},
	} {
		d := diagnosis{length: time.Second, captureFlags: captureFlags{as: decodeAs{1: ""}}}
		if err := d.check(newRootCommand(), c.files); err != nil {
			t.Errorf("%q: %v", c.files, err)
		}
		if opened() {
			t.Errorf("%q: opened before privileges are given up", c.files)
		}
		if kind, err := evidenceIn(c.files); kind != c.want || (err != nil) != c.fails {
			t.Errorf("%q: %d, %v", c.files, kind, err)
		}
		if !opened() {
			t.Errorf("%q: looked into, but not seen here", c.files)
		}
	}
}
