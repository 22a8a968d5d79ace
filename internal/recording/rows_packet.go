package recording

import (
	"time"

	"rtrail/internal/packet/sums"
)

// The packet tables hold what the packet engine made of a capture. They are
// sums over an interval of the capture, which may be all of it, or over one second,
// not counters that run on: a row stands for itself. Times inside them are those of the packets.

// PacketCapture is one capture: a file, several in a row, or an interface; or an
// interval of one.
type PacketCapture struct {
	At          time.Time `parquet:"at,timestamp(nanosecond)"`       // the first packet
	Interval    time.Time `parquet:"interval,timestamp(nanosecond)"` // when it began; the zero time: the row is about all of the capture. What else was seen in it has the same interval
	Last        time.Time `parquet:"last,timestamp(nanosecond)"`
	Source      string    `parquet:"source" over:"key"` // file or interface
	NetNS       string    `parquet:"netns" over:"key"`  // network namespace of the interface as it was asked for: a name, a path or a PID; "" for rtrail's own
	Point       string    `parquet:"point" over:"key"`  // where it was taken: client, server, or "" when not known
	DecodeAs    string    `parquet:"decode_as"`         // what the user said that ports speak, as in --decode-as, joined by ','
	Packets     int64     `parquet:"packets"`
	Bytes       int64     `parquet:"bytes"`                      // on the wire
	Dropped     int64     `parquet:"dropped"`                    // by the kernel, for want of speed; Unknown if the capture does not say
	Missed      int64     `parquet:"missed_bytes"`               // bytes of TCP streams that were acknowledged but not captured
	Duplicates  int64     `parquet:"duplicates"`                 // packets captured twice
	Unreadable  int64     `parquet:"unreadable"`                 // packets cut or broken before their transport header ended
	Connections int64     `parquet:"connections" over:"carried"` // seen; the worst are in packet_connections
	Carried     int64     `parquet:"carried" over:"begin"`       // of them, those that the interval before counts too
	Resting     int64     `parquet:"resting" over:"last"`        // of them, those without a packet in the interval: none has a row
	Note        string    `parquet:"note" over:"join"`           // what was wrong with the capture, joined by ';'
}

// PacketConnection is one TCP connection.
type PacketConnection struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`       // its first packet
	Interval    time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Last        time.Time     `parquet:"last,timestamp(nanosecond)"`     // its last packet
	ID          int64         `parquet:"id" over:"key"`                  // number of its first frame
	Client      string        `parquet:"client,dict" over:"key"`
	ClientPort  int32         `parquet:"client_port" over:"key"`
	Server      string        `parquet:"server,dict" over:"key"`
	ServerPort  int32         `parquet:"server_port" over:"key"`
	Proto       string        `parquet:"proto,dict"`               // as rtrail packets --help lists them: mysql, http, generic; "" without data
	Why         string        `parquet:"why,dict"`                 // how it is known which side is the server
	Midway      bool          `parquet:"midway" over:"begin"`      // its handshake was not captured
	ServerRTT   time.Duration `parquet:"server_rtt_ns" over:"max"` // SYN to SYN-ACK: capture to server and back; Unknown if a copy was lost or not seen
	ClientRTT   time.Duration `parquet:"client_rtt_ns" over:"max"` // SYN-ACK to ACK: capture to client and back; the same
	Connect     time.Duration `parquet:"connect_ns" over:"max"`    // first SYN to first SYN-ACK, lost copies included; Unknown without an answer
	SYNs        int32         `parquet:"syns"`
	SYNACKs     int32         `parquet:"synacks"`
	Refused     bool          `parquet:"refused"`     // the SYN was answered by RST
	Retried     bool          `parquet:"retried"`     // the SYN repeats one that was refused: both are one connect
	Ending      string        `parquet:"ending,dict"` // open, finished, reset, expired, port reused
	Closer      string        `parquet:"closer,dict"` // who sent the first FIN or RST: client, server, ""
	ClosedAt    time.Time     `parquet:"closed_at,timestamp(nanosecond)"`
	CloseFrame  int64         `parquet:"close_frame"`
	CloseReset  bool          `parquet:"close_reset"`
	CloseState  string        `parquet:"close_state,dict"`  // where the protocol was: idle, request, waiting, response, handshake, dismissed (the server had said that it answers no more, and the client asked more all the same), crossed (idle, and a request that crossed the server's FIN was answered by RST), ""
	Outstanding int64         `parquet:"outstanding_bytes"` // bytes of the other side the closing one had not acknowledged

	Transactions int64         `parquet:"transactions"` // whose times count
	Failed       int64         `parquet:"failed"`
	Excluded     int64         `parquet:"excluded"` // seen, but ambiguous, lossy or without answer
	RTSum        time.Duration `parquet:"rt_sum_ns"`
	RTMin        time.Duration `parquet:"rt_min_ns" over:"min,transactions"`
	RTMax        time.Duration `parquet:"rt_max_ns" over:"max"`
	Download     time.Duration `parquet:"download_ns"` // sum
	Idle         time.Duration `parquet:"idle_ns"`     // sum: the client had its answer and asked nothing
}

// PacketSide is what one side of a connection sent. It belongs to the
// PacketConnection with the same id.
type PacketSide struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)"`       // the first packet of the connection
	Interval   time.Time `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Connection int64     `parquet:"connection" over:"key"`          // its id
	Sender     string    `parquet:"sender,dict" over:"key"`         // client or server

	Packets         int64 `parquet:"packets"`
	Segments        int64 `parquet:"segments"` // packets with data
	Bytes           int64 `parquet:"bytes"`    // of the stream, each once
	WireBytes       int64 `parquet:"wire_bytes"`
	Retransmissions int64 `parquet:"retransmissions"`
	Timeouts        int64 `parquet:"timeouts"` // retransmissions by timeout
	Fast            int64 `parquet:"fast"`     // after duplicate acknowledgements
	Spurious        int64 `parquet:"spurious"` // the first copy had arrived
	OutOfOrder      int64 `parquet:"out_of_order"`
	DupACKs         int64 `parquet:"dup_acks"`
	LostOnWire      int64 `parquet:"lost_on_wire_bytes"` // bytes
	Missed          int64 `parquet:"missed_bytes"`       // bytes acknowledged but not captured
	KeepAlives      int64 `parquet:"keep_alives"`
	PAWS            int64 `parquet:"paws"` // segments whose timestamp went back

	RetransmitWait time.Duration `parquet:"retransmit_wait_ns"` // the connection waited for copies of this side's bytes, each moment once; 0 in recordings of older versions

	ZeroWindows    int64         `parquet:"zero_windows"` // episodes in which this side had closed its window
	ZeroWindowTime time.Duration `parquet:"zero_window_time_ns"`
	WindowLimited  time.Duration `parquet:"window_limited_ns"` // this side could not send, the other's window was full; Unknown if the window scale was not seen
	AppLimited     time.Duration `parquet:"app_limited_ns"`    // this side could have sent and did not
	DelayedACKs    int64         `parquet:"delayed_acks"`      // waits of this side's data for a delayed acknowledgement
	DelayedACKTime time.Duration `parquet:"delayed_ack_time_ns"`

	MSS            int32         `parquet:"mss_bytes" over:"max"` // announced; 0: not seen
	LargestSegment int64         `parquet:"largest_segment_bytes" over:"max"`
	TTL            int32         `parquet:"ttl" over:"last"`
	RTTs           int64         `parquet:"rtts"` // samples of pure acknowledgements of this side's data
	RTTSum         time.Duration `parquet:"rtt_sum_ns"`
	RTTMin         time.Duration `parquet:"rtt_min_ns" over:"min,rtts"` // 0: no sample
	RTTMax         time.Duration `parquet:"rtt_max_ns" over:"max"`
}

// PacketService is one service in one second: the transactions whose response
// ended in it, and the packets that were seen in it. Sums are over
// transactions whose times count.
type PacketService struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)" over:"key"` // the beginning of the second
	Interval   time.Time `parquet:"interval,timestamp(nanosecond)"`      // as in PacketCapture
	Server     string    `parquet:"server,dict" over:"key"`
	ServerPort int32     `parquet:"server_port" over:"key"`
	Proto      string    `parquet:"proto,dict" over:"key"`
	sums.Requests
	RTP50 time.Duration `parquet:"rt_p50_ns" over:"p50,count"`
	RTP95 time.Duration `parquet:"rt_p95_ns" over:"p95,count"`
	RTP99 time.Duration `parquet:"rt_p99_ns" over:"p99,count"`
	sums.Path
}

// Add adds the sums and extremes of another row, not its quantiles.
func (s *PacketService) Add(row *PacketService) {
	s.Requests.Add(&row.Requests)
	s.Path.Add(&row.Path)
}

// PacketHistogram is one bucket of the times of a service over the whole
// capture.
type PacketHistogram struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`       // the first packet of the capture
	Interval   time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Server     string        `parquet:"server,dict" over:"key"`
	ServerPort int32         `parquet:"server_port" over:"key"`
	Proto      string        `parquet:"proto,dict" over:"key"`
	Phase      string        `parquet:"phase,dict" over:"key"` // rt, or idle: how long the client had its answer and asked nothing; requests sent ahead of that answer have none
	From       time.Duration `parquet:"from_ns" over:"key"`
	To         time.Duration `parquet:"to_ns" over:"max"` // exclusive
	Count      int64         `parquet:"count"`
}

// PacketStatement is one statement, literals removed, over the whole capture.
type PacketStatement struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)"`       // first seen
	Interval      time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Server        string        `parquet:"server,dict" over:"key"`
	ServerPort    int32         `parquet:"server_port" over:"key"`
	Proto         string        `parquet:"proto,dict" over:"key"`
	Command       string        `parquet:"command,dict" over:"key"`
	Fingerprint   string        `parquet:"fingerprint" over:"key"`
	Count         int64         `parquet:"count"`
	Failed        int64         `parquet:"failed"`
	Blocking      int64         `parquet:"blocking"`                     // beside count: the server waited because it was asked to
	Blocked       time.Duration `parquet:"blocked_ns"`                   // sum of their response times; no other time of this row is theirs
	Code          string        `parquet:"code,dict" over:"most,failed"` // of the most frequent error
	Error         string        `parquet:"error" over:"most,failed"`     // text of its first one, literals removed
	Clients       int64         `parquet:"clients" over:"max"`           // addresses that sent it
	RTSum         time.Duration `parquet:"rt_sum_ns"`
	RTP10         time.Duration `parquet:"rt_p10_ns" over:"p10,count"` // how fast it can be
	RTP50         time.Duration `parquet:"rt_p50_ns" over:"p50,count"`
	RTP95         time.Duration `parquet:"rt_p95_ns" over:"p95,count"`
	RTP99         time.Duration `parquet:"rt_p99_ns" over:"p99,count"`
	RTMax         time.Duration `parquet:"rt_max_ns" over:"p100,count"`
	Download      time.Duration `parquet:"download_ns"`
	IdleBefore    time.Duration `parquet:"idle_before_ns"`               // sum: how long the client waited before sending it
	IdleP50       time.Duration `parquet:"idle_p50_ns" over:"p50,count"` // of COMMIT, where it was not sent ahead of the answer before; Unknown for others
	IdleP95       time.Duration `parquet:"idle_p95_ns" over:"p95,count"` // the same
	Runs          int64         `parquet:"runs"`                         // times a connection sent it at least 20 times in a row, with something else before and after
	RunCount      int64         `parquet:"run_count"`                    // how often it was sent in those
	RunMost       int64         `parquet:"run_most" over:"max"`          // in the longest one
	RunTime       time.Duration `parquet:"run_time_ns"`                  // how long those took
	RunWaited     time.Duration `parquet:"run_waited_ns"`                // of that, the client waited for answers
	Rows          int64         `parquet:"rows"`
	RequestBytes  int64         `parquet:"request_bytes"`
	ResponseBytes int64         `parquet:"response_bytes"`
}

// PacketError is one kind of error that one statement was answered by, over the
// whole capture. Of a statement, 16 kinds are told apart; the rest is counted
// together.
type PacketError struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`       // the first request that was answered so
	Interval    time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Server      string        `parquet:"server,dict" over:"key"`
	ServerPort  int32         `parquet:"server_port" over:"key"`
	Proto       string        `parquet:"proto,dict" over:"key"`
	Command     string        `parquet:"command,dict" over:"key"` // command and fingerprint are those of the PacketStatement
	Fingerprint string        `parquet:"fingerprint" over:"key"`
	Code        string        `parquet:"code,dict" over:"key"` // "" without one
	Others      bool          `parquet:"others" over:"key"`    // the rest, of codes that were not told apart
	CutShort    bool          `parquet:"cut_short" over:"key"` // the connection ended within the answer
	Error       string        `parquet:"error" over:"first"`   // text of the first one, literals removed
	Count       int64         `parquet:"count"`
	Met         int64         `parquet:"met"`       // of count, challenges for credentials that the client's next request brought, successfully; 0 in recordings of older versions
	Timed       int64         `parquet:"timed"`     // of count, those whose times count
	RTSum       time.Duration `parquet:"rt_sum_ns"` // of those
}

// PacketTransaction is one request with its answer. A verdict's recording has
// the slowest ones, some that failed, some queries of DNS without an answer, and
// those in the middle of which a connection was closed; `rtrail packets
// --parquet` writes all.
type PacketTransaction struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`       // the first request packet, or that of the answer if the request was not captured
	Interval    time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Connection  int64         `parquet:"connection"`
	Client      string        `parquet:"client,dict"`
	ClientPort  int32         `parquet:"client_port"`
	Server      string        `parquet:"server,dict"`
	ServerPort  int32         `parquet:"server_port"`
	Proto       string        `parquet:"proto,dict"`
	Command     string        `parquet:"command,dict"`
	Fingerprint string        `parquet:"fingerprint,dict"`
	Status      string        `parquet:"status,dict"`
	Doubt       string        `parquet:"doubt,dict"` // approximate, ambiguous, lossy, resync, blocking; joined by ','
	Failed      bool          `parquet:"failed"`
	Code        string        `parquet:"code,dict"`
	Error       string        `parquet:"error"`
	Rows        int64         `parquet:"rows"`
	Depth       int32         `parquet:"depth"`          // requests under way when it was sent, itself included; Unknown if it was not captured
	RT          time.Duration `parquet:"rt_ns"`          // first copy of the last request packet to the first response packet; Unknown without an answer
	Upload      time.Duration `parquet:"upload_ns"`      // first to last request packet, first copies; Unknown if the request was not captured
	Serve       time.Duration `parquet:"serve_ns"`       // last copy of the last request packet to the first response packet; Unknown without an answer
	Download    time.Duration `parquet:"download_ns"`    // first to last response packet; Unknown without an answer
	Ack         time.Duration `parquet:"ack_ns"`         // last response packet to the acknowledgement that covers it; Unknown if that was not seen
	Idle        time.Duration `parquet:"idle_ns"`        // end of the answer before, on the same connection, to the request; Unknown for the first one
	Retransmit  time.Duration `parquet:"retransmit_ns"`  // between the first request and the last response packet: waited for retransmissions; 0 without an answer
	ZeroWindow  time.Duration `parquet:"zero_window_ns"` // the same: waited for a closed window
	DelayedACK  time.Duration `parquet:"delayed_ack_ns"` // the same: waited for a delayed acknowledgement

	RequestBytes  int64 `parquet:"request_bytes"` // Unknown if the request was not captured
	ResponseBytes int64 `parquet:"response_bytes"`
	FirstFrame    int64 `parquet:"first_frame"` // of the request; Unknown if it was not captured
	LastFrame     int64 `parquet:"last_frame"`  // of the response, or of the request without one
}

// PacketNesting says how the requests a host answers and the requests it sends
// meanwhile to others belong together. Only requests during which no other one
// was being answered by the same host count: then nothing is guessed.
type PacketNesting struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)"`       // the first packet of the capture
	Interval   time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Host       string        `parquet:"host,dict" over:"key"`           // who answers and asks
	Port       int32         `parquet:"port" over:"key"`                // where it answers
	Callee     string        `parquet:"callee,dict" over:"same"`        // whom it asks; "" for several addresses with one port
	CalleePort int32         `parquet:"callee_port" over:"key"`
	Requests   int64         `parquet:"requests"`        // answered, one at a time
	Calls      int64         `parquet:"calls"`           // sent meanwhile
	Most       int64         `parquet:"most" over:"max"` // calls that were under way at the same time, at most
	RTSum      time.Duration `parquet:"rt_sum_ns"`       // of the requests, answer included
	RTP50      time.Duration `parquet:"rt_p50_ns" over:"p50,requests"`
	Covered    time.Duration `parquet:"covered_ns"` // how much of RTSum at least one call was under way
	CallP50    time.Duration `parquet:"call_p50_ns" over:"p50,calls"`
	CallP99    time.Duration `parquet:"call_p99_ns" over:"p99,calls"`
	CallMax    time.Duration `parquet:"call_max_ns" over:"p100,calls"`
	CallSum    time.Duration `parquet:"call_sum_ns"`
	Slow       int64         `parquet:"slow"`        // calls of at least five times their median, and 10 ms more than it
	SlowSum    time.Duration `parquet:"slow_sum_ns"` // how long those took
	Struck     int64         `parquet:"struck"`      // requests with at least one of those
}

func (PacketCapture) Table() Table     { return PacketCaptures }
func (PacketConnection) Table() Table  { return PacketConnections }
func (PacketSide) Table() Table        { return PacketSides }
func (PacketService) Table() Table     { return PacketServices }
func (PacketHistogram) Table() Table   { return PacketHistograms }
func (PacketStatement) Table() Table   { return PacketStatements }
func (PacketError) Table() Table       { return PacketErrors }
func (PacketTransaction) Table() Table { return PacketTransactions }
func (PacketNesting) Table() Table     { return PacketNestings }
