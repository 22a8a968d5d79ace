package main

import (
	"bytes"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/procfile"
)

// startTakes is longer than all probes take to start and to see everything for the first time.
const startTakes = 5 * time.Second

// giveStartBack takes pages of the program's own file out of its memory after the start,
// which needs most of them once: half of what a recorder would otherwise keep for days.
// What is needed again comes back from the page cache.
func giveStartBack() { time.AfterFunc(startTakes, func() { dropOwnPages() }) }

// dropOwnPages takes out all that cannot be written, and says how many bytes of
// address space these are.
func dropOwnPages() (bytes int) {
	maps, err := os.ReadFile("/proc/self/maps")
	own, err2 := os.Readlink("/proc/self/exe")
	if err != nil || err2 != nil {
		return 0
	}
	for line := range procfile.Lines(maps) {
		from, to, ok := readOnlyOf(line, own)
		if !ok {
			continue
		}
		if _, _, no := unix.Syscall(unix.SYS_MADVISE, from, to-from, unix.MADV_DONTNEED); no == 0 {
			bytes += int(to - from)
		}
	}
	return bytes
}

// readOnlyOf is where a line of maps says that a file is mapped which cannot be written there.
func readOnlyOf(line []byte, file string) (from, to uintptr, ok bool) {
	f := bytes.Fields(line)
	if len(f) < 6 || len(f[1]) != 4 || f[1][1] != '-' || !bytes.HasSuffix(line, []byte(" "+file)) {
		return 0, 0, false
	}
	first, last, ok := bytes.Cut(f[0], []byte("-"))
	a, ok1 := procfile.Hex(first)
	b, ok2 := procfile.Hex(last)
	return uintptr(a), uintptr(b), ok && ok1 && ok2 && a < b
}
