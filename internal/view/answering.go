package view

import (
	"maps"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Answering is what the clients of a process asked over TCP, and what they got.
type Answering struct {
	Requests float64 // per second, at most: see requestBytes
	Sent     float64 // bytes per second
	Open     float64 // requests at the process, mean: data arrived, and nothing was sent since
}

// requestBytes is how long a request is at least. One that is longer, or comes in
// several segments, counts as several, so that requests are an upper bound, also where
// a segment carries many of them.
const requestBytes = 64

// AnsweringOf adds up the connections that others made to a process.
func (v *View) AnsweringOf(p Process) Answering {
	return Memo(v, "answering", v.answering)[p.PID]
}

func (v *View) answering() map[int32]Answering {
	sums := map[int32]Answering{}
	for _, c := range v.Connections() {
		if c.State != recording.TCPEstablished && c.State != recording.TCPCloseWait || v.asks(c) {
			continue
		}
		owners := v.SocketOwners(c.Inode)
		if len(owners) == 0 {
			continue
		}
		received := grown(c, func(s *recording.TCPSample) uint64 { return s.BytesReceived })
		a := Answering{
			Requests: max(c.DataSegmentsIn(), received/requestBytes) / v.Seconds(),
			Sent:     c.BytesSent() / v.Seconds(),
			Open:     c.open(),
		}
		// Who holds it beside others is a worker of the same server.
		was := sums[owners[0].PID]
		sums[owners[0].PID] = Answering{was.Requests + a.Requests, was.Sent + a.Sent, was.Open + a.Open}
	}
	return sums
}

// open is the share of its readings at which a request was at its process.
func (c *Connection) open() float64 {
	n := 0
	for _, r := range c.Samples {
		if asked(r.Of()) {
			n++
		}
	}
	return float64(n) / float64(len(c.Samples))
}

// asked says that something had arrived since a connection sent last. One that never sent anything
// takes what it gets without an answer.
func asked(s *recording.TCPSample) bool {
	return s.Info && s.BytesSent > 0 && s.BytesReceived > 0 && s.LastReceive.After(s.LastSend)
}

// ServingDiskWaits is how many threads of a process waited for a disk, on average: at most as many
// as requests were at it at that moment, and those beside. The latter read for the process itself:
// a compaction, a check, a backup.
func (v *View) ServingDiskWaits(p Process) (serving, beside float64) {
	open := map[time.Time]float64{} // requests at a reading
	for _, c := range v.Connections() {
		if owners := v.SocketOwners(c.Inode); len(owners) == 0 || owners[0].PID != p.PID || v.asks(c) {
			continue
		}
		for _, r := range c.Samples {
			n := 0.0
			if asked(r.Of()) {
				n = 1
			}
			open[r.At()] += n
		}
	}
	readings := slices.SortedFunc(maps.Keys(open), time.Time.Compare)
	waits := map[time.Time]float64{} // threads at a reading of the process
	for _, t := range v.ThreadTimes() {
		if t.PID != p.PID {
			continue
		}
		for _, s := range t.Samples {
			n := 0.0
			if Classify(s) == WaitDisk {
				n = 1
			}
			waits[s.At] += n
		}
	}
	if len(readings) == 0 || len(waits) == 0 {
		return 0, 0
	}
	for at, threads := range waits {
		i, _ := slices.BinarySearchFunc(readings, at, time.Time.Compare)
		if i == len(readings) || i > 0 && at.Sub(readings[i-1]) < readings[i].Sub(at) {
			i-- // the nearest
		}
		requests := min(threads, open[readings[i]])
		serving += requests
		beside += threads - requests
	}
	return serving / float64(len(waits)), beside / float64(len(waits))
}
