package recording

import "time"

// PacketUnanswered is the requests of one statement to one service that waited
// for the server when the interval or the capture ended, over all connections: complete, arrived, on
// connections that were up. Those that had waited about as long are one row: from
// Over on, but less than twice as long. The oldest request of each connection counts.
type PacketUnanswered struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`       // since when the one waited that waited longest
	Interval    time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Server      string        `parquet:"server,dict"`
	ServerPort  int32         `parquet:"server_port"`
	Proto       string        `parquet:"proto,dict"`   // of generic and tls it is not known whether there is an answer to come
	Command     string        `parquet:"command,dict"` // command and fingerprint are those of the PacketStatement
	Fingerprint string        `parquet:"fingerprint"`  //
	Over        time.Duration `parquet:"over_ns"`      // each has waited so long at least; 0: less than a millisecond
	Count       int64         `parquet:"count"`        // connections
	Within      int64         `parquet:"within"`       // of them: a part of the answer has come, and they wait for the rest
	Waited      time.Duration `parquet:"waited_ns"`    // sum, until then
	Longest     time.Duration `parquet:"longest_ns"`   // the longest wait
	Client      string        `parquet:"client,dict"`  // who waited longest
	ClientPort  int32         `parquet:"client_port"`  // and from which port
}

// Table says where the row belongs.
func (PacketUnanswered) Table() Table { return PacketsUnanswered }
