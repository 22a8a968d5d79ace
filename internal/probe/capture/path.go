package capture

import (
	"time"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/path"
	"rtrail/internal/packet/tcp"
	"rtrail/internal/recording"
)

// pathOf puts together what the workers saw.
func (r *Result) pathOf(parts []*part) {
	var trackers []*path.Tracker
	r.Directions = newDirections(nil)
	for _, p := range parts {
		trackers = append(trackers, p.path)
		r.Directions.merge(p.directions)
	}
	r.Path = path.Merge(trackers)
	for _, p := range parts {
		for first, id := range p.named {
			if sides := r.Path.Sides[first]; sides != nil && r.Path.Sides[id] == nil {
				r.Path.Sides[id], r.Path.From[id] = sides, r.Path.From[first]
			}
		}
	}
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
