// Package engine runs the packet engine over a source: it spreads connections
// over the cores, takes packets apart, follows the connections and gives out
// transactions.
//
// One goroutine reads batches of packets. Every worker gets every batch, takes
// each packet apart as far as its flow, and goes on with those flows that are
// its own. That costs some nanoseconds per packet and worker, but needs no
// queue of packets, no copy and no lock, and all packets of a connection meet
// in one place in the order of capture.
package engine

import (
	"context"
	"errors"
	"fmt"
	"io"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// Collector takes what one worker finds. All of it is valid during the call
// only; every worker has its own collector, so none needs a lock.
type Collector interface {
	rt.Sink
	// Connection is called once for each connection, when it has ended or the
	// capture has.
	Connection(*tcp.Conn)
	// Progress says that all packets up to a moment have been seen, by packet
	// time. It is called after each batch.
	Progress(at int64)
}

// FrameCollector is a Collector that also wants every packet of the worker's
// flows.
type FrameCollector interface {
	Collector
	Frame(p *pcap.Packet, f *decode.Frame)
}

// Options is how the engine works. The zero value is usable but for Collector.
type Options struct {
	Workers   int // 0: one per CPU
	Collector func(worker int) Collector
	Protocols []proto.Protocol // nil: all
	// IsServer knows more ports that servers listen on.
	IsServer func(port uint16) bool
	Idle     time.Duration // as in tcp.Options
}

// Report is what was read.
type Report struct {
	Packets     uint64
	Bytes       uint64 // on the wire
	First, Last int64  // the earliest and the latest packet, nanoseconds since 1970; 0: none
	Results     decode.Results
	Duplicates  uint64 // packets that were captured twice and counted once
	Connections uint64
	Loss        pcap.Loss
	Notes       []pcap.Note
	Interfaces  []pcap.Interface
}

// Span is from the first to the last packet.
func (r *Report) Span() time.Duration { return time.Duration(r.Last - r.First) }

// Unreadable counts packets that should have been TCP or UDP but were cut or
// broken before their transport header ended.
func (r *Report) Unreadable() int64 {
	return int64(r.Results[decode.Short] + r.Results[decode.Broken] + r.Results[decode.Foreign])
}

// ahead is how many batches the reader may be ahead of the slowest worker.
const ahead = 4

// shared is a batch on its way through the workers.
type shared struct {
	*pcap.Batch
	users atomic.Int32
}

func (s *shared) done() {
	if s.users.Add(-1) == 0 && s.Release != nil {
		s.Release()
	}
}

// Run reads the source to its end, or until the context is done, which is no
// error: the report tells what was seen. The source is not closed.
func Run(ctx context.Context, src pcap.Source, o Options) (Report, error) {
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	workers := make([]*worker, n)
	feeds := make([]chan *shared, n)
	spaces := decode.NewSpaces()
	var wg sync.WaitGroup
	for i := range workers {
		workers[i] = newWorker(i, n, spaces, o)
		feeds[i] = make(chan *shared, ahead)
		wg.Go(func() { workers[i].run(feeds[i]) })
	}
	var report Report
	var failed error
	for {
		b, err := src.Next(ctx)
		if b != nil && (len(b.Packets) > 0 || b.Now > 0) {
			report.count(b)
			s := &shared{Batch: b}
			s.users.Store(int32(n))
			for _, feed := range feeds {
				feed <- s
			}
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && ctx.Err() == nil {
				failed = err
			}
			break
		}
	}
	for _, feed := range feeds {
		close(feed)
	}
	wg.Wait()
	for _, w := range workers {
		for i, c := range w.results {
			report.Results[i] += c
		}
		report.Connections += w.connections
		report.Duplicates += w.duplicates()
	}
	report.Loss, report.Notes, report.Interfaces = src.Loss(), src.Notes(), src.Interfaces()
	var gone, crowded uint64
	for _, w := range workers {
		gone = max(gone, w.unreadable)
		crowded += w.table.PushedOut()
	}
	if gone > 0 {
		report.note("the file was truncated while it was read: up to %d packets could not be looked at", gone)
	}
	if crowded > 0 {
		report.note("%d connections that never carried data were given up early: there were too many at once, as in a flood of SYNs", crowded)
	}
	return report, failed
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, pcap.Note{Offset: -1, Text: fmt.Sprintf(format, args...)})
}

func (r *Report) count(b *pcap.Batch) {
	r.Packets += uint64(len(b.Packets))
	for i := range b.Packets {
		p := &b.Packets[i]
		r.Bytes += uint64(p.Wire)
		if r.First == 0 || p.Time < r.First {
			r.First = p.Time
		}
		r.Last = max(r.Last, p.Time)
	}
}
