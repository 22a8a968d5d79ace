package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"rtrail/internal/crash"
	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/pcap"
)

// ahead is how many batches the fastest worker may be ahead of the slowest.
const ahead = 8

// shared is a batch on its way through the workers.
type shared struct {
	*pcap.Batch
	users atomic.Int32
	now   int64 // the latest packet up to here
	// own lists the packets of each worker; nil: all are the only worker's. Those
	// without a hash are in all lists.
	own [][]owned
}

// owned is a packet of a worker.
type owned struct {
	hash  uint64 // of its flow; 0: only decoding tells whose it is
	place uint32 // in the batch
}

func (s *shared) done() bool {
	last := s.users.Add(-1) == 0
	if last && s.Release != nil {
		s.Release()
	}
	return last
}

// feed gives every worker all batches. There is no goroutine that reads: the
// worker that has run out of batches reads the next one for all. So nothing
// waits for a reader to be scheduled, and workers with less to do read more.
type feed struct {
	ctx     context.Context
	src     pcap.Source
	workers int
	decoder *decode.Decoder // for hashes; by whoever reads

	mu      sync.Mutex
	change  sync.Cond
	ring    [ahead]*shared
	read    uint64   // batches read
	taken   []uint64 // by worker
	reading bool
	ended   bool
	failed  error
	spare   []*shared

	report Report // what reading tells
	parted int    // packets of the batch being parted
	gone   uint64 // packets that were gone when they were to be parted
}

func newFeed(ctx context.Context, src pcap.Source, workers int, d *decode.Decoder) *feed {
	f := &feed{ctx: ctx, src: src, workers: workers, decoder: d, taken: make([]uint64, workers)}
	f.change.L = &f.mu
	return f
}

// next gives a worker its next batch; nil: there are no more.
func (f *feed) next(worker int) *shared {
	f.mu.Lock()
	defer f.mu.Unlock()
	for {
		switch at := f.taken[worker]; {
		case at < f.read:
			f.taken[worker]++
			if f.room() {
				f.change.Broadcast()
			}
			return f.ring[at%ahead]
		case f.ended:
			return nil
		case !f.reading && f.room():
			f.fill()
		default:
			f.change.Wait()
		}
	}
}

// room says that every worker has taken what would be overwritten.
func (f *feed) room() bool {
	for _, n := range f.taken {
		if f.read-n >= ahead {
			return false
		}
	}
	return true
}

// fill reads a batch. It is called, and returns, with the lock held.
func (f *feed) fill() {
	f.reading = true
	var s *shared
	if n := len(f.spare); n > 0 {
		s, f.spare = f.spare[n-1], f.spare[:n-1]
	} else {
		s = &shared{}
	}
	f.mu.Unlock()
	b, err := next(f.ctx, f.src)
	if b != nil {
		s.Batch = b
		s.users.Store(int32(f.workers))
		f.part(s)
	}
	f.mu.Lock()
	f.reading = false
	if b != nil {
		f.ring[f.read%ahead] = s
		f.read++
	}
	if err != nil {
		f.ended = true
		if !errors.Is(err, io.EOF) && f.ctx.Err() == nil {
			f.failed = err
		}
	}
	f.change.Broadcast()
}

// next reads a batch; a panic of the reader ends the reading.
func next(ctx context.Context, src pcap.Source) (b *pcap.Batch, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = fmt.Errorf("reading packets %s", crash.Of(v))
		}
	}()
	return src.Next(ctx)
}

// part counts the packets of a batch and finds out whose they are, while they
// are at hand. Those that vanish under its hands belong to nobody.
func (f *feed) part(s *shared) {
	r := &f.report
	r.Packets += uint64(len(s.Packets))
	if f.workers > 1 && s.own == nil {
		s.own = make([][]owned, f.workers)
	}
	for w := range s.own {
		s.own[w] = s.own[w][:0]
	}
	f.parted = 0
	for !f.partRest(s) {
	}
	s.now = max(r.Last, s.Now)
}

// partRest goes on with a batch; false: it is to be called again, after a packet
// whose flow cannot be told. That is left to the workers.
func (f *feed) partRest(s *shared) (done bool) {
	defer func() {
		v := recover()
		switch {
		case v == nil:
		case faulted(v):
			f.gone += uint64(len(s.Packets) - f.parted)
			done = true
		default:
			f.unowned(s, f.parted)
			f.parted++
		}
	}()
	r := &f.report
	for ; f.parted < len(s.Packets); f.parted++ {
		p := &s.Packets[f.parted]
		r.Bytes += uint64(p.Wire)
		if r.First == 0 || p.Time < r.First {
			r.First = p.Time
		}
		r.Last = max(r.Last, p.Time)
		if s.own == nil {
			continue
		}
		if h := f.decoder.Hash(p); h != 0 {
			w := owner(h, f.workers)
			s.own[w] = append(s.own[w], owned{h, uint32(f.parted)})
			continue
		}
		f.unowned(s, f.parted)
	}
	return true
}

// unowned shows a packet whose flow is not known to all workers.
func (f *feed) unowned(s *shared, place int) {
	for w := range s.own {
		s.own[w] = append(s.own[w], owned{0, uint32(place)})
	}
}

// give takes a batch back that all workers are done with.
func (f *feed) give(s *shared) {
	if !s.done() {
		return
	}
	s.Batch = nil
	f.mu.Lock()
	f.spare = append(f.spare, s)
	f.mu.Unlock()
}

// owner is the worker of a flow: the upper half of the hash times the number of
// workers, which is cheaper than a remainder.
func owner(hash uint64, workers int) int { return int((hash >> 32) * uint64(workers) >> 32) }
