package pcap

import (
	"context"
	"fmt"
	"os"
	"runtime/debug"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	// window is how much of a mapped file is brought in and given back at once.
	window = 4 << 20
	// behind is how far behind the reader pages stay mapped. Packets that are
	// older stay valid: touching them brings the page back.
	behind = 16 << 20
)

// mapping is a file in memory. It stays until nobody points into it.
type mapping struct {
	file *os.File
	data []byte
	refs atomic.Int64
}

func (m *mapping) release() {
	if m.refs.Add(-1) == 0 {
		_ = unix.Munmap(m.data)
		_ = m.file.Close()
	}
}

// mapped reads a regular file through a mapping.
type mapped struct {
	m     *mapping
	s     *source
	name  string
	parse parser
	off   int // of the next record
	ready int // up to here pages were brought in
	gone  int // up to here pages were given back
}

// mapFile maps an open regular file of that size, which is not 0. The mapping
// owns the file from then on.
func mapFile(f *os.File, size int64) (*mapping, error) {
	data, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map %s into memory: %w", f.Name(), err)
	}
	_ = unix.Madvise(data, unix.MADV_SEQUENTIAL)
	m := &mapping{file: f, data: data}
	m.refs.Store(1)
	return m, nil
}

// fill implements input. A file that another process truncates while it is
// read has pages that kill who touches them; so its size is asked for before
// each batch, and a fault in spite of that ends the file with a note.
func (r *mapped) fill(_ context.Context, b *batch) (done bool, err error) {
	end := len(r.m.data)
	truncated := false
	var st unix.Stat_t
	if unix.Fstat(int(r.m.file.Fd()), &st) == nil && st.Size < int64(end) {
		end, truncated = int(st.Size), true
	}
	if r.off >= end {
		if truncated || r.off > end {
			r.tail(end, truncated)
		}
		r.parse.summary()
		return true, nil
	}
	r.advise()
	used, err := r.guarded(end, b)
	if len(b.Packets) > 0 {
		r.m.refs.Add(1)
		b.held = r.m
	}
	r.off += used
	switch {
	case err == nil:
		return false, nil
	case err == errShort:
		r.tail(end, truncated)
	default:
		r.s.note(r.name, int64(r.off), fmt.Sprintf("%v; the %d bytes that follow are left out", err, end-r.off))
	}
	r.parse.summary()
	return true, nil
}

// guarded parses with faults turned into an error.
func (r *mapped) guarded(end int, b *batch) (used int, err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if v := recover(); v != nil {
			if _, fault := v.(interface{ Addr() uintptr }); !fault {
				panic(v)
			}
			b.Packets, used = b.Packets[:0], 0
			err = corruption("the file was truncated while it was read")
		}
	}()
	b.Packets, used, err = r.parse.parse(r.m.data[r.off:end], b.Packets, batchBytes)
	return used, err
}

// tail notes a file that breaks off.
func (r *mapped) tail(end int, truncated bool) {
	why := "the capture breaks off"
	if truncated {
		why = "the file was truncated while it was read"
	}
	r.s.note(r.name, int64(r.off), why+brokenTail(int64(end-r.off)))
}

func brokenTail(n int64) string {
	if n > 0 {
		return fmt.Sprintf(" within a packet: its last %d bytes are left out", n)
	}
	return ""
}

// advise brings the next pages in and gives those behind the reader back.
func (r *mapped) advise() {
	if r.off+batchBytes > r.ready && r.ready < len(r.m.data) {
		from := max(r.ready, r.off&^(window-1))
		to := min(from+window, len(r.m.data))
		_ = unix.Madvise(r.m.data[from:to], unix.MADV_POPULATE_READ)
		r.ready = to
	}
	if old := (r.off - behind) &^ (window - 1); old > r.gone {
		_ = unix.Madvise(r.m.data[r.gone:old], unix.MADV_DONTNEED)
		r.gone = old
	}
}

func (r *mapped) close() error {
	r.m.release()
	return nil
}
