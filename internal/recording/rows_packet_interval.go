package recording

import "time"

// Captured is a row of what a capture saw. Of a capture that goes on and on, rows
// are about an interval of it; over the intervals of a window, they are added up
// as the tag `over` of their columns says:
//
//	key       rows with equal values here are one
//	sum       the sum, and Unknown if one of them is; what numbers are without a tag
//	min,N     the smallest one of the rows in which the column N is above zero
//	max       the largest one
//	first     that of the earliest interval in which it is not empty
//	begin     that of the earliest interval
//	last      the same of the latest; what texts and times are without a tag
//	most,N    that of the row in which the column N is largest
//	same      what all rows have, else nothing
//	join      all that differ, joined by ";"
//	pN,M      percentile N of times of which there are M: within what the percentiles of the rows tell
//	carried   the sum without those that the interval before counts too (column carried)
//
// Of column at it is the earliest, and a bool is true if one is.
type Captured interface {
	Row
	// Captured is when the interval began that the row is about, in nanoseconds since
	// 1970; that of the zero time: it is about all of the capture.
	Captured() int64
}

// Of captures that last from interval to interval, rows hold for theirs.

func (r PacketCapture) Captured() int64         { return r.Interval.UnixNano() }
func (r PacketConnection) Captured() int64      { return r.Interval.UnixNano() }
func (r PacketSide) Captured() int64            { return r.Interval.UnixNano() }
func (r PacketService) Captured() int64         { return r.Interval.UnixNano() }
func (r PacketHistogram) Captured() int64       { return r.Interval.UnixNano() }
func (r PacketStatement) Captured() int64       { return r.Interval.UnixNano() }
func (r PacketError) Captured() int64           { return r.Interval.UnixNano() }
func (r PacketTransaction) Captured() int64     { return r.Interval.UnixNano() }
func (r PacketNesting) Captured() int64         { return r.Interval.UnixNano() }
func (r PacketPath) Captured() int64            { return r.Interval.UnixNano() }
func (r PacketRate) Captured() int64            { return r.Interval.UnixNano() }
func (r PacketDirection) Captured() int64       { return r.Interval.UnixNano() }
func (r PacketResolver) Captured() int64        { return r.Interval.UnixNano() }
func (r PacketStall) Captured() int64           { return r.Interval.UnixNano() }
func (r PacketUnanswered) Captured() int64      { return r.Interval.UnixNano() }
func (r PacketPair) Captured() int64            { return time.Time{}.UnixNano() }
func (r PacketPairTransaction) Captured() int64 { return time.Time{}.UnixNano() }
