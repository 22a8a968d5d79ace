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

// lookupsIn counts names that were looked up, answered or not.
func lookupsIn(v *view.View) (n int64) {
	for _, r := range v.PacketResolvers() {
		n += r.Queries + r.Unpaired
	}
	return n
}

// Baseless says why a verdict stands on nothing: no rule could be judged, since
// there are only captures, in which no connection and no name lookup is. Of one with
// connections, be they cut or in one direction, the reasons of the rules say more.
func (v *Verdict) Baseless() (why string, baseless bool) {
	if len(v.Captures) == 0 || v.Judged > 0 || len(v.Findings) > 0 || v.Lookups > 0 {
		return "", false
	}
	var packets, unreadable int64
	for _, c := range v.Captures {
		if c.Connections > 0 {
			return "", false
		}
		packets += c.Packets
		unreadable += c.Unreadable
	}
	if packets > 0 && unreadable >= packets {
		return "no packet in it could be read", true
	}
	return "there is no TCP connection and no name lookup in it", true
}
