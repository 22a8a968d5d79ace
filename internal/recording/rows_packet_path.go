package recording

import "time"

// PacketPath is what became of the packets of one side of a connection between
// their sender and the capture, and behind it. It belongs to the
// PacketConnection with the same id.
type PacketPath struct {
	At           time.Time     `parquet:"at,timestamp(nanosecond)"`                  // the first packet of the connection
	Interval     time.Time     `parquet:"interval,timestamp(nanosecond)"`            // as in PacketCapture
	Connection   int64         `parquet:"connection" over:"key"`                     // its id
	Sender       string        `parquet:"sender,dict" over:"key"`                    // client or server
	Upstream     int64         `parquet:"upstream"`                                  // copies of segments that were lost between their sender and the capture
	Downstream   int64         `parquet:"downstream"`                                // needed copies of segments that had come to the capture and were lost, or their acknowledgement was, behind it
	StuckSize    int64         `parquet:"stuck_size_bytes" over:"most,stuck_copies"` // payload of the segment that was repeated most often without an acknowledgement in between, bytes
	StuckCopies  int64         `parquet:"stuck_copies" over:"max"`                   // how often that was
	SmallUnheard int64         `parquet:"small_unheard" over:"most,stuck_copies"`    // segments of 536 bytes and less that were sent meanwhile, and before it came once more, without any packet in return
	LargestAcked int64         `parquet:"largest_acked_bytes" over:"max"`            // payload of the largest segment that was acknowledged, bytes
	FirstTS      int64         `parquet:"first_ts" over:"first"`                     // first timestamp of the sender, RFC 7323; 0: none
	LastTS       int64         `parquet:"last_ts" over:"last"`                       // its last one
	Queued       time.Duration `parquet:"queued_ns"`                                 // sum over clocked packets: how much older they were than the youngest ones, by the sender's timestamps
	QueuedMax    time.Duration `parquet:"queued_max_ns" over:"max"`
	Clocked      int64         `parquet:"clocked"`                      // packets with data whose age could be told
	TooBig       int64         `parquet:"too_big"`                      // ICMP messages that said that packets of this side do not fit
	MTU          int64         `parquet:"mtu_bytes" over:"min,too_big"` // the smallest one that they told, bytes; 0: none
}

// PacketRate is what one host sent to another one in one second.
type PacketRate struct {
	At             time.Time     `parquet:"at,timestamp(nanosecond)" over:"key"` // the beginning of the second
	Interval       time.Time     `parquet:"interval,timestamp(nanosecond)"`      // as in PacketCapture
	From           string        `parquet:"from,dict" over:"key"`
	To             string        `parquet:"to,dict" over:"key"`
	Packets        int64         `parquet:"packets"`
	Bytes          int64         `parquet:"bytes"`                      // on the wire
	BusiestPackets int64         `parquet:"busiest_packets" over:"max"` // in the tenth of the second with most
	BusiestBytes   int64         `parquet:"busiest_bytes" over:"max"`   // the same
	Resent         int64         `parquet:"resent"`                     // segments that were copies, or came late because they were lost once
	Queued         time.Duration `parquet:"queued_ns"`                  // as in PacketPath
	QueuedMax      time.Duration `parquet:"queued_max_ns" over:"max"`
	Clocked        int64         `parquet:"clocked"`
}

func (PacketPath) Table() Table { return PacketPaths }
func (PacketRate) Table() Table { return PacketRates }
