package verdict

import (
	"time"

	"rtrail/internal/view"
)

// Capture is a capture of packets that the verdict stands on.
type Capture struct {
	Source      string // file, or interface
	Point       string // client, server, or "" when not known
	First, Last time.Time
	Packets     int64
	Unreadable  int64 // of them, packets of which nothing could be read
	Bytes       int64 // on the wire
	Connections int64
	Dropped     int64 // packets, by the kernel; -1 if nobody counted
	Missed      int64 // bytes that were acknowledged but not captured
	Note        string
}

func capturesOf(v *view.View) []Capture {
	var list []Capture
	for _, c := range v.PacketCaptures() {
		list = append(list, Capture{
			Source: c.Source, Point: c.Point, First: c.At, Last: c.Last, Packets: c.Packets, Unreadable: c.Unreadable, Bytes: c.Bytes,
			Connections: c.Connections, Dropped: c.Dropped, Missed: c.Missed, Note: c.Note,
		})
	}
	return list
}

// NothingRead says that the verdict stands on captures alone, of which no packet
// could be read.
func (v *Verdict) NothingRead() bool {
	for _, c := range v.Captures {
		if c.Packets == 0 || c.Unreadable < c.Packets {
			return false
		}
	}
	return len(v.Captures) > 0 && len(v.Findings) == 0 && len(v.Healthy) == 0
}
