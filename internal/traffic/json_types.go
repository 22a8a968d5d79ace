package traffic

import (
	"encoding/json"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// The JSON forms of what is summed up. Names end in the unit.

type captureJSON struct {
	First       *string  `json:"first"`
	Last        *string  `json:"last"`
	Packets     uint64   `json:"packets"`
	Bytes       uint64   `json:"bytes"`
	Connections uint64   `json:"connections"`
	Received    *uint64  `json:"received_packets"`
	Dropped     *uint64  `json:"dropped_packets"`
	Missed      int64    `json:"missed_bytes"`
	OneWay      uint64   `json:"one_way_connections"`
	Midway      uint64   `json:"midway_connections"`
	Duplicates  uint64   `json:"duplicate_packets"`
	Unreadable  int64    `json:"unreadable_packets"`
	Doubts      []string `json:"doubts"`
}

func captureOf(r *engine.Report, s *summary.Summary) captureJSON {
	v := captureJSON{
		Packets: r.Packets, Bytes: r.Bytes, Connections: s.Seen, Missed: s.Missed, OneWay: s.OneWay, Midway: s.Midway,
		Duplicates: r.Duplicates, Unreadable: r.Unreadable(), Doubts: append([]string{}, Doubts(r, s)...),
	}
	if r.Packets > 0 {
		first, last := timeOf(r.First), timeOf(r.Last)
		v.First, v.Last = &first, &last
	}
	if r.Loss.Known {
		v.Dropped = &r.Loss.Dropped
		if r.Loss.Received > 0 {
			v.Received = &r.Loss.Received
		}
	}
	return v
}

type excludedJSON struct {
	Ambiguous  int64 `json:"ambiguous"`
	Lossy      int64 `json:"lossy"`
	Unanswered int64 `json:"unanswered"`
	Unpaired   int64 `json:"unpaired"`
	Blocking   int64 `json:"blocking"`
}

type rtJSON struct {
	Sum       int64  `json:"sum_ns"`
	Mean      *int64 `json:"mean_ns"`
	Min       *int64 `json:"min_ns"`
	P50       *int64 `json:"p50_ns"`
	P95       *int64 `json:"p95_ns"`
	P99       *int64 `json:"p99_ns"`
	Max       *int64 `json:"max_ns"`
	Deviation *int64 `json:"stddev_ns"`
}

// phasesJSON are sums over the requests that count.
type phasesJSON struct {
	Upload     int64 `json:"upload_ns"`
	Serve      int64 `json:"server_ns"`
	Download   int64 `json:"download_ns"`
	Idle       int64 `json:"idle_ns"`
	Retransmit int64 `json:"retransmit_ns"`
	ZeroWindow int64 `json:"zero_window_ns"`
	DelayedACK int64 `json:"delayed_ack_ns"`
}

type statsJSON struct {
	Count         int64        `json:"count"`
	Failed        int64        `json:"failed"`
	Approximate   int64        `json:"approximate"`
	NoAnswer      int64        `json:"no_answer_expected"`
	Excluded      excludedJSON `json:"excluded"`
	Blocked       int64        `json:"blocked_ns"` // sum of the response times of excluded.blocking
	RT            rtJSON       `json:"rt"`
	Phases        phasesJSON   `json:"phases"`
	RequestBytes  int64        `json:"request_bytes"`
	ResponseBytes int64        `json:"response_bytes"`
	Rows          int64        `json:"rows"`
	RowsUnknown   int64        `json:"rows_unknown"` // answers whose rows are not among them
}

func statsOf(s *rt.Stats) statsJSON {
	v := statsJSON{
		Count: s.Count, Failed: s.Failed, Approximate: s.Approximate, NoAnswer: s.NoAnswer,
		Excluded: excludedJSON{s.Ambiguous, s.Lossy, s.Unanswered, s.Unpaired, s.Blocking}, Blocked: int64(s.Blocked), RT: rtJSON{Sum: int64(s.RTSum)},
		Phases: phasesJSON{
			int64(s.Upload), int64(s.Serve), int64(s.Download), int64(s.Idle), int64(s.Retransmit), int64(s.ZeroWindow), int64(s.DelayedACK),
		},
		RequestBytes: s.RequestBytes, ResponseBytes: s.ResponseBytes, Rows: s.Rows, RowsUnknown: s.RowsUnknown,
	}
	if s.Count > 0 {
		v.RT.Mean, v.RT.Min, v.RT.Max, v.RT.Deviation = number(s.Mean()), number(s.RTMin), number(s.RTMax), number(s.Deviation())
		v.RT.P50, v.RT.P95, v.RT.P99 = number(s.Quantile(0.5)), number(s.Quantile(0.95)), number(s.Quantile(0.99))
	}
	return v
}

type secondJSON struct {
	At           string   `json:"at"`
	Seconds      float64  `json:"seconds"`
	Port         *uint16  `json:"port"`
	Proto        *string  `json:"proto"`
	QPS          *float64 `json:"qps"`
	HandshakeRTT *int64   `json:"handshake_rtt_ns"`
	statsJSON
	Handshakes      int64   `json:"handshakes"`
	Retransmissions int64   `json:"retransmissions"`
	Open            int64   `json:"open"`                      // requests without a whole answer at the end of the interval
	Oldest          *int64  `json:"oldest_ns"`                 // how long the oldest of them waits
	Dropped         *uint64 `json:"dropped_packets,omitempty"` // live captures
}

func secondOf(at int64, every time.Duration, cover *Cover, x *summary.Second) secondJSON {
	covered, enough := cover.Of(at, every)
	v := secondJSON{
		At: timeOf(at), Seconds: covered.Seconds(), Proto: orNull(x.Service.Proto), statsJSON: statsOf(&x.Stats),
		Handshakes: x.Handshakes, Retransmissions: x.Retransmissions,
	}
	if enough {
		qps := float64(x.Count) / covered.Seconds()
		v.QPS = &qps
	}
	if port := x.Service.Server.Port; port != 0 {
		v.Port = &port
	}
	if open := x.Waiting.In(at + int64(every)); open.Requests > 0 {
		v.Open, v.Oldest = open.Requests, number(open.Longest)
	}
	if x.Handshakes > 0 {
		v.HandshakeRTT = number(x.HandshakeRTT())
	}
	return v
}

type named struct {
	Client string `json:"client,omitempty"`
	Server string `json:"server,omitempty"`
	Port   uint16 `json:"port,omitempty"`
	Proto  string `json:"proto,omitempty"`
}

type totalJSON struct {
	of *summary.Total
	named
	statsJSON
	Connections     uint64       `json:"connections"`
	Handshakes      int64        `json:"handshakes"`
	HandshakeRTT    *int64       `json:"handshake_rtt_ns"`
	Retransmissions int64        `json:"retransmissions"`
	Refused         uint64       `json:"refused"`
	NoHandshake     uint64       `json:"never_answered"`
	Resets          uint64       `json:"resets"`
	Buckets         []bucketJSON `json:"buckets,omitempty"`
	Modes           []modeJSON   `json:"modes,omitempty"`
}

type bucketJSON struct {
	From  int64  `json:"from_ns"`
	To    int64  `json:"to_ns"`
	Count uint64 `json:"count"`
}

type modeJSON struct {
	At    int64   `json:"at_ns"`
	From  int64   `json:"from_ns"`
	To    int64   `json:"to_ns"`
	Count uint64  `json:"count"`
	Share float64 `json:"share"`
}

type statementJSON struct {
	Command     *string `json:"command"`
	Fingerprint *string `json:"fingerprint"`
	Proto       string  `json:"proto"`
	Port        uint16  `json:"port"`
	statsJSON
	First   string            `json:"first"`
	Clients int               `json:"clients"`
	Codes   map[string]uint64 `json:"codes,omitempty"`
	Error   *string           `json:"error"`
	Slowest json.RawMessage   `json:"slowest"`
}

type connectionJSON struct {
	ID         uint64     `json:"id"`
	Client     string     `json:"client"`
	Server     string     `json:"server"`
	Proto      *string    `json:"proto"`
	First      string     `json:"first"`
	Last       string     `json:"last"`
	Why        string     `json:"server_known_by"`
	Midway     bool       `json:"midway"`
	Refused    bool       `json:"refused"`
	Ending     string     `json:"ending"`
	ServerRTT  *int64     `json:"server_rtt_ns"`
	ClientRTT  *int64     `json:"client_rtt_ns"`
	ConnectNS  *int64     `json:"connect_ns"`
	Count      uint32     `json:"count"`
	Failed     uint32     `json:"failed"`
	Excluded   uint32     `json:"excluded"`
	SumNS      int64      `json:"rt_sum_ns"`
	MeanNS     *int64     `json:"rt_mean_ns"`
	MinNS      *int64     `json:"rt_min_ns"`
	MaxNS      *int64     `json:"rt_max_ns"`
	Closed     *closeJSON `json:"closed"`
	FromClient sideJSON   `json:"from_client"`
	FromServer sideJSON   `json:"from_server"`
}

type closeJSON struct {
	At          string  `json:"at"`
	Frame       uint64  `json:"frame"`
	By          string  `json:"by"`
	How         string  `json:"how"`
	During      *string `json:"during"`
	Outstanding int64   `json:"outstanding_bytes"`
}

type sideJSON struct {
	Packets         uint64  `json:"packets"`
	Bytes           int64   `json:"bytes"`
	Retransmissions uint32  `json:"retransmissions"`
	Timeouts        uint32  `json:"timeouts"`
	Fast            uint32  `json:"fast"`
	Spurious        uint32  `json:"spurious"`
	OutOfOrder      uint32  `json:"out_of_order"`
	DupACKs         uint32  `json:"dup_acks"`
	LostOnWire      int64   `json:"lost_on_wire_bytes"`
	Missed          int64   `json:"missed_bytes"`
	ZeroWindows     uint32  `json:"zero_windows"`
	ZeroWindowNS    int64   `json:"zero_window_ns"`
	WindowLimitedNS *int64  `json:"window_limited_ns"`
	DelayedACKs     uint32  `json:"delayed_acks"`
	DelayedACKNS    int64   `json:"delayed_ack_ns"`
	MSS             *uint16 `json:"mss"`
	LargestSegment  uint32  `json:"largest_segment"`
	RTTMeanNS       *int64  `json:"rtt_mean_ns"`
}

func number(d time.Duration) *int64 {
	n := int64(d)
	return &n
}

func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// timeOf is a moment as all JSON of a capture has it.
func timeOf(at int64) string {
	var j JSON
	return string(j.time(nil, at))
}
