package pcap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"

	"rtrail/internal/crash"
)

const (
	// blockSize is how much of a stream is read into one block, and headroom what
	// is kept free before it for the beginning of a packet that the block before
	// ended in.
	blockSize = 1 << 20
	headroom  = 64 << 10
	// skipped blocks of unknown type may be long, but not endless
	maxSkip = 1 << 30
)

// block is a piece of a stream that packets point into.
type block struct {
	buf  []byte
	from int // of the first byte that was read, or that was put before it
	to   int
	err  error // why the stream ended after this block
	refs atomic.Int64
	home *blocks
}

func (b *block) release() {
	if b.refs.Add(-1) == 0 {
		b.home.put(b)
	}
}

// blocks recycles blocks.
type blocks struct {
	mu   sync.Mutex
	free []*block
}

func (p *blocks) get() *block {
	p.mu.Lock()
	defer p.mu.Unlock()
	var b *block
	if n := len(p.free); n > 0 {
		b, p.free = p.free[n-1], p.free[:n-1]
	} else {
		b = &block{buf: make([]byte, headroom+blockSize), home: p}
	}
	b.from, b.to, b.err = headroom, headroom, nil
	b.refs.Store(1)
	return b
}

func (p *blocks) put(b *block) {
	if len(b.buf) > headroom+blockSize {
		return // was made for one long packet
	}
	p.mu.Lock()
	p.free = append(p.free, b)
	p.mu.Unlock()
}

// stream reads what cannot be mapped. A goroutine reads ahead, so that
// decompression runs beside the rest and a caller can give up waiting.
type stream struct {
	s      *source
	name   string
	parse  parser
	blocks blocks
	ready  chan *block
	stop   chan struct{}
	closer func() error

	cur  *block
	pos  int   // of the next record in cur
	off  int64 // the same in the stream
	skip int   // bytes still to be left out
	last error // of the block before; set: nothing follows
}

// plain is an unpacked stream.
type plain struct {
	io.Reader
	eager  bool         // somebody waits for what little there is
	unpack func()       // ends the unpacking; called when nobody reads any more
	close  func() error // closes the file; called while somebody may still read
}

// newStream reads r on; head are the bytes already taken from it.
func newStream(s *source, name string, head []byte, r plain, p parser) *stream {
	st := &stream{s: s, name: name, parse: p, ready: make(chan *block), stop: make(chan struct{}), closer: r.close}
	first := st.blocks.get()
	first.to += copy(first.buf[headroom:], head)
	go st.pump(r, first)
	return st
}

// read is r.Read, in which what unpacks a stranger's file may panic.
func read(r io.Reader, into []byte) (n int, err error) {
	if crashed := crash.Guard(func() error {
		n, err = r.Read(into)
		return nil
	}); crashed != nil {
		return 0, crashed
	}
	return n, err
}

// pump reads blocks until the stream ends or nobody wants them.
func (st *stream) pump(r plain, b *block) {
	if r.unpack != nil {
		defer r.unpack()
	}
	defer close(st.ready)
	idle := 0
	for {
		n, err := read(r, b.buf[b.to:])
		b.to += n
		if idle++; n > 0 {
			idle = 0
		}
		if idle > 100 {
			err = io.ErrNoProgress
		}
		b.err = err
		if err == nil && b.to < len(b.buf) && !(r.eager && n > 0) {
			continue
		}
		// Somebody who is eager must not find the next read waiting with what is
		// here already: a pipe fills on while its reader waits for them.
		select {
		case st.ready <- b:
		case <-st.stop:
			return
		}
		if err != nil {
			return
		}
		b = st.blocks.get()
	}
}

// fill implements input.
func (st *stream) fill(ctx context.Context, b *batch) (done bool, err error) {
	for {
		if st.cur != nil && st.pos < st.cur.to {
			var used int
			b.Packets, used, err = st.parse.parse(st.cur.buf[st.pos:st.cur.to], b.Packets, batchBytes)
			st.advance(used)
			if err != nil && err != errShort {
				st.s.note(st.name, st.off, fmt.Sprintf("%v; what follows is left out", err))
				st.parse.summary()
				done = true
			}
			if len(b.Packets) > 0 {
				st.cur.refs.Add(1)
				b.held = st.cur
				return done, nil
			}
			if done {
				return true, nil
			}
			if err == nil {
				continue
			}
		}
		if st.last != nil {
			st.tail()
			st.parse.summary()
			return true, nil
		}
		if err := st.next(ctx); err != nil {
			return false, err
		}
	}
}

// advance takes used bytes off the current block, and what is more off the
// next ones.
func (st *stream) advance(used int) {
	here := min(used, st.cur.to-st.pos)
	st.pos += here
	st.off += int64(used)
	st.skip = used - here
}

// next joins what is left of the current block with the one that follows.
func (st *stream) next(ctx context.Context) error {
	var b *block
	select {
	case b = <-st.ready:
	case <-ctx.Done():
		return ctx.Err()
	}
	if st.last = b.err; st.last != nil && ctx.Err() != nil {
		return ctx.Err() // the read was given up
	}
	if st.skip > 0 {
		n := min(st.skip, b.to-b.from)
		b.from += n
		st.skip -= n
	}
	if st.cur != nil {
		if rest := st.cur.buf[st.pos:st.cur.to]; len(rest) > 0 {
			if len(rest) > b.from {
				long := &block{buf: make([]byte, len(rest)+b.to-b.from), from: len(rest), home: b.home}
				long.to = len(rest) + copy(long.buf[len(rest):], b.buf[b.from:b.to])
				long.refs.Store(1)
				b.release()
				b = long
			}
			b.from -= len(rest)
			copy(b.buf[b.from:], rest)
		}
		st.cur.release()
	}
	st.cur, st.pos = b, b.from
	return nil
}

// tail notes how the stream ended, if it did not end as it should.
func (st *stream) tail() {
	why := ""
	if !errors.Is(st.last, io.EOF) {
		why = fmt.Sprintf("cannot be read on: %v", st.last)
	}
	rest := int64(st.cur.to - st.pos)
	if rest == 0 && st.skip == 0 {
		if why != "" {
			st.s.note(st.name, st.off, why)
		}
		return
	}
	if why == "" {
		why = "the capture breaks off"
	}
	st.s.note(st.name, st.off, why+brokenTail(rest))
}

func (st *stream) close() error {
	close(st.stop)
	if st.cur != nil {
		st.cur.release()
		st.cur = nil
	}
	if st.closer == nil {
		return nil
	}
	return st.closer()
}
