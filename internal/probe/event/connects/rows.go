package connects

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// steps is how many a histogram of bpf/connects.c has.
const steps = 26

// key is struct key of bpf/connects.c.
type key struct {
	Ends   event.Endpoints
	PID    uint32
	Result int32
}

// sum is struct sum of bpf/connects.c.
type sum struct {
	Connects, NS, Longest, Started uint64
	Process                        [16]byte
	Steps                          [steps]uint32
}

// told is struct event of bpf/connects.c.
type told struct {
	At, NS, Started uint64
	Ends            event.Endpoints
	PID             uint32
	Result          int32
	Process         [16]byte
	_               uint32
}

// Results of bpf/connects.c that are no numbers of errno.
const (
	abandoned = -1
	notSent   = -2
	accepted  = -3
)

// rows makes rows of sums, those with most time first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.Connect {
	rows := make([]recording.Connect, 0, len(keys))
	for i := range keys {
		v := &sums[i]
		row := s.connect(&keys[i].Ends, keys[i].PID, keys[i].Result, v.Started, &v.Process)
		row.At, row.Span, row.Traced = now, of.Span, of.Part
		row.Connects, row.Time, row.Longest, row.Histogram = int64(v.Connects), time.Duration(v.NS), time.Duration(v.Longest), event.Histogram(v.Steps[:])
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b recording.Connect) int {
		return cmp.Or(cmp.Compare(b.Time, a.Time), cmp.Compare(b.Connects, a.Connects), cmp.Compare(a.PID, b.PID), cmp.Compare(a.NetNS, b.NetNS), cmp.Compare(a.Remote, b.Remote),
			cmp.Compare(a.RemotePort, b.RemotePort), cmp.Compare(a.Local, b.Local), cmp.Compare(a.LocalPort, b.LocalPort), cmp.Compare(a.Result, b.Result))
	})
	return rows
}

// row makes a row of an event.
func (s *Source) row(b []byte) (row recording.Connect, ok bool) {
	var t told
	if binary.Read(bytes.NewReader(b), binary.NativeEndian, &t) != nil {
		return row, false
	}
	row = s.connect(&t.Ends, t.PID, t.Result, t.Started, &t.Process)
	took := time.Duration(max(int64(t.NS), 0))
	row.At, row.Connects, row.Time, row.Longest = s.clock.Monotonic.Add(time.Duration(max(int64(t.At), 0))), 1, took, took
	return row, true
}

func (s *Source) connect(e *event.Endpoints, pid uint32, result int32, started uint64, process *[16]byte) recording.Connect {
	row := recording.Connect{NetNS: uint64(e.NetNS), Local: e.Local(), LocalPort: e.LocalPort, Remote: e.Remote(), RemotePort: e.RemotePort,
		PID: int32(pid), Process: event.Text(process), Result: resultName(result)}
	switch {
	case result == accepted:
		row.Remote = ""
	case e.LocalPort == 0:
		row.Local = "" // not kept, or never chosen
	}
	if started > 0 {
		row.Started = s.clock.Started(time.Duration(started))
	}
	return row
}

func resultName(result int32) string {
	switch {
	case result == 0:
		return recording.ConnectOK
	case result == abandoned:
		return recording.ConnectAbandoned
	case result == notSent:
		return recording.ConnectNotSent
	case result == accepted:
		return recording.ConnectAccepted
	}
	if name := unix.ErrnoName(unix.Errno(result)); name != "" && result > 0 {
		return name
	}
	return fmt.Sprintf("error %d", result)
}
