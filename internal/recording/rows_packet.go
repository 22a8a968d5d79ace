package recording

import "time"

// The packet tables hold what the packet engine made of a capture. They are
// sums over the capture, or over one second of it, not counters that run on:
// a row stands for itself. Times inside them are those of the packets.

// PacketCapture is one capture: a file, several in a row, or an interface.
type PacketCapture struct {
	At          time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first packet
	Last        time.Time `parquet:"last,timestamp(nanosecond)" cbor:"last"`
	Source      string    `parquet:"source" cbor:"source"`       // file or interface
	NetNS       string    `parquet:"netns" cbor:"netns"`         // network namespace of the interface as it was asked for: a name, a path or a PID; "" for rtrail's own
	Point       string    `parquet:"point" cbor:"point"`         // where it was taken: client, server, or "" when not known
	DecodeAs    string    `parquet:"decode_as" cbor:"decode_as"` // what the user said that ports speak, as in --decode-as, joined by ','
	Packets     int64     `parquet:"packets" cbor:"packets"`
	Bytes       int64     `parquet:"bytes" cbor:"bytes"`             // on the wire
	Dropped     int64     `parquet:"dropped" cbor:"dropped"`         // by the kernel, for want of speed; Unknown if the capture does not say
	Missed      int64     `parquet:"missed" cbor:"missed"`           // bytes of TCP streams that were acknowledged but not captured
	Duplicates  int64     `parquet:"duplicates" cbor:"duplicates"`   // packets captured twice
	Unreadable  int64     `parquet:"unreadable" cbor:"unreadable"`   // packets cut or broken before their transport header ended
	Connections int64     `parquet:"connections" cbor:"connections"` // seen; the worst are in packet_connections
	Note        string    `parquet:"note" cbor:"note"`               // what was wrong with the capture, joined by ';'
}

// PacketConnection is one TCP connection.
type PacketConnection struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"`     // its first packet
	Last        time.Time     `parquet:"last,timestamp(nanosecond)" cbor:"last"` // its last packet
	ID          int64         `parquet:"id" cbor:"id"`                           // number of its first frame
	Client      string        `parquet:"client,dict" cbor:"client"`
	ClientPort  int32         `parquet:"client_port" cbor:"client_port"`
	Server      string        `parquet:"server,dict" cbor:"server"`
	ServerPort  int32         `parquet:"server_port" cbor:"server_port"`
	Proto       string        `parquet:"proto,dict" cbor:"proto"`      // mysql, http, redis, postgres, dns, tls, generic, or "" without data
	Why         string        `parquet:"why,dict" cbor:"why"`          // how it is known which side is the server
	Midway      bool          `parquet:"midway" cbor:"midway"`         // its handshake was not captured
	ServerRTT   time.Duration `parquet:"server_rtt" cbor:"server_rtt"` // SYN to SYN-ACK: capture to server and back; Unknown if a copy was lost or not seen
	ClientRTT   time.Duration `parquet:"client_rtt" cbor:"client_rtt"` // SYN-ACK to ACK: capture to client and back; the same
	Connect     time.Duration `parquet:"connect" cbor:"connect"`       // first SYN to first SYN-ACK, lost copies included; Unknown without an answer
	SYNs        int32         `parquet:"syns" cbor:"syns"`
	SYNACKs     int32         `parquet:"synacks" cbor:"synacks"`
	Refused     bool          `parquet:"refused" cbor:"refused"`    // the SYN was answered by RST
	Retried     bool          `parquet:"retried" cbor:"retried"`    // the SYN repeats one that was refused: both are one connect
	Ending      string        `parquet:"ending,dict" cbor:"ending"` // open, finished, reset, expired, port reused
	Closer      string        `parquet:"closer,dict" cbor:"closer"` // who sent the first FIN or RST: client, server, ""
	ClosedAt    time.Time     `parquet:"closed_at,timestamp(nanosecond)" cbor:"closed_at"`
	CloseFrame  int64         `parquet:"close_frame" cbor:"close_frame"`
	CloseReset  bool          `parquet:"close_reset" cbor:"close_reset"`
	CloseState  string        `parquet:"close_state,dict" cbor:"close_state"` // where the protocol was: idle, request, waiting, response, handshake, dismissed (the server had said that it answers no more, and the client asked more all the same), crossed (idle, and a request that crossed the server's FIN was answered by RST), ""
	Outstanding int64         `parquet:"outstanding" cbor:"outstanding"`      // bytes of the other side the closing one had not acknowledged

	Transactions int64         `parquet:"transactions" cbor:"transactions"` // whose times count
	Failed       int64         `parquet:"failed" cbor:"failed"`
	Excluded     int64         `parquet:"excluded" cbor:"excluded"` // seen, but ambiguous, lossy or without answer
	RTSum        time.Duration `parquet:"rt_sum" cbor:"rt_sum"`
	RTMin        time.Duration `parquet:"rt_min" cbor:"rt_min"`
	RTMax        time.Duration `parquet:"rt_max" cbor:"rt_max"`
	Download     time.Duration `parquet:"download" cbor:"download"` // sum
	Idle         time.Duration `parquet:"idle" cbor:"idle"`         // sum: the client had its answer and asked nothing
}

// PacketSide is what one side of a connection sent. It belongs to the
// PacketConnection with the same id.
type PacketSide struct {
	At         time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first packet of the connection
	Connection int64     `parquet:"connection" cbor:"connection"`       // its id
	Sender     string    `parquet:"sender,dict" cbor:"sender"`          // client or server

	Packets         int64 `parquet:"packets" cbor:"packets"`
	Segments        int64 `parquet:"segments" cbor:"segments"` // packets with data
	Bytes           int64 `parquet:"bytes" cbor:"bytes"`       // of the stream, each once
	WireBytes       int64 `parquet:"wire_bytes" cbor:"wire_bytes"`
	Retransmissions int64 `parquet:"retransmissions" cbor:"retransmissions"`
	Timeouts        int64 `parquet:"timeouts" cbor:"timeouts"` // retransmissions by timeout
	Fast            int64 `parquet:"fast" cbor:"fast"`         // after duplicate acknowledgements
	Spurious        int64 `parquet:"spurious" cbor:"spurious"` // the first copy had arrived
	OutOfOrder      int64 `parquet:"out_of_order" cbor:"out_of_order"`
	DupACKs         int64 `parquet:"dup_acks" cbor:"dup_acks"`
	LostOnWire      int64 `parquet:"lost_on_wire" cbor:"lost_on_wire"` // bytes
	Missed          int64 `parquet:"missed" cbor:"missed"`             // bytes acknowledged but not captured
	KeepAlives      int64 `parquet:"keep_alives" cbor:"keep_alives"`
	PAWS            int64 `parquet:"paws" cbor:"paws"` // segments whose timestamp went back

	RetransmitWait time.Duration `parquet:"retransmit_wait" cbor:"retransmit_wait"` // the connection waited for copies of this side's bytes, each moment once; 0 in recordings of older versions

	ZeroWindows    int64         `parquet:"zero_windows" cbor:"zero_windows"` // episodes in which this side had closed its window
	ZeroWindowTime time.Duration `parquet:"zero_window_time" cbor:"zero_window_time"`
	WindowLimited  time.Duration `parquet:"window_limited" cbor:"window_limited"` // this side could not send, the other's window was full; Unknown if the window scale was not seen
	AppLimited     time.Duration `parquet:"app_limited" cbor:"app_limited"`       // this side could have sent and did not
	DelayedACKs    int64         `parquet:"delayed_acks" cbor:"delayed_acks"`     // waits of this side's data for a delayed acknowledgement
	DelayedACKTime time.Duration `parquet:"delayed_ack_time" cbor:"delayed_ack_time"`

	MSS            int32         `parquet:"mss" cbor:"mss"` // announced; 0: not seen
	LargestSegment int64         `parquet:"largest_segment" cbor:"largest_segment"`
	TTL            int32         `parquet:"ttl" cbor:"ttl"`
	RTTs           int64         `parquet:"rtts" cbor:"rtts"` // samples of pure acknowledgements of this side's data
	RTTSum         time.Duration `parquet:"rtt_sum" cbor:"rtt_sum"`
	RTTMin         time.Duration `parquet:"rtt_min" cbor:"rtt_min"` // 0: no sample
	RTTMax         time.Duration `parquet:"rtt_max" cbor:"rtt_max"`
}

// PacketService is one service in one second: the transactions whose response
// ended in it, and the packets that were seen in it. Sums are over
// transactions whose times count.
type PacketService struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the beginning of the second
	Server      string        `parquet:"server,dict" cbor:"server"`
	ServerPort  int32         `parquet:"server_port" cbor:"server_port"`
	Proto       string        `parquet:"proto,dict" cbor:"proto"`
	Count       int64         `parquet:"count" cbor:"count"`
	Failed      int64         `parquet:"failed" cbor:"failed"`
	Approximate int64         `parquet:"approximate" cbor:"approximate"`
	Ambiguous   int64         `parquet:"ambiguous" cbor:"ambiguous"` // these five were left out
	Lossy       int64         `parquet:"lossy" cbor:"lossy"`
	Unanswered  int64         `parquet:"unanswered" cbor:"unanswered"`
	Unpaired    int64         `parquet:"unpaired" cbor:"unpaired"`
	Blocking    int64         `parquet:"blocking" cbor:"blocking"`       // the server waited because it was asked to (BRPOP of Redis); 0 in recordings of older versions, which count these
	TurnedAway  int64         `parquet:"turned_away" cbor:"turned_away"` // of failed: clients that the server refused before they asked for anything
	RTSum       time.Duration `parquet:"rt_sum" cbor:"rt_sum"`
	RTMin       time.Duration `parquet:"rt_min" cbor:"rt_min"`
	RTP50       time.Duration `parquet:"rt_p50" cbor:"rt_p50"`
	RTP95       time.Duration `parquet:"rt_p95" cbor:"rt_p95"`
	RTP99       time.Duration `parquet:"rt_p99" cbor:"rt_p99"`
	RTMax       time.Duration `parquet:"rt_max" cbor:"rt_max"`
	Upload      time.Duration `parquet:"upload" cbor:"upload"` // sums from here on
	Serve       time.Duration `parquet:"serve" cbor:"serve"`
	Download    time.Duration `parquet:"download" cbor:"download"`
	Idle        time.Duration `parquet:"idle" cbor:"idle"`
	Retransmit  time.Duration `parquet:"retransmit" cbor:"retransmit"`
	ZeroWindow  time.Duration `parquet:"zero_window" cbor:"zero_window"`
	DelayedACK  time.Duration `parquet:"delayed_ack" cbor:"delayed_ack"`

	RequestBytes    int64         `parquet:"request_bytes" cbor:"request_bytes"`
	ResponseBytes   int64         `parquet:"response_bytes" cbor:"response_bytes"`
	Handshakes      int64         `parquet:"handshakes" cbor:"handshakes"` // complete ones without lost copies
	ServerRTT       time.Duration `parquet:"server_rtt" cbor:"server_rtt"` // sum over them
	ClientRTT       time.Duration `parquet:"client_rtt" cbor:"client_rtt"` // sum over them
	Retransmissions int64         `parquet:"retransmissions" cbor:"retransmissions"`
}

// PacketHistogram is one bucket of the times of a service over the whole
// capture.
type PacketHistogram struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first packet of the capture
	Server     string        `parquet:"server,dict" cbor:"server"`
	ServerPort int32         `parquet:"server_port" cbor:"server_port"`
	Proto      string        `parquet:"proto,dict" cbor:"proto"`
	Phase      string        `parquet:"phase,dict" cbor:"phase"` // rt, or idle: how long the client had its answer and asked nothing; requests sent ahead of that answer have none
	From       time.Duration `parquet:"from" cbor:"from"`
	To         time.Duration `parquet:"to" cbor:"to"` // exclusive
	Count      int64         `parquet:"count" cbor:"count"`
}

// PacketStatement is one statement, literals removed, over the whole capture.
type PacketStatement struct {
	At            time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // first seen
	Server        string        `parquet:"server,dict" cbor:"server"`
	ServerPort    int32         `parquet:"server_port" cbor:"server_port"`
	Proto         string        `parquet:"proto,dict" cbor:"proto"`
	Command       string        `parquet:"command,dict" cbor:"command"`
	Fingerprint   string        `parquet:"fingerprint" cbor:"fingerprint"`
	Count         int64         `parquet:"count" cbor:"count"`
	Failed        int64         `parquet:"failed" cbor:"failed"`
	Blocking      int64         `parquet:"blocking" cbor:"blocking"` // beside count: the server waited because it was asked to
	Blocked       time.Duration `parquet:"blocked" cbor:"blocked"`   // sum of their response times; no other time of this row is theirs
	Code          string        `parquet:"code,dict" cbor:"code"`    // of the most frequent error
	Error         string        `parquet:"error" cbor:"error"`       // text of its first one, literals removed
	Clients       int64         `parquet:"clients" cbor:"clients"`   // addresses that sent it
	RTSum         time.Duration `parquet:"rt_sum" cbor:"rt_sum"`
	RTP10         time.Duration `parquet:"rt_p10" cbor:"rt_p10"` // how fast it can be
	RTP50         time.Duration `parquet:"rt_p50" cbor:"rt_p50"`
	RTP95         time.Duration `parquet:"rt_p95" cbor:"rt_p95"`
	RTP99         time.Duration `parquet:"rt_p99" cbor:"rt_p99"`
	RTMax         time.Duration `parquet:"rt_max" cbor:"rt_max"`
	Download      time.Duration `parquet:"download" cbor:"download"`
	IdleBefore    time.Duration `parquet:"idle_before" cbor:"idle_before"` // sum: how long the client waited before sending it
	IdleP50       time.Duration `parquet:"idle_p50" cbor:"idle_p50"`       // of COMMIT, where it was not sent ahead of the answer before; Unknown for others
	IdleP95       time.Duration `parquet:"idle_p95" cbor:"idle_p95"`       // the same
	Runs          int64         `parquet:"runs" cbor:"runs"`               // times a connection sent it at least 20 times in a row, with something else before and after
	RunCount      int64         `parquet:"run_count" cbor:"run_count"`     // how often it was sent in those
	RunMost       int64         `parquet:"run_most" cbor:"run_most"`       // in the longest one
	RunTime       time.Duration `parquet:"run_time" cbor:"run_time"`       // how long those took
	RunWaited     time.Duration `parquet:"run_waited" cbor:"run_waited"`   // of that, the client waited for answers
	Rows          int64         `parquet:"rows" cbor:"rows"`
	RequestBytes  int64         `parquet:"request_bytes" cbor:"request_bytes"`
	ResponseBytes int64         `parquet:"response_bytes" cbor:"response_bytes"`
}

// PacketError is one kind of error that one statement was answered by, over the
// whole capture. Of a statement, 16 kinds are told apart; the rest is counted
// together.
type PacketError struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first request that was answered so
	Server      string        `parquet:"server,dict" cbor:"server"`
	ServerPort  int32         `parquet:"server_port" cbor:"server_port"`
	Proto       string        `parquet:"proto,dict" cbor:"proto"`
	Command     string        `parquet:"command,dict" cbor:"command"` // command and fingerprint are those of the PacketStatement
	Fingerprint string        `parquet:"fingerprint" cbor:"fingerprint"`
	Code        string        `parquet:"code,dict" cbor:"code"`      // "" without one
	Others      bool          `parquet:"others" cbor:"others"`       // the rest, of codes that were not told apart
	CutShort    bool          `parquet:"cut_short" cbor:"cut_short"` // the connection ended within the answer
	Error       string        `parquet:"error" cbor:"error"`         // text of the first one, literals removed
	Count       int64         `parquet:"count" cbor:"count"`
	Met         int64         `parquet:"met" cbor:"met"`       // of count, challenges for credentials that the client's next request brought, successfully; 0 in recordings of older versions
	Timed       int64         `parquet:"timed" cbor:"timed"`   // of count, those whose times count
	RTSum       time.Duration `parquet:"rt_sum" cbor:"rt_sum"` // of those
}

// PacketTransaction is one request with its answer. A verdict's recording has
// the slowest ones, some that failed, some queries of DNS without an answer, and
// those in the middle of which a connection was closed; `rtrail packets
// --parquet` writes all.
type PacketTransaction struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first request packet, or that of the answer if the request was not captured
	Connection  int64         `parquet:"connection" cbor:"connection"`
	Client      string        `parquet:"client,dict" cbor:"client"`
	ClientPort  int32         `parquet:"client_port" cbor:"client_port"`
	Server      string        `parquet:"server,dict" cbor:"server"`
	ServerPort  int32         `parquet:"server_port" cbor:"server_port"`
	Proto       string        `parquet:"proto,dict" cbor:"proto"`
	Command     string        `parquet:"command,dict" cbor:"command"`
	Fingerprint string        `parquet:"fingerprint,dict" cbor:"fingerprint"`
	Status      string        `parquet:"status,dict" cbor:"status"`
	Doubt       string        `parquet:"doubt,dict" cbor:"doubt"` // approximate, ambiguous, lossy, resync, blocking; joined by ','
	Failed      bool          `parquet:"failed" cbor:"failed"`
	Code        string        `parquet:"code,dict" cbor:"code"`
	Error       string        `parquet:"error" cbor:"error"`
	Rows        int64         `parquet:"rows" cbor:"rows"`
	Depth       int32         `parquet:"depth" cbor:"depth"`             // requests under way when it was sent, itself included; Unknown if it was not captured
	RT          time.Duration `parquet:"rt" cbor:"rt"`                   // first copy of the last request packet to the first response packet; Unknown without an answer
	Upload      time.Duration `parquet:"upload" cbor:"upload"`           // first to last request packet, first copies; Unknown if the request was not captured
	Serve       time.Duration `parquet:"serve" cbor:"serve"`             // last copy of the last request packet to the first response packet; Unknown without an answer
	Download    time.Duration `parquet:"download" cbor:"download"`       // first to last response packet; Unknown without an answer
	Ack         time.Duration `parquet:"ack" cbor:"ack"`                 // last response packet to the acknowledgement that covers it; Unknown if that was not seen
	Idle        time.Duration `parquet:"idle" cbor:"idle"`               // end of the answer before, on the same connection, to the request; Unknown for the first one
	Retransmit  time.Duration `parquet:"retransmit" cbor:"retransmit"`   // between the first request and the last response packet: waited for retransmissions; 0 without an answer
	ZeroWindow  time.Duration `parquet:"zero_window" cbor:"zero_window"` // the same: waited for a closed window
	DelayedACK  time.Duration `parquet:"delayed_ack" cbor:"delayed_ack"` // the same: waited for a delayed acknowledgement

	RequestBytes  int64 `parquet:"request_bytes" cbor:"request_bytes"` // Unknown if the request was not captured
	ResponseBytes int64 `parquet:"response_bytes" cbor:"response_bytes"`
	FirstFrame    int64 `parquet:"first_frame" cbor:"first_frame"` // of the request; Unknown if it was not captured
	LastFrame     int64 `parquet:"last_frame" cbor:"last_frame"`   // of the response, or of the request without one
}

// PacketNesting says how the requests a host answers and the requests it sends
// meanwhile to others belong together. Only requests during which no other one
// was being answered by the same host count: then nothing is guessed.
type PacketNesting struct {
	At         time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // the first packet of the capture
	Host       string        `parquet:"host,dict" cbor:"host"`              // who answers and asks
	Port       int32         `parquet:"port" cbor:"port"`                   // where it answers
	Callee     string        `parquet:"callee,dict" cbor:"callee"`          // whom it asks; "" for several addresses with one port
	CalleePort int32         `parquet:"callee_port" cbor:"callee_port"`
	Requests   int64         `parquet:"requests" cbor:"requests"` // answered, one at a time
	Calls      int64         `parquet:"calls" cbor:"calls"`       // sent meanwhile
	Most       int64         `parquet:"most" cbor:"most"`         // calls that were under way at the same time, at most
	RTSum      time.Duration `parquet:"rt_sum" cbor:"rt_sum"`     // of the requests, answer included
	RTP50      time.Duration `parquet:"rt_p50" cbor:"rt_p50"`
	Covered    time.Duration `parquet:"covered" cbor:"covered"` // how much of RTSum at least one call was under way
	CallP50    time.Duration `parquet:"call_p50" cbor:"call_p50"`
	CallP99    time.Duration `parquet:"call_p99" cbor:"call_p99"`
	CallMax    time.Duration `parquet:"call_max" cbor:"call_max"`
	CallSum    time.Duration `parquet:"call_sum" cbor:"call_sum"`
	Slow       int64         `parquet:"slow" cbor:"slow"`         // calls of at least five times their median, and 10 ms more than it
	SlowSum    time.Duration `parquet:"slow_sum" cbor:"slow_sum"` // how long those took
	Struck     int64         `parquet:"struck" cbor:"struck"`     // requests with at least one of those
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

func (r PacketCapture) Time() time.Time     { return r.At }
func (r PacketConnection) Time() time.Time  { return r.At }
func (r PacketSide) Time() time.Time        { return r.At }
func (r PacketService) Time() time.Time     { return r.At }
func (r PacketHistogram) Time() time.Time   { return r.At }
func (r PacketStatement) Time() time.Time   { return r.At }
func (r PacketError) Time() time.Time       { return r.At }
func (r PacketTransaction) Time() time.Time { return r.At }
func (r PacketNesting) Time() time.Time     { return r.At }
