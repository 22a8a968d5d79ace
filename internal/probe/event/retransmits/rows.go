package retransmits

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// key is struct key of bpf/retransmits.c.
type key struct {
	Ends         event.Endpoints
	Kind, Reason uint32
}

// sum is struct sum of bpf/retransmits.c.
type sum struct{ Packets, Bytes, Failed, Inode uint64 }

// kinds are those of enum kind of bpf/retransmits.c.
var kinds = []string{recording.TCPSegment, recording.TCPSyn, recording.TCPSynAck, recording.TCPResetSent, recording.TCPResetReceived}

// rows makes rows of sums, those with most packets first.
func (s *Source) rows(keys []key, sums []sum, now time.Time, of event.Traced) []recording.TCPEvent {
	rows := make([]recording.TCPEvent, 0, len(keys))
	for i := range keys {
		k, v := &keys[i], &sums[i]
		if k.Kind >= uint32(len(kinds)) {
			continue
		}
		e := &k.Ends
		row := recording.TCPEvent{At: now, Span: of.Span, Traced: of.Part, Kind: kinds[k.Kind], NetNS: uint64(e.NetNS), State: recording.TCPState(e.State),
			Local: e.Local(), LocalPort: e.LocalPort, Remote: e.Remote(), RemotePort: e.RemotePort, Inode: v.Inode,
			Packets: int64(v.Packets), Bytes: int64(v.Bytes), Failed: int64(v.Failed)}
		if row.Kind == recording.TCPResetSent {
			row.Reason = s.reason(k.Reason)
		}
		rows = append(rows, row)
	}
	slices.SortFunc(rows, func(a, b recording.TCPEvent) int {
		return cmp.Or(cmp.Compare(b.Packets, a.Packets), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.NetNS, b.NetNS), cmp.Compare(a.Local, b.Local), cmp.Compare(a.LocalPort, b.LocalPort),
			cmp.Compare(a.Remote, b.Remote), cmp.Compare(a.RemotePort, b.RemotePort), cmp.Compare(a.State, b.State), cmp.Compare(a.Reason, b.Reason))
	})
	return rows
}

// reason is the kernel's word for why it sent a reset; "" from kernels that tell none.
func (s *Source) reason(value uint32) string {
	if word := s.set.Word(reasons, uint64(value)); word != "" {
		return strings.TrimPrefix(word, "SK_RST_REASON_")
	}
	if value == 0 {
		return ""
	}
	return fmt.Sprintf("reason %d", value)
}
