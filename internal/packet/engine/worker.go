package engine

import (
	"runtime/debug"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/dedup"
	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/packet/proto/dns"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// worker does everything for the flows that are its own.
type worker struct {
	index, of   uint64
	collector   Collector
	frames      FrameCollector // the same, if it wants packets
	decoder     *decode.Decoder
	copies      *dedup.Filter
	table       *tcp.Table
	queries     *dns.Tracker
	shop        *rt.Workshop
	frame       decode.Frame
	results     decode.Results
	connections uint64
	unreadable  uint64 // packets that were gone when their turn came, of any worker
	now         int64  // the latest packet
	expired     int64  // when idle connections were last looked for
}

// expireEvery is how much packet time passes between two looks for idle
// connections; they cost a walk over all that live.
const expireEvery = 10e9

func newWorker(index, of int, spaces *decode.Spaces, o Options) *worker {
	w := &worker{index: uint64(index), of: uint64(of), collector: o.Collector(index), decoder: decode.NewWith(decode.Settings{Spaces: spaces}), copies: dedup.New()}
	w.frames, _ = w.collector.(FrameCollector)
	w.shop = &rt.Workshop{Sink: w.collector, Protocols: o.Protocols, Fingerprint: fingerprint.New().Of}
	if w.shop.Protocols == nil {
		w.shop.Protocols = Protocols()
	}
	w.table = tcp.NewTable(tcp.Options{
		NewConsumer: w.shop.Consume,
		Ended:       w.ended,
		Idle:        o.Idle,
		IsServer:    known(w.shop.Protocols, o.IsServer),
		Greeting:    greeting(w.shop.Protocols),
	})
	w.queries = dns.NewTracker(w.query)
	return w
}

// query gives out a query over UDP.
func (w *worker) query(q *dns.Query) {
	w.shop.Datagram(dns.Protocol.Name, q.Request.First.Frame, q.Client, q.Server, q.Space, &q.Exchange)
}

func (w *worker) ended(c *tcp.Conn) {
	w.connections++
	w.collector.Connection(c)
}

// duplicates counts packets that were captured in several places.
func (w *worker) duplicates() uint64 {
	c := w.copies.Counts()
	return c.Copies + c.Covered
}

func (w *worker) run(feed <-chan *shared) {
	// The packets of a mapped file can vanish under the hands of a reader when
	// somebody truncates the file. That would end the process.
	debug.SetPanicOnFault(true)
	for b := range feed {
		w.guarded(b)
		b.done()
	}
	w.queries.Close()
	w.table.Close()
	w.collector.Progress(w.now)
}

// owner is the worker of a flow: the upper half of the hash times the number of
// workers, which is cheaper than a remainder.
func (w *worker) owner(hash uint64) uint64 { return (hash >> 32) * w.of >> 32 }

// guarded takes a batch; a fault leaves out the rest of it. What a fault
// interrupts is a look at the bytes of one packet: the tables are whole.
func (w *worker) guarded(b *shared) {
	done := 0
	defer func() {
		v := recover()
		if v == nil {
			return
		}
		if _, fault := v.(interface{ Addr() uintptr }); !fault {
			panic(v)
		}
		w.unreadable += uint64(len(b.Packets) - done)
		w.collector.Progress(w.now)
	}()
	w.batch(b, &done)
}

func (w *worker) batch(b *shared, done *int) {
	w.now = max(w.now, b.Now)
	f := &w.frame
	for i := range b.Packets {
		p := &b.Packets[i]
		*done = i
		w.now = max(w.now, p.Time)
		if w.of > 1 {
			if h, ok := w.decoder.Hash(p); ok && w.owner(h) != w.index {
				continue
			}
		}
		result := w.decoder.Decode(p, f)
		if result != decode.OK {
			// Nobody's flow: the workers take turns counting.
			if p.Frame%w.of == w.index {
				w.results[result]++
			}
			continue
		}
		if w.of > 1 && w.owner(f.Hash) != w.index {
			continue
		}
		w.results[result]++
		if w.copies.Copy(f) {
			continue
		}
		switch f.Proto {
		case decode.TCP:
			w.table.Frame(f)
		case decode.UDP:
			w.queries.Frame(f)
		}
		if w.frames != nil {
			w.frames.Frame(p, f)
		}
	}
	if w.now-w.expired > expireEvery {
		w.expired = w.now
		w.table.Expire(w.now)
		w.queries.Expire(w.now)
	}
	w.collector.Progress(w.now)
}
