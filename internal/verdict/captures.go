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
			Source: c.Source, Point: c.Point, First: c.At, Last: c.Last, Packets: c.Packets, Bytes: c.Bytes,
			Connections: c.Connections, Dropped: c.Dropped, Missed: c.Missed, Note: c.Note,
		})
	}
	return list
}
