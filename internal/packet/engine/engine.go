// Package engine runs the packet engine over a source: it spreads connections
// over the cores, takes packets apart, follows the connections and gives out
// transactions.
//
// The worker that needs the next batch of packets reads it and parts it by connections;
// every worker goes through every batch and takes those packets that are its
// own. There is no queue of packets and no copy, and all packets of a connection
// meet in one place in the order of capture.
package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"runtime"
	"sync"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/unit"
)

// Collector takes what one worker finds. All of it is valid during the call
// only; every worker has its own collector, so none needs a lock.
type Collector interface {
	rt.Sink
	// Connection is called once for each connection, when it has ended or the
	// capture has.
	Connection(*rt.Connection)
	// Progress says that all packets up to a moment have been seen, by packet
	// time. It is called after each batch.
	Progress(at int64)
}

// Nop is a Collector that needs nothing, for others to embed.
type Nop struct{}

// Transaction, Handshake, Resent, Refilled, Connection and Progress do nothing.
func (Nop) Transaction(*rt.Transaction)            {}
func (Nop) Handshake(*rt.Connection)               {}
func (Nop) Resent(*rt.Connection, flow.Dir, int64) {}
func (Nop) Refilled(*rt.Connection, int64)         {}
func (Nop) Connection(*rt.Connection)              {}
func (Nop) Progress(int64)                         {}

// FrameCollector is a Collector that also wants every packet of the worker's
// flows.
type FrameCollector interface {
	Collector
	Frame(p *pcap.Packet, f *decode.Frame)
}

// WaitCollector is a Collector that also wants to know what waits for servers while the
// capture goes on.
type WaitCollector interface {
	Collector
	// Asks is called at first. open gives out what waits on the worker's connections, after
	// the packets that were seen, as Tracker.Open does.
	Asks(open func(at int64, give func(*rt.Open)))
	// Reached is called before the first packet of each second of packet time, of those in
	// which the worker has packets or a batch ends; and with last before the connections
	// that are left end, with the capture. What waits then has waited since the packet before.
	Reached(at int64, last bool)
}

// Options is how the engine works. The zero value is usable but for Collector.
type Options struct {
	Workers   int // 0: one per CPU
	Collector func(worker int) Collector
	Protocols []proto.Protocol // nil: all
	// Servers are more ports on which servers listen, with the protocol that they
	// speak (proto.Protocol.Name), or "". A connection that was there before the
	// capture often shows neither.
	Servers map[uint16]string
	// DecodeAs is what servers on a port speak (proto.Protocol.Name), whatever the
	// bytes look like.
	DecodeAs map[uint16]string
	// Ignore leaves out connections by their clients: transactions, and the
	// connections themselves. nil: none.
	Ignore func(client flow.Endpoint) bool
	Idle   time.Duration // as in tcp.Options
}

// Listen adds ports to Servers. protocol is "" where it is not known.
func (o *Options) Listen(protocol string, ports ...uint16) {
	servers := maps.Clone(o.Servers)
	if servers == nil {
		servers = map[uint16]string{}
	}
	for _, p := range ports {
		servers[p] = cmp.Or(protocol, servers[p])
	}
	o.Servers = servers
}

// Report is what was read.
type Report struct {
	Packets     uint64
	Bytes       uint64 // on the wire
	First, Last int64  // the earliest and the latest packet, nanoseconds since 1970; 0: none
	Results     decode.Results
	Duplicates  uint64 // packets that were captured twice and counted once
	Connections uint64
	Crashes     Crashes
	Loss        pcap.Loss
	Notes       []pcap.Note
	Interfaces  []pcap.Interface
}

// Span is from the first to the last packet.
func (r *Report) Span() time.Duration { return time.Duration(r.Last - r.First) }

// Unreadable counts packets that should have been TCP or UDP but were cut or
// broken before their transport header ended, or are not what their link type says.
func (r *Report) Unreadable() int64 {
	return int64(r.Results[decode.Short] + r.Results[decode.Broken] + r.Results[decode.Foreign] + r.Results[decode.Alien])
}

// Run reads the source to its end, or until the context is done, which is no
// error: the report tells what was seen. The source is not closed.
func Run(ctx context.Context, src pcap.Source, o Options) (Report, error) {
	n := o.Workers
	if n <= 0 {
		n = runtime.GOMAXPROCS(0)
	}
	if o.Protocols == nil {
		o.Protocols = Protocols()
	}
	for port, name := range o.DecodeAs {
		o.Listen(name, port)
	}
	src, known := survey(ctx, src, o.Protocols)
	spaces := decode.NewSpaces()
	feed := newFeed(ctx, src, n, decode.NewWith(decode.Settings{Spaces: spaces}))
	workers := make([]*worker, n)
	var wg sync.WaitGroup
	for i := range workers {
		workers[i] = newWorker(i, n, spaces, known, o)
		wg.Go(func() { workers[i].run(feed) })
	}
	wg.Wait()
	report := feed.report
	var crowded, unmatched, cut, cutOptions, afterReset uint64
	gone := feed.gone
	for _, w := range workers {
		for i, c := range w.results {
			report.Results[i] += c
		}
		report.Connections += w.connections
		report.Duplicates += w.duplicates()
		gone = max(gone, w.unreadable)
		crowded += w.table.PushedOut()
		unmatched += w.table.Unmatched()
		cut += w.cut
		cutOptions += w.cutOptions
		afterReset += w.table.AfterReset()
		report.Crashes.add(&w.crashes)
	}
	report.Loss, report.Notes, report.Interfaces = src.Loss(), src.Notes(), src.Interfaces()
	if gone > 0 {
		report.note("the file was truncated while it was read: up to %d packets could not be looked at", gone)
	}
	if cut > 0 {
		missing := "statements and errors may be missing"
		if cutOptions > 0 {
			missing += fmt.Sprintf("; of %s TCP options were cut: what they hold is unknown (window scale, MSS, SACK, timestamps)", unit.Plural(cutOptions, "packet", "packets"))
		}
		report.note("the snap length cut %s of %s: times are exact, %s (tcpdump -s 0 keeps all)", unit.Count(cut), unit.Plural(report.Packets, "packet", "packets"), missing)
	}
	if afterReset > 0 {
		report.note("came after a reset had ended their connection, and are counted nowhere else: %s", unit.Plural(afterReset, "packet", "packets"))
	}
	if crowded > 0 {
		report.note("given up early: %s that never carried data; there were too many at once, as in a flood of SYNs", unit.Plural(crowded, "connection", "connections"))
	}
	if unmatched > 0 {
		report.note("not looked for in other VLANs and tunnels: the other direction of %s; too many with equal addresses and ports waited for theirs", unit.Plural(unmatched, "connection", "connections"))
	}
	return report, feed.failed
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, pcap.Note{Offset: -1, Text: fmt.Sprintf(format, args...)})
}
