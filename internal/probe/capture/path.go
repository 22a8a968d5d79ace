package capture

import (
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/path"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/tcp"
	"rtrail/internal/recording"
)

// watcher is the collector of one worker: it sums transactions and lookups up
// and follows what the path does to packets.
type watcher struct {
	*summary.Collector
	path       *path.Tracker
	lookups    *lookups
	directions directions
	waiting    waiting
	stalls     stalls
}

// Frame follows a packet.
func (w *watcher) Frame(_ *pcap.Packet, f *decode.Frame) {
	w.path.Frame(f)
	w.lookups.frame(f)
}

// Connection sums a connection up.
func (w *watcher) Connection(c *rt.Connection) {
	w.directions.add(c)
	w.Collector.Connection(c)
}

// Transaction sums a transaction up.
func (w *watcher) Transaction(t *rt.Transaction) {
	w.lookups.transaction(t)
	w.directions.transaction(t)
	w.waiting.transaction(t)
	w.stalls.transaction(t)
	w.Collector.Transaction(t)
}

// watch gives every worker of the engine a watcher.
func watch(o *engine.Options, collectors *summary.Collectors, ports []uint16) *[]*watcher {
	watchers := make([]*watcher, o.Workers)
	o.Collector = func(i int) engine.Collector {
		watchers[i] = &watcher{Collector: collectors.Worker(i), path: path.New(ports), directions: newDirections(ports), lookups: newLookups(ports), waiting: waiting{ports: ports}, stalls: stalls{ports: ports, most: maxAnswers / o.Workers}}
		return watchers[i]
	}
	return &watchers
}

// pathOf puts together what the watchers saw.
func (r *Result) pathOf(watchers []*watcher) {
	var trackers []*path.Tracker
	r.Directions = newDirections(nil)
	for _, w := range watchers {
		if w != nil {
			trackers = append(trackers, w.path)
			r.Directions.merge(w.directions)
		}
	}
	r.Path = path.Merge(trackers)
}

// writePaths makes evidence of what the path did.
func (r *Result) writePaths(w *recording.Writer) {
	for _, c := range r.Summary.Connections {
		sides := r.Path.Sides[c.ID]
		if sides == nil {
			continue
		}
		client := 0
		if r.Path.From[c.ID] != c.Client {
			client = 1
		}
		row := ConnectionRow(&c.Connection)
		recording.Append(w, pathRow(&row, "client", &sides[client], &c.Sides[flow.ToServer]), pathRow(&row, "server", &sides[1-client], &c.Sides[flow.ToClient]))
	}
	for i := range r.Path.Rates {
		recording.Append(w, rateRow(&r.Path.Rates[i]))
	}
}

func pathRow(c *recording.PacketConnection, sender string, s *path.Side, sent *tcp.Side) recording.PacketPath {
	// What had come here before, or was not lost at all, was not lost upstream.
	needed := int64(sent.Retransmissions) - int64(min(sent.Spurious, sent.Retransmissions))
	unseen := min(int64(sent.Unseen), needed)
	return recording.PacketPath{
		At: c.At, Connection: c.ID, Sender: sender, Upstream: unseen, Downstream: needed - unseen,
		StuckSize: int64(s.StuckSize), StuckCopies: int64(s.StuckCopies), SmallUnheard: int64(s.SmallUnheard), LargestAcked: int64(s.LargestAcked),
		FirstTS: int64(s.FirstTS), LastTS: int64(s.LastTS),
		Queued: micro(s.Queued), QueuedMax: micro(s.QueuedMax), Clocked: int64(s.Clocked),
		TooBig: int64(s.TooBig), MTU: int64(s.MTU),
	}
}

func rateRow(s *path.Rate) recording.PacketRate {
	return recording.PacketRate{
		At: time.Unix(0, s.At), From: s.From.String(), To: s.To.String(), Packets: int64(s.Packets), Bytes: int64(s.Bytes),
		BusiestPackets: int64(s.BusiestPackets), BusiestBytes: int64(s.BusiestBytes), Resent: int64(s.Resent),
		Queued: micro(s.Queued), QueuedMax: micro(s.QueuedMax), Clocked: int64(s.Clocked),
	}
}

func micro(us int64) time.Duration { return time.Duration(us) * time.Microsecond }
