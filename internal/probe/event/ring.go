package event

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/cilium/ebpf/ringbuf"
	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// Ring reads the ring buffer of an object that includes bpf/ring.h, from when it is
// half full, or when somebody asks.
type Ring struct {
	set  *Set
	fd   *os.File // of the map, which the runtime waits for without a thread of its own
	gone chan struct{}

	mu     sync.Mutex
	reader records
	record ringbuf.Record
	take   func([]byte)
	failed error  // of reading, once it has ended
	told   uint64 // lost events that were told
}

// records are those of a *ringbuf.Reader that never waits.
type records interface {
	ReadInto(*ringbuf.Record) error
	BufferSize() int
	Close() error
}

// OpenRing reads the events of a set. take gets them one after the other; the bytes are
// valid during the call.
func OpenRing(s *Set, take func([]byte)) (*Ring, error) {
	m := s.Map("events")
	if m == nil {
		return nil, errors.New("open the ring buffer of a BPF object: it has none")
	}
	reader, err := ringbuf.NewReader(m)
	if err != nil {
		return nil, fmt.Errorf("open the ring buffer of a BPF object: %w", err)
	}
	reader.SetDeadline(time.Unix(1, 0)) // long over: reading never waits
	fd, conn, err := pollable(m.FD())
	if err != nil {
		return nil, errors.Join(fmt.Errorf("wait for the ring buffer of a BPF object: %w", err), reader.Close())
	}
	r := &Ring{set: s, fd: fd, gone: make(chan struct{}), reader: reader, take: take}
	go func() {
		defer close(r.gone)
		_ = crash.Guard(func() error { // ends with Close
			return conn.Read(func(uintptr) bool { return r.empty() != nil })
		})
	}()
	return r, nil
}

// pollable is a copy of a descriptor that the runtime waits for.
func pollable(fd int) (*os.File, syscall.RawConn, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 0)
	if err != nil {
		return nil, nil, err
	}
	if err := unix.SetNonblock(own, true); err != nil {
		return nil, nil, errors.Join(err, unix.Close(own))
	}
	f := os.NewFile(uintptr(own), "ring buffer")
	conn, err := f.SyscallConn()
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	return f, conn, nil
}

// empty takes all events that are there.
func (r *Ring) empty() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.failed == nil {
		r.failed = crash.Guard(r.pull)
	}
	return r.failed
}

// pull takes no more than the buffer has room for: programs may write faster than this reads.
func (r *Ring) pull() error {
	for left := r.reader.BufferSize(); left > 0; left -= ringHeader + len(r.record.RawSample) {
		switch err := r.reader.ReadInto(&r.record); {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return fmt.Errorf("read the ring buffer of a BPF object: %w", err)
		}
		r.take(r.record.RawSample)
	}
	return nil
}

// ringHeader is what each event in a ring buffer begins with, in bytes (BPF_RINGBUF_HDR_SZ).
const ringHeader = 8

// Drain takes all events that are there, and says how many more there was no room for
// since the last time.
func (r *Ring) Drain() (lost int, err error) {
	err = r.empty()
	var all uint64
	err = errors.Join(err, r.set.Get("lost", &all))
	r.mu.Lock()
	defer r.mu.Unlock()
	lost = int(all - r.told)
	r.told = max(r.told, all)
	return max(lost, 0), err
}

// Close ends reading.
func (r *Ring) Close() error {
	err := r.fd.Close()
	<-r.gone
	return errors.Join(err, r.reader.Close())
}

// Bounded keeps values that come between two samples, up to a number, and counts
// the rest. It is for concurrent use.
type Bounded[T any] struct {
	Max int

	mu   sync.Mutex
	list []T
	more int
}

// Add keeps a value if there is room.
func (b *Bounded[T]) Add(v T) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.list) >= b.Max {
		b.more++
		return
	}
	b.list = append(b.list, v)
}

// Take gives the values away, and says how many more there were.
func (b *Bounded[T]) Take() (list []T, more int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	list, more = b.list, b.more
	b.list, b.more = nil, 0
	return list, more
}
