package recording

import "time"

// The pair tables hold what two captures of the same connections say, one taken
// at the client's side and one at the server's. All times are on the clock of
// the client's capture.

// PacketPair is one service over two captures. Sums and percentiles are over the
// transactions that both captures saw whole. For each of them the parts add up:
// what its client waited, from the first request packet to the last response
// packet, is upload + resent_there + path_there + serve + resent_back +
// path_back + download.
type PacketPair struct {
	At           time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"`     // first transaction
	Last         time.Time     `parquet:"last,timestamp(nanosecond)" cbor:"last"` // last transaction
	Server       string        `parquet:"server,dict" cbor:"server"`              // as its clients address it
	ServerPort   int32         `parquet:"server_port" cbor:"server_port"`
	Backend      string        `parquet:"backend,dict" cbor:"backend"` // as the server's capture has it; another address behind NAT or a load balancer
	BackendPort  int32         `parquet:"backend_port" cbor:"backend_port"`
	Proto        string        `parquet:"proto,dict" cbor:"proto"`
	Connections  int64         `parquet:"connections" cbor:"connections"` // with transactions, seen by both captures
	Count        int64         `parquet:"count" cbor:"count"`             // transactions that were split
	Approximate  int64         `parquet:"approximate" cbor:"approximate"` // of them, those whose boundaries were inferred
	Excluded     int64         `parquet:"excluded" cbor:"excluded"`       // seen by one capture only, or in doubt in one of them
	Clamped      int64         `parquet:"clamped" cbor:"clamped"`         // of count, those of which one way came out negative, within the uncertainty, and was set to 0
	RTSum        time.Duration `parquet:"rt_sum" cbor:"rt_sum"`           // at the client: last request packet to first response packet
	RTP50        time.Duration `parquet:"rt_p50" cbor:"rt_p50"`
	RTP95        time.Duration `parquet:"rt_p95" cbor:"rt_p95"`
	RTP99        time.Duration `parquet:"rt_p99" cbor:"rt_p99"`
	Idle         time.Duration `parquet:"idle" cbor:"idle"`                 // sum: the client had its answer and asked nothing
	Upload       time.Duration `parquet:"upload" cbor:"upload"`             // sum: first to last request packet, at the client
	ResentThere  time.Duration `parquet:"resent_there" cbor:"resent_there"` // sum: until the copy of the last request packet was sent that arrived
	PathThere    time.Duration `parquet:"path_there" cbor:"path_there"`     // sum: the last request packet's way to the server
	Serve        time.Duration `parquet:"serve" cbor:"serve"`               // sum: last request packet to first response packet, at the server
	ResentBack   time.Duration `parquet:"resent_back" cbor:"resent_back"`   // sum: until the copy of the first response packet was sent that arrived
	PathBack     time.Duration `parquet:"path_back" cbor:"path_back"`       // sum: the first response packet's way to the client
	Download     time.Duration `parquet:"download" cbor:"download"`         // sum: first to last response packet, at the client
	Sending      time.Duration `parquet:"sending" cbor:"sending"`           // sum: first to last response packet, at the server
	PathThereP50 time.Duration `parquet:"path_there_p50" cbor:"path_there_p50"`
	PathThereP95 time.Duration `parquet:"path_there_p95" cbor:"path_there_p95"`
	PathThereP99 time.Duration `parquet:"path_there_p99" cbor:"path_there_p99"`
	ServeP50     time.Duration `parquet:"serve_p50" cbor:"serve_p50"`
	ServeP95     time.Duration `parquet:"serve_p95" cbor:"serve_p95"`
	ServeP99     time.Duration `parquet:"serve_p99" cbor:"serve_p99"`
	PathBackP50  time.Duration `parquet:"path_back_p50" cbor:"path_back_p50"`
	PathBackP95  time.Duration `parquet:"path_back_p95" cbor:"path_back_p95"`
	PathBackP99  time.Duration `parquet:"path_back_p99" cbor:"path_back_p99"`

	SegmentsThere int64 `parquet:"segments_there" cbor:"segments_there"` // packets with data that left the client, copies included
	SegmentsBack  int64 `parquet:"segments_back" cbor:"segments_back"`   // the same of the server
	LostThere     int64 `parquet:"lost_there" cbor:"lost_there"`         // copies that left the client because one did not reach the server's capture
	LostBack      int64 `parquet:"lost_back" cbor:"lost_back"`           // the same from the server to the client's capture

	Offset      time.Duration `parquet:"offset" cbor:"offset"`           // clock of the server's capture minus that of the client's, in the middle of the time both cover
	Uncertainty time.Duration `parquet:"uncertainty" cbor:"uncertainty"` // of the offset: path_there of one transaction may be too long by so much, and path_back too short, or the reverse; their sum is exact
	DriftPPM    float64       `parquet:"drift_ppm" cbor:"drift_ppm"`     // the server's clock runs so many millionths fast
	RoundTrip   time.Duration `parquet:"round_trip" cbor:"round_trip"`   // the shortest way there and the shortest way back, together
	Unmatched   int64         `parquet:"unmatched" cbor:"unmatched"`     // connections of the client's capture to this service that the server's lacks
}

// PacketPairTransaction is one of the slowest transactions of two captures, with
// its time split as in PacketPair.
type PacketPairTransaction struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // first request packet at the client
	Connection  int64         `parquet:"connection" cbor:"connection"`       // its id in the client's capture
	Client      string        `parquet:"client,dict" cbor:"client"`
	ClientPort  int32         `parquet:"client_port" cbor:"client_port"`
	Server      string        `parquet:"server,dict" cbor:"server"`
	ServerPort  int32         `parquet:"server_port" cbor:"server_port"`
	Backend     string        `parquet:"backend,dict" cbor:"backend"`
	BackendPort int32         `parquet:"backend_port" cbor:"backend_port"`
	Proto       string        `parquet:"proto,dict" cbor:"proto"`
	Command     string        `parquet:"command,dict" cbor:"command"`
	Fingerprint string        `parquet:"fingerprint,dict" cbor:"fingerprint"`
	Failed      bool          `parquet:"failed" cbor:"failed"`
	RT          time.Duration `parquet:"rt" cbor:"rt"`     // at the client
	Idle        time.Duration `parquet:"idle" cbor:"idle"` // Unknown for the first one of a connection
	Upload      time.Duration `parquet:"upload" cbor:"upload"`
	ResentThere time.Duration `parquet:"resent_there" cbor:"resent_there"`
	PathThere   time.Duration `parquet:"path_there" cbor:"path_there"`
	Serve       time.Duration `parquet:"serve" cbor:"serve"`
	ResentBack  time.Duration `parquet:"resent_back" cbor:"resent_back"`
	PathBack    time.Duration `parquet:"path_back" cbor:"path_back"`
	Download    time.Duration `parquet:"download" cbor:"download"`
	Sending     time.Duration `parquet:"sending" cbor:"sending"`           // first to last response packet, at the server
	Uncertainty time.Duration `parquet:"uncertainty" cbor:"uncertainty"`   // of path_there and path_back
	Frame       int64         `parquet:"frame" cbor:"frame"`               // first request packet in the client's capture
	ServerFrame int64         `parquet:"server_frame" cbor:"server_frame"` // the same packet in the server's capture
}

func (PacketPair) Table() Table            { return PacketPairs }
func (PacketPairTransaction) Table() Table { return PacketPairTransactions }

func (r PacketPair) Time() time.Time            { return r.At }
func (r PacketPairTransaction) Time() time.Time { return r.At }
