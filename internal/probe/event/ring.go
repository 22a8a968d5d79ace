package event

import (
	"errors"
	"fmt"
	"sync"

	"github.com/cilium/ebpf/ringbuf"

	"rtrail/internal/crash"
)

// Ring reads the ring buffer of an object that includes bpf/ring.h, from when it is
// half full, or when somebody asks.
type Ring struct {
	set    *Set
	reader *ringbuf.Reader
	asked  chan chan error
	gone   chan struct{}
	failed error  // of the reader, once it is gone
	told   uint64 // lost events that were told
	take   func([]byte)
}

// OpenRing reads the events of a set. take gets each of them, from one goroutine;
// the bytes are valid during the call.
func OpenRing(s *Set, take func([]byte)) (*Ring, error) {
	m := s.Map("events")
	if m == nil {
		return nil, errors.New("open the ring buffer of a BPF object: it has none")
	}
	reader, err := ringbuf.NewReader(m)
	if err != nil {
		return nil, fmt.Errorf("open the ring buffer of a BPF object: %w", err)
	}
	r := &Ring{set: s, reader: reader, asked: make(chan chan error, 1), gone: make(chan struct{}), take: take}
	go func() {
		defer close(r.gone)
		r.failed = crash.Guard(r.read)
	}()
	return r, nil
}

func (r *Ring) read() error {
	var record ringbuf.Record
	for {
		err := r.reader.ReadInto(&record)
		switch {
		case err == nil:
			r.take(record.RawSample)
		case errors.Is(err, ringbuf.ErrFlushed):
			(<-r.asked) <- nil
		case errors.Is(err, ringbuf.ErrClosed):
			return nil
		default:
			return fmt.Errorf("read the ring buffer of a BPF object: %w", err)
		}
	}
}

// Drain returns once all events were taken that are there, and says how many more
// there was no room for since the last time.
func (r *Ring) Drain() (lost int, err error) {
	done := make(chan error, 1)
	select {
	case r.asked <- done:
	case <-r.gone:
		return 0, r.failed
	}
	if err := r.reader.Flush(); err != nil {
		return 0, fmt.Errorf("read the ring buffer of a BPF object: %w", err)
	}
	select {
	case err = <-done:
	case <-r.gone:
		err = r.failed
	}
	var all uint64
	err = errors.Join(err, r.set.Get("lost", &all))
	lost = int(all - r.told)
	r.told = max(r.told, all)
	return max(lost, 0), err
}

// Close ends reading.
func (r *Ring) Close() error {
	err := r.reader.Close()
	<-r.gone
	return err
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
