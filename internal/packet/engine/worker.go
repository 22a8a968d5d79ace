package engine

import (
	"math"
	"runtime/debug"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/dedup"
	"rtrail/internal/packet/fingerprint"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto/dns"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/tcp"
)

// worker does everything for the flows that are its own.
type worker struct {
	index, of   int
	collector   Collector
	frameSink   FrameCollector // the same, if it wants packets
	waits       WaitCollector  // the same, if it wants what waits
	reached     int64          // when the next second begins; math.MaxInt64: nobody wants to know
	began       time.Time
	looked      time.Duration // what looks for what waits took
	ignore      func(client flow.Endpoint) bool
	decoder     *decode.Decoder
	copies      *dedup.Filter
	table       *tcp.Table
	queries     *dns.Tracker
	requests    *rt.Tracker
	frames      [2]decode.Frame // taken in turns
	decoded     bool            // the frame before this turn's is that of the packet being looked at
	begun       int             // packets of this batch that were looked at
	crashes     Crashes
	turn        int // which of the frames comes next
	results     decode.Results
	connections uint64
	cut         uint64 // packets of which the snap length cut something off that IP says is theirs
	cutOptions  uint64 // segments of which the snap length cut TCP options off
	unreadable  uint64 // packets that were gone when their turn came, of any worker
	now         int64  // the latest packet
	expired     int64  // when idle connections were last looked for
}

// expireEvery is how much packet time passes between two looks for idle
// connections; they cost a walk over all that live.
const expireEvery = 10e9

func newWorker(index, of int, spaces *decode.Spaces, ahead hints, o Options) *worker {
	w := &worker{index: index, of: of, collector: o.Collector(index), decoder: decode.NewWith(decode.Settings{Spaces: spaces}), copies: dedup.New()}
	w.frameSink, _ = w.collector.(FrameCollector)
	w.waits, _ = w.collector.(WaitCollector)
	sink := rt.Sink(w.collector)
	if w.ignore = o.Ignore; w.ignore != nil {
		sink = &clientFilter{sink, w.ignore}
	}
	w.requests = &rt.Tracker{Sink: sink, Protocols: expecting(o.Protocols, o.Servers), Spoken: ahead.spoken, Forced: o.DecodeAs, Fingerprint: fingerprint.New().Of, Asked: w.waits != nil}
	if w.reached = math.MaxInt64; w.waits != nil {
		w.reached, w.began = 0, time.Now()
		w.waits.Asks(w.open)
	}
	w.table = tcp.NewTable(tcp.Options{
		NewConsumer: w.requests.Consume,
		Ended:       w.ended,
		Idle:        o.Idle,
		IsServer:    known(w.requests.Protocols, o.Servers),
		Speaker:     speaker(w.requests.Protocols),
		Shared:      func(port uint16) bool { return ahead.shared[port] },
		Crashed:     func(c *tcp.Conn, v any) { w.crashed(v, c, c.Last.Frame) },
	})
	w.queries = dns.NewTracker(w.query)
	for port, name := range o.DecodeAs {
		w.queries.Listen(port, name == dns.Protocol.Name)
	}
	return w
}

// open gives out what waits for servers.
func (w *worker) open(at int64, give func(*rt.Open)) {
	w.requests.Open(at, func(o *rt.Open) {
		if w.ignore == nil || !w.ignore(o.Client) {
			give(o)
		}
	})
}

// patience and patientFor bound how long looks for what waits take, which cost as much
// however few packets a second has: that long, and beyond it one part in so many of the time.
const (
	patience   = 5 * time.Second
	patientFor = 20
)

// reach tells that a second begins.
func (w *worker) reach(at int64) {
	w.reached = at - at%int64(time.Second) + int64(time.Second)
	began := time.Now()
	if w.looked > patience && w.looked > began.Sub(w.began)/patientFor {
		return
	}
	w.closing(func() { w.waits.Reached(at, false) })
	w.looked += time.Since(began)
}

// query gives out a query over UDP.
func (w *worker) query(q *dns.Query) {
	w.requests.Datagram(dns.Protocol.Name, q.Request.First.Frame, q.Client, q.Server, q.Space, &q.Exchange)
}

func (w *worker) ended(c *tcp.Conn) {
	if w.ignore == nil || !w.ignore(c.Client) {
		w.connections++
		w.collector.Connection(w.requests.Connection(c))
	}
	w.requests.Release(c)
}

// duplicates counts packets that were captured in several places.
func (w *worker) duplicates() uint64 {
	c := w.copies.Counts()
	return c.Copies + c.Covered
}

func (w *worker) run(f *feed) {
	// The packets of a mapped file can vanish under the hands of a reader when
	// somebody truncates the file. That would end the process.
	debug.SetPanicOnFault(true)
	for {
		b := f.next(w.index)
		if b == nil {
			break
		}
		w.guarded(b)
		f.give(b)
	}
	if w.waits != nil {
		w.closing(func() { w.waits.Reached(w.now, true) })
	}
	w.closing(w.queries.Close)
	w.closing(w.table.Close)
	w.closing(func() { w.collector.Progress(w.now) })
}

// faulted tells a fault from other panics.
func faulted(v any) bool {
	_, ok := v.(interface{ Addr() uintptr })
	return ok
}

// progress is called after each batch.
func (w *worker) progress(now int64) {
	w.now = max(w.now, now)
	if w.now-w.expired > expireEvery {
		w.expired = w.now
		w.table.Expire(w.now)
		w.queries.Expire(w.now)
	}
	if w.now >= w.reached {
		w.reach(w.now)
	}
	w.collector.Progress(w.now)
}

// batch takes the packets of a batch that were not begun yet.
func (w *worker) batch(b *shared) {
	if b.own == nil {
		for i := w.begun; i < len(b.Packets); i++ {
			w.take(&b.Packets[i], 0, false)
		}
	} else {
		own := b.own[w.index]
		for i := w.begun; i < len(own); i++ {
			o := &own[i]
			w.take(&b.Packets[o.place], o.hash, o.hash == 0)
		}
	}
	w.copies.Settle()
}

// take decodes a packet and goes on with it, unless it is somebody else's. hash
// is that of its flow; 0: not known.
func (w *worker) take(p *pcap.Packet, hash uint64, doubtful bool) {
	// The frame before stays as it was: it may be asked for the next one's copy.
	f := &w.frames[w.turn]
	w.decoded = false
	w.begun++
	result := w.decoder.DecodeHashed(p, hash, f)
	switch {
	case result != decode.OK:
		// Nobody's flow: the workers take turns counting.
		if !doubtful || int(p.Frame%uint64(w.of)) == w.index {
			w.results[result]++
			if result == decode.Short {
				w.cut++
			}
		}
		return
	case doubtful && owner(f.Hash, w.of) != w.index:
		return
	}
	w.results[result]++
	if f.Size > len(f.Payload) && f.Rest == 0 {
		w.cut++
	}
	w.turn ^= 1
	w.decoded = true
	if w.copies.Next(f) {
		return
	}
	if f.At >= w.reached {
		w.reach(f.At)
	}
	switch f.Proto {
	case decode.TCP:
		if f.Options.Cut {
			w.cutOptions++
		}
		w.table.Frame(f)
	case decode.UDP:
		w.queries.Frame(f)
	}
	if w.frameSink != nil {
		w.frameSink.Frame(p, f)
	}
}
