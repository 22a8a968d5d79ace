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
	At           time.Time     `parquet:"at,timestamp(nanosecond)"`   // first transaction
	Last         time.Time     `parquet:"last,timestamp(nanosecond)"` // last transaction
	Server       string        `parquet:"server,dict"`                // as its clients address it
	ServerPort   int32         `parquet:"server_port"`
	Backend      string        `parquet:"backend,dict"` // as the server's capture has it; another address behind NAT or a load balancer
	BackendPort  int32         `parquet:"backend_port"`
	Proto        string        `parquet:"proto,dict"`
	Connections  int64         `parquet:"connections"` // with transactions, seen by both captures
	Count        int64         `parquet:"count"`       // transactions that were split
	Approximate  int64         `parquet:"approximate"` // of them, those whose boundaries were inferred
	Excluded     int64         `parquet:"excluded"`    // seen by one capture only, or in doubt in one of them
	Clamped      int64         `parquet:"clamped"`     // of count, those of which one way came out negative, within the uncertainty, and was set to 0
	RTSum        time.Duration `parquet:"rt_sum_ns"`   // at the client: last request packet to first response packet
	RTP50        time.Duration `parquet:"rt_p50_ns"`
	RTP95        time.Duration `parquet:"rt_p95_ns"`
	RTP99        time.Duration `parquet:"rt_p99_ns"`
	Idle         time.Duration `parquet:"idle_ns"`         // sum: the client had its answer and asked nothing
	Upload       time.Duration `parquet:"upload_ns"`       // sum: first to last request packet, at the client
	ResentThere  time.Duration `parquet:"resent_there_ns"` // sum: until the copy of the last request packet was sent that arrived
	PathThere    time.Duration `parquet:"path_there_ns"`   // sum: the last request packet's way to the server
	Serve        time.Duration `parquet:"serve_ns"`        // sum: last request packet to first response packet, at the server
	ResentBack   time.Duration `parquet:"resent_back_ns"`  // sum: until the copy of the first response packet was sent that arrived
	PathBack     time.Duration `parquet:"path_back_ns"`    // sum: the first response packet's way to the client
	Download     time.Duration `parquet:"download_ns"`     // sum: first to last response packet, at the client
	Sending      time.Duration `parquet:"sending_ns"`      // sum: first to last response packet, at the server
	PathThereP50 time.Duration `parquet:"path_there_p50_ns"`
	PathThereP95 time.Duration `parquet:"path_there_p95_ns"`
	PathThereP99 time.Duration `parquet:"path_there_p99_ns"`
	ServeP50     time.Duration `parquet:"serve_p50_ns"`
	ServeP95     time.Duration `parquet:"serve_p95_ns"`
	ServeP99     time.Duration `parquet:"serve_p99_ns"`
	PathBackP50  time.Duration `parquet:"path_back_p50_ns"`
	PathBackP95  time.Duration `parquet:"path_back_p95_ns"`
	PathBackP99  time.Duration `parquet:"path_back_p99_ns"`

	SegmentsThere int64 `parquet:"segments_there"` // packets with data that left the client, copies included
	SegmentsBack  int64 `parquet:"segments_back"`  // the same of the server
	LostThere     int64 `parquet:"lost_there"`     // copies that left the client because one did not reach the server's capture
	LostBack      int64 `parquet:"lost_back"`      // the same from the server to the client's capture

	Offset      time.Duration `parquet:"offset_ns"`      // clock of the server's capture minus that of the client's, in the middle of the time both cover
	Uncertainty time.Duration `parquet:"uncertainty_ns"` // of the offset: path_there of one transaction may be too long by so much, and path_back too short, or the reverse; their sum is exact
	DriftPPM    float64       `parquet:"drift_ppm"`      // how many millionths the server's clock runs fast
	RoundTrip   time.Duration `parquet:"round_trip_ns"`  // the shortest way there and the shortest way back, together
	Unmatched   int64         `parquet:"unmatched"`      // connections of the client's capture to this service that the server's lacks
}

// PacketPairTransaction is one of the slowest transactions of two captures, with
// its time split as in PacketPair.
type PacketPairTransaction struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"` // first request packet at the client
	Connection  int64         `parquet:"connection"`               // its id in the client's capture
	Client      string        `parquet:"client,dict"`
	ClientPort  int32         `parquet:"client_port"`
	Server      string        `parquet:"server,dict"`
	ServerPort  int32         `parquet:"server_port"`
	Backend     string        `parquet:"backend,dict"`
	BackendPort int32         `parquet:"backend_port"`
	Proto       string        `parquet:"proto,dict"`
	Command     string        `parquet:"command,dict"`
	Fingerprint string        `parquet:"fingerprint,dict"`
	Failed      bool          `parquet:"failed"`
	RT          time.Duration `parquet:"rt_ns"`   // at the client
	Idle        time.Duration `parquet:"idle_ns"` // Unknown for the first one of a connection
	Upload      time.Duration `parquet:"upload_ns"`
	ResentThere time.Duration `parquet:"resent_there_ns"`
	PathThere   time.Duration `parquet:"path_there_ns"`
	Serve       time.Duration `parquet:"serve_ns"`
	ResentBack  time.Duration `parquet:"resent_back_ns"`
	PathBack    time.Duration `parquet:"path_back_ns"`
	Download    time.Duration `parquet:"download_ns"`
	Sending     time.Duration `parquet:"sending_ns"`     // first to last response packet, at the server
	Uncertainty time.Duration `parquet:"uncertainty_ns"` // of path_there and path_back
	Frame       int64         `parquet:"frame"`          // first request packet in the client's capture
	ServerFrame int64         `parquet:"server_frame"`   // the same packet in the server's capture
}

func (PacketPair) Table() Table            { return PacketPairs }
func (PacketPairTransaction) Table() Table { return PacketPairTransactions }
