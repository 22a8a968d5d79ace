package buffers

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// key is struct key of bpf/buffers.c.
type key struct {
	Inode    uint64
	Ends     event.Endpoints
	PID      uint32
	Kind     uint8
	_        uint8
	Protocol uint16
	_        uint32
}

// sum is struct sum of bpf/buffers.c.
type sum struct {
	Times, Bytes, Started       uint64
	Buffer, Largest, Limit, Set uint32
	Process                     [16]byte
}

// kinds are those of enum kind of bpf/buffers.c.
var kinds = []string{recording.BufferFull, recording.BufferNoMemory, recording.BufferZeroWindow, recording.BufferPruned,
	recording.BufferGrew, recording.BufferAtLimit, recording.BufferFixed}

// protocol is a word for what the socket speaks.
func (k *key) protocol() string {
	if f := k.Ends.Family; f != 0 && f != unix.AF_INET && f != unix.AF_INET6 {
		return fmt.Sprintf("family-%d", f)
	}
	return event.Protocol(uint32(k.Protocol))
}

// rows makes rows of sums, those that happened most often first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.ReceiveBuffer {
	rows := make([]recording.ReceiveBuffer, 0, len(keys))
	for i := range keys {
		k, v := &keys[i], &sums[i]
		if int(k.Kind) >= len(kinds) {
			continue
		}
		e := &k.Ends
		row := recording.ReceiveBuffer{At: now, Span: of.Span, Traced: of.Part, Kind: kinds[k.Kind], NetNS: uint64(e.NetNS), Protocol: k.protocol(),
			Local: e.Local(), LocalPort: e.LocalPort, Remote: e.Remote(), RemotePort: e.RemotePort, Inode: k.Inode,
			Times: int64(v.Times), Bytes: int64(v.Bytes), Buffer: int64(v.Buffer), Largest: int64(v.Largest), Limit: int64(v.Limit), Set: v.Set != 0}
		if k.PID != 0 {
			row.PID, row.Started, row.Process = int32(k.PID), s.clock.Started(time.Duration(v.Started)), event.Text(&v.Process)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b recording.ReceiveBuffer) int {
		return cmp.Or(cmp.Compare(b.Times, a.Times), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Protocol, b.Protocol), cmp.Compare(a.NetNS, b.NetNS), cmp.Compare(a.Local, b.Local),
			cmp.Compare(a.LocalPort, b.LocalPort), cmp.Compare(a.Remote, b.Remote), cmp.Compare(a.RemotePort, b.RemotePort), cmp.Compare(a.PID, b.PID), cmp.Compare(a.Inode, b.Inode))
	})
	return rows
}
