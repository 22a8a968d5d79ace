// Package direction adds up what clients and servers sent each other: the sums of
// a recording.PacketDirection, made of connections by the probe that reads
// packets, and by views where only single connections were recorded. What counts
// as slow, refused or broken in these sums is decided here, for both.
package direction

import (
	"time"

	"rtrail/internal/recording"
)

// Add adds what one side of a connection sent.
func Add(d *recording.PacketDirection, c *recording.PacketConnection, s *recording.PacketSide) {
	d.Connections++
	if c.Ending != "open" {
		d.Ended++
	}
	addReset(d, c)
	addConnect(d, c)
	life := c.Last.Sub(c.At)
	d.Transactions += c.Transactions
	d.Excluded += c.Excluded
	d.RTSum += c.RTSum
	d.Download += c.Download
	d.Life += life
	d.Quiet += min(c.Idle+s.AppLimited, life)
	// What a server sends by itself between answers is its own affair.
	d.Paused += min(s.AppLimited, c.Download)
	d.Segments += s.Segments
	d.Retransmissions += s.Retransmissions
	d.Timeouts += s.Timeouts
	d.Spurious += s.Spurious
	d.RetransmitWait += s.RetransmitWait
	d.DelayedACKs += s.DelayedACKs
	d.DelayedACKTime += s.DelayedACKTime
	d.ZeroWindows += s.ZeroWindows
	d.ZeroWindowTime += s.ZeroWindowTime
}

// addReset adds what a reset of the sender did to the connection; a refused
// connect counts on both sides.
func addReset(d *recording.PacketDirection, c *recording.PacketConnection) {
	harm := HarmOf(c)
	if harm != ConnectRefused && c.Closer != d.Sender {
		return
	}
	switch harm {
	case ConnectRefused:
		d.Refused++
		if c.Retried {
			d.RefusedAgain++
		}
	case ExchangeBroken:
		d.Broke++
	case UnreadLost:
		d.BrokeUnread++
	case RequestCrossed:
		d.Crossed++
	}
}

// addConnect adds how the connection was begun.
func addConnect(d *recording.PacketDirection, c *recording.PacketConnection) {
	if c.SYNs > 0 {
		d.Begun++
	}
	silent, waited := SilentSYNs(c)
	if silent == 0 {
		return
	}
	d.SlowConnects++
	if c.SYNACKs == 0 {
		d.NeverAnswered++
	}
	d.SilentSYNs += int64(silent)
	d.ConnectWait += waited
}

// TakeBack takes copies out of the sums that were sent to a side that had closed,
// so many of them by timeout, with the time that was waited for them: who has
// closed answers no more, and its silence is no loss.
func TakeBack(d *recording.PacketDirection, copies, timeouts int64, waited time.Duration) {
	d.Segments -= copies
	d.Retransmissions -= copies
	d.Timeouts -= timeouts
	d.RetransmitWait -= waited
}

// Merge adds the sums of other connections.
func Merge(d *recording.PacketDirection, o *recording.PacketDirection) {
	d.Connections += o.Connections
	d.Carried += o.Carried
	d.Ended += o.Ended
	d.Refused += o.Refused
	d.RefusedAgain += o.RefusedAgain
	d.Broke += o.Broke
	d.BrokeUnread += o.BrokeUnread
	d.Crossed += o.Crossed
	d.Begun += o.Begun
	d.SlowConnects += o.SlowConnects
	d.NeverAnswered += o.NeverAnswered
	d.SilentSYNs += o.SilentSYNs
	d.ConnectWait += o.ConnectWait
	d.Transactions += o.Transactions
	d.Excluded += o.Excluded
	d.RTSum += o.RTSum
	d.Download += o.Download
	d.Life += o.Life
	d.Quiet += o.Quiet
	d.Paused += o.Paused
	d.LongDownloads += o.LongDownloads
	d.LongestDownload = max(d.LongestDownload, o.LongestDownload)
	d.Segments += o.Segments
	d.Retransmissions += o.Retransmissions
	d.Timeouts += o.Timeouts
	d.Spurious += o.Spurious
	d.RetransmitWait += o.RetransmitWait
	d.DelayedACKs += o.DelayedACKs
	d.DelayedACKTime += o.DelayedACKTime
	d.ZeroWindows += o.ZeroWindows
	d.ZeroWindowTime += o.ZeroWindowTime
	d.LargestAcked = max(d.LargestAcked, o.LargestAcked)
	mergeUnheard(d, o)
}

func mergeUnheard(d *recording.PacketDirection, o *recording.PacketDirection) {
	if o.Unheard == 0 {
		return
	}
	if d.Unheard == 0 || o.UnheardQuiet < d.UnheardQuiet {
		d.UnheardQuiet = o.UnheardQuiet
	}
	if d.Unheard == 0 || o.UnheardFrom.Before(d.UnheardFrom) {
		d.UnheardFrom = o.UnheardFrom
	}
	d.Unheard += o.Unheard
	d.UnheardCopies += o.UnheardCopies
	d.UnheardTimeouts += o.UnheardTimeouts
	d.UnheardWait += o.UnheardWait
	d.UnheardFor += o.UnheardFor
	d.UnheardLargest = max(d.UnheardLargest, o.UnheardLargest)
}

// LongDownload is from when on an answer takes long to arrive once it has begun:
// what people call instantaneous (100 ms, Nielsen) less a margin for pages of
// several answers.
const LongDownload = 20 * time.Millisecond

// AddDownload adds how long an answer took to arrive.
func AddDownload(d *recording.PacketDirection, took time.Duration) {
	if took >= LongDownload {
		d.LongDownloads++
	}
	d.LongestDownload = max(d.LongestDownload, took)
}

// UnheardAfter is how many copies of a request nobody must have answered for its
// connection to count as dead: with timers that double from 200 ms on, 1.4 s of
// silence. Losses at random of one percent do that one time in a million.
const UnheardAfter = 3

// AddUnheard adds a connection on which a request was the last that was seen.
func AddUnheard(d *recording.PacketDirection, o recording.PacketDirection) {
	if o.UnheardCopies >= UnheardAfter {
		o.Unheard = 1
		mergeUnheard(d, &o)
	}
}
