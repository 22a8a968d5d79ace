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
// address space these are. A mapping that holds pages of its own stays: a linker wrote addresses
// there before it was protected, or a debugger a breakpoint, and the file does not have these.
func dropOwnPages() (bytes int) {
	smaps, err := os.ReadFile("/proc/self/smaps")
	own, err2 := os.Readlink("/proc/self/exe")
	if err != nil || err2 != nil {
		return 0
	}
	for _, m := range cleanOf(smaps, own) {
		if _, _, no := unix.Syscall(unix.SYS_MADVISE, m.from, m.to-m.from, unix.MADV_DONTNEED); no == 0 {
			bytes += int(m.to - m.from)
		}
	}
	return bytes
}

// mapped is a part of the address space.
type mapped struct{ from, to uintptr }

// cleanOf lists where smaps say that a file is mapped which cannot be written there, and all of
// whose pages there are those of the file.
func cleanOf(smaps []byte, file string) (list []mapped) {
	var now mapped
	of := false // now is such a mapping
	for line := range procfile.Lines(smaps) {
		if m, ok := mappedAt(line); ok {
			now, of = m, readOnlyOf(line, file)
			continue
		}
		f := bytes.Fields(line)
		if of && len(f) == 3 && string(f[0]) == "Anonymous:" && string(f[1]) == "0" {
			list = append(list, now)
		}
	}
	return list
}

// mappedAt reads the first line of a mapping.
func mappedAt(line []byte) (m mapped, ok bool) {
	where, _, _ := bytes.Cut(line, []byte(" "))
	first, last, ok := bytes.Cut(where, []byte("-"))
	from, ok1 := procfile.Hex(first)
	to, ok2 := procfile.Hex(last)
	return mapped{uintptr(from), uintptr(to)}, ok && ok1 && ok2 && from < to
}

// readOnlyOf says whether the first line of a mapping is of a file that cannot be written there.
func readOnlyOf(line []byte, file string) bool {
	f := bytes.Fields(line)
	return len(f) >= 6 && len(f[1]) == 4 && f[1][1] == '-' && bytes.HasSuffix(line, []byte(" "+file))
}
