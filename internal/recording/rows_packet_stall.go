package recording

import "time"

// PacketStall is the times in which a service gave no answer for 5 ms and more
// while requests waited, on several connections, that it usually answers ten times as
// fast. The row without a command sums all of them up; the others are those of them
// that ended with the answer to one kind of request and to no other slow one.
// Of a long capture the beginning is looked at.
type PacketStall struct {
	At          time.Time     `parquet:"at,timestamp(nanosecond)"`       // the first packet of the capture
	Interval    time.Time     `parquet:"interval,timestamp(nanosecond)"` // as in PacketCapture
	Server      string        `parquet:"server,dict" over:"key"`
	ServerPort  int32         `parquet:"server_port" over:"key"`
	Proto       string        `parquet:"proto,dict" over:"key"`
	Command     string        `parquet:"command,dict" over:"key"`      // command and fingerprint are those of the PacketStatement with whose answer they ended; "" for all
	Fingerprint string        `parquet:"fingerprint" over:"key"`       //
	Count       int64         `parquet:"count"`                        // such times
	Lasted      time.Duration `parquet:"lasted_ns"`                    // sum of them
	P50         time.Duration `parquet:"p50_ns" over:"p50,count"`      // how long half of them lasted at most
	Seconds     int64         `parquet:"seconds"`                      // seconds of the clock in which one ended
	Waiters     int64         `parquet:"waiters"`                      // requests that waited; those of several such times count as often
	Waited      time.Duration `parquet:"waited_ns"`                    // sum, within these times
	Usual       time.Duration `parquet:"usual_ns" over:"most,waiters"` // a tenth of the answers to what waited most often takes this or less, at other times
	Waiting     string        `parquet:"waiting" over:"most,waiters"`  // what that is: a statement, or a command; "" where it is not decoded
	Executions  int64         `parquet:"executions"`                   // of the command: all that took 5 ms and more
	Answered    int64         `parquet:"answered"`                     // of them, those within whose last 5 ms another connection was answered
	Requests    int64         `parquet:"requests"`                     // of the service that were looked at
	RTSum       time.Duration `parquet:"rt_sum_ns"`                    // sum of their response times
	Connections int64         `parquet:"connections" over:"max"`       // that waited at the same time, at most
}

// Table says where the row belongs.
func (PacketStall) Table() Table { return PacketStalls }
