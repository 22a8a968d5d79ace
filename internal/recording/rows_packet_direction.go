package recording

import "time"

// PacketDirection is one direction between a client address and a service: sums
// over all connections of a capture, also those that PacketConnections leaves
// out because others were worse. Shares of connections, segments and requests
// are taken from here.
type PacketDirection struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)"`       // the first packet of the capture
	Interval   time.Time `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Client     string    `parquet:"client,dict" over:"key"`         // address; "" for all clients beyond those that are told apart
	Server     string    `parquet:"server,dict" over:"key"`
	ServerPort int32     `parquet:"server_port" over:"key"`
	Proto      string    `parquet:"proto,dict" over:"key"`  // as in PacketConnection
	Sender     string    `parquet:"sender,dict" over:"key"` // client or server

	Connections   int64         `parquet:"connections" over:"carried"` // all, seen by both senders, as are the sums of requests and times below
	Carried       int64         `parquet:"carried" over:"begin"`       // of them, those that the interval before counts too
	Ended         int64         `parquet:"ended"`                      // of them, before the capture did
	Refused       int64         `parquet:"refused"`                    // the SYN was answered by RST
	RefusedAgain  int64         `parquet:"refused_again"`              // of those refused: the SYN repeats one that was refused, both are one connect
	Broke         int64         `parquet:"broke"`                      // reset by the sender while a request was under way
	BrokeUnread   int64         `parquet:"broke_unread"`               // reset by the sender at another time, bytes of the other side unacknowledged
	Crossed       int64         `parquet:"crossed"`                    // closed by the sender while idle, with a request on its way that was answered by RST
	Begun         int64         `parquet:"begun"`                      // connections whose SYN was seen
	SlowConnects  int64         `parquet:"slow_connects"`              // of them, whose first SYN got no answer
	NeverAnswered int64         `parquet:"never_answered"`             // of these, whose later SYNs got none either
	SilentSYNs    int64         `parquet:"silent_syns"`                // SYNs of slow connects without answer
	ConnectWait   time.Duration `parquet:"connect_wait_ns"`            // slow connects took, or were tried for
	Transactions  int64         `parquet:"transactions"`               // whose times count
	Excluded      int64         `parquet:"excluded"`                   // seen, but ambiguous, lossy or without answer
	RTSum         time.Duration `parquet:"rt_sum_ns"`                  // sum of response times
	Download      time.Duration `parquet:"download_ns"`                // sum
	Life          time.Duration `parquet:"life_ns"`                    // sum over connections, from the first packet to the last
	Quiet         time.Duration `parquet:"quiet_ns"`                   // of it, the client asked nothing, or the sender could have sent and did not
	Paused        time.Duration `parquet:"paused_ns"`                  // the sender could have sent and did not, no longer than answers were under way

	// Of answers, on the side that sent them; both are 0 in recordings of older versions.
	LongDownloads   int64         `parquet:"long_downloads"`                 // that took 20 ms and more from their first packet to the last
	LongestDownload time.Duration `parquet:"longest_download_ns" over:"max"` // of them all

	Segments        int64         `parquet:"segments"` // packets with data
	Retransmissions int64         `parquet:"retransmissions"`
	Timeouts        int64         `parquet:"timeouts"`           // retransmissions by timeout
	Spurious        int64         `parquet:"spurious"`           // retransmissions of what had arrived
	RetransmitWait  time.Duration `parquet:"retransmit_wait_ns"` // connections waited for copies of the sender's bytes
	DelayedACKs     int64         `parquet:"delayed_acks"`       // waits of the sender's data for a delayed acknowledgement
	DelayedACKTime  time.Duration `parquet:"delayed_ack_time_ns"`
	ZeroWindows     int64         `parquet:"zero_windows"` // episodes in which the sender had closed its window
	ZeroWindowTime  time.Duration `parquet:"zero_window_time_ns"`
	LargestAcked    int64         `parquet:"largest_acked_bytes" over:"max"` // payload of the largest segment of the sender that the other host acknowledged on any port, bytes; 0: none was told apart

	// Of connections on which a request of the client, sent again three times and
	// more, was the last that was seen: not one packet of the server came after it.
	// 0 on the server's side.
	Unheard         int64         `parquet:"unheard"`                                               // such connections
	UnheardCopies   int64         `parquet:"unheard_copies"`                                        // of retransmissions: of those requests
	UnheardTimeouts int64         `parquet:"unheard_timeouts"`                                      // of timeouts: of those requests
	UnheardWait     time.Duration `parquet:"unheard_wait_ns"`                                       // of retransmit_wait: for those copies
	UnheardFor      time.Duration `parquet:"unheard_for_ns"`                                        // sum, from the request to the last packet of the client
	UnheardLargest  int64         `parquet:"unheard_largest_bytes" over:"max"`                      // payload of the largest segment of those requests, bytes
	UnheardQuiet    time.Duration `parquet:"unheard_quiet_ns" over:"min,unheard"`                   // on each of them, no packet had come for so long before the request; 0: not known
	UnheardFrom     time.Time     `parquet:"unheard_from,timestamp(nanosecond)" over:"min,unheard"` // when the first of those requests was sent; zero without one
}

// Table says where the row belongs.
func (PacketDirection) Table() Table { return PacketDirections }
