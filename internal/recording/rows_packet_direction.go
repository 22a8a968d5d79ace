package recording

import "time"

// PacketDirection is one direction between a client address and a service: sums
// over all connections of a capture, also those that PacketConnections leaves
// out because others were worse. Shares of connections, segments and requests
// are taken from here.
type PacketDirection struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first packet of the capture
	Client     string    `parquet:"client,dict" cbor:"client"`          // address; "" for all clients beyond those that are told apart
	Server     string    `parquet:"server,dict" cbor:"server"`
	ServerPort int32     `parquet:"server_port" cbor:"server_port"`
	Proto      string    `parquet:"proto,dict" cbor:"proto"`   // as in PacketConnection
	Sender     string    `parquet:"sender,dict" cbor:"sender"` // client or server

	Connections   int64         `parquet:"connections" cbor:"connections"`       // all, seen by both senders, as are the sums of requests and times below
	Ended         int64         `parquet:"ended" cbor:"ended"`                   // of them, before the capture did
	Refused       int64         `parquet:"refused" cbor:"refused"`               // the SYN was answered by RST
	RefusedAgain  int64         `parquet:"refused_again" cbor:"refused_again"`   // of those refused: the SYN repeats one that was refused, both are one connect
	Broke         int64         `parquet:"broke" cbor:"broke"`                   // reset by the sender while a request was under way
	BrokeUnread   int64         `parquet:"broke_unread" cbor:"broke_unread"`     // reset by the sender at another time, bytes of the other side unacknowledged
	Crossed       int64         `parquet:"crossed" cbor:"crossed"`               // closed by the sender while idle, with a request on its way that was answered by RST
	Begun         int64         `parquet:"begun" cbor:"begun"`                   // connections whose SYN was seen
	SlowConnects  int64         `parquet:"slow_connects" cbor:"slow_connects"`   // of them, whose first SYN got no answer
	NeverAnswered int64         `parquet:"never_answered" cbor:"never_answered"` // of these, whose later SYNs got none either
	SilentSYNs    int64         `parquet:"silent_syns" cbor:"silent_syns"`       // SYNs of slow connects without answer
	ConnectWait   time.Duration `parquet:"connect_wait" cbor:"connect_wait"`     // slow connects took, or were tried for
	Transactions  int64         `parquet:"transactions" cbor:"transactions"`     // whose times count
	Excluded      int64         `parquet:"excluded" cbor:"excluded"`             // seen, but ambiguous, lossy or without answer
	RTSum         time.Duration `parquet:"rt_sum" cbor:"rt_sum"`                 // sum of response times
	Download      time.Duration `parquet:"download" cbor:"download"`             // sum
	Life          time.Duration `parquet:"life" cbor:"life"`                     // sum over connections, from the first packet to the last
	Quiet         time.Duration `parquet:"quiet" cbor:"quiet"`                   // of it, the client asked nothing, or the sender could have sent and did not
	Paused        time.Duration `parquet:"paused" cbor:"paused"`                 // the sender could have sent and did not, no longer than answers were under way

	// Of answers, on the side that sent them; both are 0 in recordings of older versions.
	LongDownloads   int64         `parquet:"long_downloads" cbor:"long_downloads"`     // that took 20 ms and more from their first packet to the last
	LongestDownload time.Duration `parquet:"longest_download" cbor:"longest_download"` // of them all

	Segments        int64         `parquet:"segments" cbor:"segments"` // packets with data
	Retransmissions int64         `parquet:"retransmissions" cbor:"retransmissions"`
	Timeouts        int64         `parquet:"timeouts" cbor:"timeouts"`               // retransmissions by timeout
	Spurious        int64         `parquet:"spurious" cbor:"spurious"`               // retransmissions of what had arrived
	RetransmitWait  time.Duration `parquet:"retransmit_wait" cbor:"retransmit_wait"` // connections waited for copies of the sender's bytes
	DelayedACKs     int64         `parquet:"delayed_acks" cbor:"delayed_acks"`       // waits of the sender's data for a delayed acknowledgement
	DelayedACKTime  time.Duration `parquet:"delayed_ack_time" cbor:"delayed_ack_time"`
	ZeroWindows     int64         `parquet:"zero_windows" cbor:"zero_windows"` // episodes in which the sender had closed its window
	ZeroWindowTime  time.Duration `parquet:"zero_window_time" cbor:"zero_window_time"`
	LargestAcked    int64         `parquet:"largest_acked" cbor:"largest_acked"` // payload of the largest segment of the sender that the other host acknowledged on any port, bytes; 0: none was told apart

	// Of connections on which a request of the client, sent again three times and
	// more, was the last that was seen: not one packet of the server came after it.
	// 0 on the server's side.
	Unheard         int64         `parquet:"unheard" cbor:"unheard"`                                 // such connections
	UnheardCopies   int64         `parquet:"unheard_copies" cbor:"unheard_copies"`                   // of retransmissions: of those requests
	UnheardTimeouts int64         `parquet:"unheard_timeouts" cbor:"unheard_timeouts"`               // of timeouts: of those requests
	UnheardWait     time.Duration `parquet:"unheard_wait" cbor:"unheard_wait"`                       // of retransmit_wait: for those copies
	UnheardFor      time.Duration `parquet:"unheard_for" cbor:"unheard_for"`                         // sum, from the request to the last packet of the client
	UnheardLargest  int64         `parquet:"unheard_largest" cbor:"unheard_largest"`                 // payload of the largest segment of those requests, bytes
	UnheardQuiet    time.Duration `parquet:"unheard_quiet" cbor:"unheard_quiet"`                     // on each of them, no packet had come for so long before the request; 0: not known
	UnheardFrom     time.Time     `parquet:"unheard_from,timestamp(nanosecond)" cbor:"unheard_from"` // when the first of those requests was sent; zero without one
}

// Add adds what one side of a connection sent.
func (d *PacketDirection) Add(c *PacketConnection, s *PacketSide) {
	d.Connections++
	if c.Ending != "open" {
		d.Ended++
	}
	d.addReset(c)
	d.addConnect(c)
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
func (d *PacketDirection) addReset(c *PacketConnection) {
	harm := c.Harm()
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
func (d *PacketDirection) addConnect(c *PacketConnection) {
	if c.SYNs > 0 {
		d.Begun++
	}
	silent, waited := c.SilentSYNs()
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

const (
	// FirstRetry is how long Linux, and most others, wait before a SYN is
	// repeated: TCP_TIMEOUT_INIT of include/net/tcp.h, RFC 6298 section 2.1.
	FirstRetry = time.Second
	// aboutRetry is how much earlier a repeat may come, by timers that are coarse.
	aboutRetry = 100 * time.Millisecond
)

// SilentSYNs counts the SYNs that got no answer where the client had to repeat
// its SYN, and says how long it waited; 0 where it had not.
func (c *PacketConnection) SilentSYNs() (n int32, waited time.Duration) {
	switch {
	case c.Refused, c.SYNs < 2:
	case c.SYNACKs == 0:
		return c.SYNs, c.Last.Sub(c.At)
	case c.Connect >= FirstRetry-aboutRetry:
		return c.SYNs - 1, c.Connect
	}
	return 0, 0
}

// Merge adds the sums of other connections.
func (d *PacketDirection) Merge(o *PacketDirection) {
	d.Connections += o.Connections
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
	d.mergeUnheard(o)
}

func (d *PacketDirection) mergeUnheard(o *PacketDirection) {
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
func (d *PacketDirection) AddDownload(took time.Duration) {
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
func (d *PacketDirection) AddUnheard(o PacketDirection) {
	if o.UnheardCopies >= UnheardAfter {
		o.Unheard = 1
		d.mergeUnheard(&o)
	}
}

// ResetHarm is what a reset did to a connection.
type ResetHarm int

// What resets do. One of an idle connection, which saves the closing side
// TIME_WAIT, harms nobody, nor does one after all was answered, nor one that
// answers a farewell.
const (
	NoHarm         ResetHarm = iota // no reset, or one that did no harm
	ConnectRefused                  // a SYN was answered by RST
	ExchangeBroken                  // a request or its answer was under way
	UnreadLost                      // the closing side had not acknowledged all it was sent, and nothing else is known to have been under way
	RequestCrossed                  // the server had closed the idle connection by FIN, and a request that crossed it was answered by RST
)

// Harm tells what the reset of the connection did; Closer is who sent it.
func (c *PacketConnection) Harm() ResetHarm {
	switch {
	case c.Refused:
		return ConnectRefused
	case c.CloseState == "crossed":
		return RequestCrossed
	case c.CloseState == "dismissed":
		return NoHarm // the client was told, and did not listen
	case !c.CloseReset:
		return NoHarm
	case c.CloseState == "request" || c.CloseState == "waiting" || c.CloseState == "response":
		return ExchangeBroken
	case c.Outstanding > 0:
		return UnreadLost
	}
	return NoHarm
}

// Table says where the row belongs.
func (PacketDirection) Table() Table { return PacketDirections }

// Time is the first packet of the capture.
func (r PacketDirection) Time() time.Time { return r.At }
