package netproc

import (
	"bytes"
	"slices"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// maxNetlinkSockets bounds what is remembered of one namespace.
const maxNetlinkSockets = 4096

// Netlink adds up the messages that netlink sockets of one namespace lost since
// the first reading: each time the kernel had a message for a socket whose
// receive buffer was full (netlink_overrun in net/netlink/af_netlink.c). The
// kernel counts by socket and forgets with it; a sum over those that are there
// would fall and rise as they come and go. The zero value is ready.
type Netlink struct {
	drops map[uint64]uint64 // by inode, as last read
	lost  int64
	begun bool
}

// Read parses /proc/net/netlink and appends the sum as Netlink Drops. A kernel
// that prints no drops gives no row.
func (n *Netlink) Read(dst []recording.ProtocolSample, at time.Time, netns uint64, b []byte) []recording.ProtocolSample {
	head, b := procfile.Line(b)
	dropsAt, inodeAt := column(head, "Drops"), column(head, "Inode")
	if dropsAt < 0 || inodeAt < 0 {
		return dst
	}
	now := make(map[uint64]uint64, len(n.drops))
	for line := range procfile.Lines(b) {
		if len(now) == maxNetlinkSockets {
			break
		}
		drops, ok1 := uintAt(line, dropsAt)
		inode, ok2 := uintAt(line, inodeAt)
		if !ok1 || !ok2 || inode == 0 {
			continue // a socket that nobody holds any more has no name
		}
		now[inode] = drops
		// One that came since the last reading lost all of it in between.
		if was := n.drops[inode]; n.begun && drops > was {
			n.lost += int64(drops - was)
		}
	}
	if len(now) == maxNetlinkSockets {
		// One that comes into the list later would seem to have lost all at once.
		*n = Netlink{}
		return dst
	}
	n.drops, n.begun = now, true
	return append(dst, recording.ProtocolSample{At: at, NetNS: netns, Protocol: "Netlink", Name: "Drops", Value: n.lost})
}

// column is the place of a name in a header, -1 if it is not there.
func column(head []byte, name string) int {
	return slices.IndexFunc(bytes.Fields(head), func(field []byte) bool { return string(field) == name })
}

func uintAt(line []byte, place int) (uint64, bool) {
	var field []byte
	for range place + 1 {
		field, line = procfile.Field(line)
	}
	n, ok := procfile.Int(field)
	return uint64(n), ok && n >= 0
}
