package pcap

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// disorder is how far packets of one capture may be out of order: each CPU and
// each interface has a queue of its own, which are emptied in turn. So the first
// packet of a rotated file may be older than the last one of the file before.
const disorder = int64(100 * time.Millisecond)

// lookahead bounds the batches that are read to see whether a file ends so soon:
// 100 ms of 160,000 packets a second.
const lookahead = 8

// merge reads files that overlap in time together. What comes next is the oldest
// of the packets that the files begin with; the order within a file stays.
type merge struct {
	s     *source
	lanes []*lane // those with packets, in the order in which the files began
	frame uint64  // the last number given
}

// lane is a file among others.
type lane struct {
	number int
	r      *reader // nil: it was read to its end
	queue  []*part // what was read of it and not given out
	pos    int     // of the next packet in the first of them
}

// part is a batch of one file that goes out in pieces.
type part struct {
	*batch
	users atomic.Int32 // the lane, and the batches with pieces of it
	in    *pieces      // the last batch that got some
}

func newPart(b *batch) *part {
	p := &part{batch: b}
	p.users.Store(1)
	return p
}

func (p *part) drop() {
	if p.users.Add(-1) == 0 {
		p.Release()
	}
}

// pieces holds what the packets of a merged batch point into.
type pieces struct{ parts []*part }

func (h *pieces) release() {
	for _, p := range h.parts {
		p.drop()
	}
}

func (h *pieces) add(p *part) {
	if p.in != h {
		p.in = h
		p.users.Add(1)
		h.parts = append(h.parts, p)
	}
}

// overlaps begins to merge, unless no more of the file whose batch is at hand reaches
// into the next file than what is out of order in any capture. before is the number
// of the packet before the batch.
func (s *source) overlaps(ctx context.Context, r *reader, b *batch, before uint64, ended bool) bool {
	next := s.files[0]
	l := &lane{number: s.lane(r.name), r: r, queue: []*part{newPart(b)}}
	if ended {
		l.r = nil
	}
	rotated := next.at-r.first > disorder
	for rotated && l.r != nil && l.last()-next.at <= disorder && len(l.queue) < lookahead {
		if s.extend(ctx, l) != nil {
			break // the error of a context comes again
		}
	}
	if rotated && l.r == nil && l.last()-next.at <= disorder {
		s.cur = nil
		for _, p := range l.queue[1:] {
			s.ahead = append(s.ahead, p.batch)
		}
		return false
	}
	if !s.merged {
		s.merged = true
		s.note(next.path, -1, fmt.Sprintf("begins before %s ends: the packets of files that overlap are put in order of time", r.name))
	}
	s.cur, s.merge = nil, &merge{s: s, lanes: []*lane{l}, frame: before}
	return true
}

// extend reads more of a lane, which has no reader any more when its file ends. An
// error says that nothing was read.
func (s *source) extend(ctx context.Context, l *lane) error {
	b, ended, err := s.fill(ctx, l.r)
	if ended {
		l.r = nil
	}
	if b == nil {
		return err
	}
	l.queue = append(l.queue, newPart(b))
	return nil
}

func (s *source) lane(file string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lanes[file]
}

// next gives the next packets; nil: there is nothing left to be merged.
func (m *merge) next(ctx context.Context) (*Batch, error) {
	out, held := m.s.pool.get(), &pieces{}
	out.held = held
	var err error
	for len(out.Packets) < cap(out.Packets) && !m.single() {
		var l *lane
		var until int64
		if l, until, err = m.oldest(ctx); err != nil || l == nil {
			break
		}
		m.take(l, until, out, held)
	}
	if len(out.Packets) > 0 {
		return &out.Batch, nil // an error of a context comes again
	}
	out.Release()
	return nil, err
}

// single says that one file is left, of which nothing more was read.
func (m *merge) single() bool {
	return len(m.lanes) == 1 && len(m.lanes[0].queue) == 0
}

// left is the file that is left, if one is.
func (m *merge) left() *reader {
	if len(m.lanes) == 0 {
		return nil
	}
	return m.lanes[0].r
}

// oldest finds the lane with the oldest packet, and from when on the others have
// one; nil: there are none. Files that have begun by then join.
func (m *merge) oldest(ctx context.Context) (l *lane, until int64, err error) {
	for {
		if err := m.refill(ctx); err != nil {
			return nil, 0, err
		}
		l, until = nil, never
		for _, other := range m.lanes {
			switch at := other.head().Time; {
			case l == nil:
				l = other
			case at < l.head().Time:
				l, until = other, l.head().Time
			default:
				until = min(until, at)
			}
		}
		if l == nil || len(m.s.files) == 0 || m.s.files[0].at > l.head().Time {
			break
		}
		m.join()
	}
	if len(m.s.files) > 0 {
		until = min(until, m.s.files[0].at)
	}
	return l, until, nil
}

// refill reads on where all that was read of a file was given out, and forgets
// files that ended.
func (m *merge) refill(ctx context.Context) error {
	var err error
	for _, l := range m.lanes {
		for len(l.queue) == 0 && l.r != nil && err == nil {
			err = m.s.extend(ctx, l)
		}
	}
	m.lanes = slices.DeleteFunc(m.lanes, func(l *lane) bool { return len(l.queue) == 0 && l.r == nil })
	return err
}

// join opens the next file.
func (m *merge) join() {
	number := 0
	for slices.ContainsFunc(m.lanes, func(l *lane) bool { return l.number == number }) {
		number++
	}
	m.s.mu.Lock()
	if m.s.lanes == nil {
		m.s.lanes = map[string]int{}
	}
	m.s.lanes[m.s.files[0].path] = number
	m.s.mu.Unlock()
	if r := m.s.openNext(); r != nil {
		m.lanes = append(m.lanes, &lane{number: number, r: r})
	}
}

// last is the time of the last packet that was read.
func (l *lane) last() int64 {
	b := l.queue[len(l.queue)-1]
	return b.Packets[len(b.Packets)-1].Time
}

func (l *lane) head() *Packet { return &l.queue[0].Packets[l.pos] }

// take moves packets of a lane, the first one and those before a moment, as long as
// the batch has room.
func (m *merge) take(l *lane, until int64, out *batch, held *pieces) {
	p := l.queue[0]
	held.add(p)
	for n := 0; l.pos < len(p.Packets) && len(out.Packets) < cap(out.Packets); n++ {
		if n > 0 && l.head().Time >= until {
			return
		}
		m.frame++
		out.Packets = append(out.Packets, *l.head())
		out.Packets[len(out.Packets)-1].Frame = m.frame
		l.pos++
	}
	if l.pos == len(p.Packets) {
		l.queue, l.pos = l.queue[1:], 0
		p.drop()
	}
}

// close closes the files. Batches that were given out stay valid.
func (m *merge) close() error {
	var errs []error
	for _, l := range m.lanes {
		for _, p := range l.queue {
			p.drop()
		}
		if l.r != nil {
			errs = append(errs, l.r.in.close())
		}
	}
	return errors.Join(errs...)
}
