package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Rows of one connection are one sum for each kind and state.
func TestSumTCPEvents(t *testing.T) {
	row := func(at int64, kind string, state recording.TCPState, packets int64) recording.TCPEvent {
		return recording.TCPEvent{At: time.Unix(at, 0), Span: time.Second, Kind: kind, State: state, Local: "10.0.0.1", LocalPort: 40000, Remote: "10.0.0.2", RemotePort: 80,
			Packets: packets, Bytes: 1448 * packets, Failed: 1, Inode: uint64(at)}
	}
	got := SumTCPEvents([]recording.TCPEvent{row(1, recording.TCPSegment, recording.TCPEstablished, 2), row(1, recording.TCPSyn, recording.TCPSynSent, 1),
		row(2, recording.TCPSegment, recording.TCPEstablished, 3), row(2, recording.TCPSegment, recording.TCPFinWait1, 4)}, 0)
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	if s := got[0]; s.Packets != 5 || s.Bytes != 5*1448 || s.Failed != 2 || s.Span != 2*time.Second || s.Inode != 2 || s.At != time.Unix(2, 0) {
		t.Errorf("%+v", s)
	}
	if got[1].Packets != 4 || got[2].Kind != recording.TCPSyn {
		t.Errorf("%+v", got)
	}
}
