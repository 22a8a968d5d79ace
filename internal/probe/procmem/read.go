// Package procmem reads memory of other processes, as far as it is there.
//
// A process may map a file whose server never answers, and what touches a page of it that
// is not in memory waits for that server: no signal ends this. So only pages are read that
// the page tables of the process have, for which nobody is asked.
package procmem

import (
	"encoding/binary"
	"fmt"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Read copies from the memory of a process, up to the first page that is not in memory, and
// says how many bytes. Pages that were swapped out count as not there.
func Read(pid int32, at uint64, into []byte) int {
	into = into[:resident(pid, at, len(into))]
	if len(into) == 0 {
		return 0
	}
	local := []unix.Iovec{{Base: &into[0]}}
	local[0].SetLen(len(into))
	n, err := unix.ProcessVMReadv(int(pid), local, []unix.RemoteIovec{{Base: uintptr(at), Len: len(into)}}, 0)
	if err != nil {
		return 0
	}
	return n
}

// entrySize is that of an entry of /proc/PID/pagemap, and present its bit for a page in
// memory (Documentation/admin-guide/mm/pagemap.rst).
const (
	entrySize = 8
	present   = 1 << 63
)

// resident is how many of some bytes from an address on are in memory.
func resident(pid int32, at uint64, size int) int {
	page := uint64(os.Getpagesize())
	if size <= 0 || at > math.MaxInt64-uint64(size) { // the kernel's half of addresses
		return 0
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/pagemap", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer unix.Close(fd)
	first, last := at/page, (at+uint64(size)-1)/page
	entries := make([]byte, (last-first+1)*entrySize)
	n, err := unix.Pread(fd, entries, int64(first*entrySize))
	if err != nil {
		return 0
	}
	return inMemory(entries[:n], at%page, page, size)
}

// inMemory is how many bytes lie in the pages at the beginning of a list that are in memory,
// of so many from an offset in the first page on.
func inMemory(entries []byte, offset, page uint64, size int) int {
	pages := uint64(0)
	for ; len(entries) >= entrySize && binary.NativeEndian.Uint64(entries)&present != 0; entries = entries[entrySize:] {
		pages++
	}
	if pages == 0 {
		return 0
	}
	return int(min(pages*page-offset, uint64(size)))
}
