package view

import (
	"testing"
	"time"

	"rtrail/internal/recording"
)

// Rows of one socket are one sum for each kind.
func TestSumReceiveBuffers(t *testing.T) {
	row := func(at int64, kind string, inode uint64, times, buffer int64) recording.ReceiveBuffer {
		return recording.ReceiveBuffer{At: time.Unix(at, 0), Span: time.Second, Kind: kind, Protocol: "udp", Local: "0.0.0.0", LocalPort: 514, Inode: inode,
			Times: times, Bytes: 100 * times, Buffer: buffer, Largest: buffer}
	}
	got := SumReceiveBuffers([]recording.ReceiveBuffer{row(1, recording.BufferFull, 7, 2, 8192), row(1, recording.BufferNoMemory, 7, 1, 8192),
		row(2, recording.BufferFull, 7, 3, 4096), row(2, recording.BufferFull, 8, 4, 4096)}, 0)
	if len(got) != 3 {
		t.Fatalf("%+v", got)
	}
	if s := got[0]; s.Times != 5 || s.Bytes != 500 || s.Buffer != 4096 || s.Largest != 8192 || s.Span != 2*time.Second || s.At != time.Unix(2, 0) {
		t.Errorf("%+v", s)
	}
	if got[1].Inode != 8 || got[2].Kind != recording.BufferNoMemory {
		t.Errorf("%+v", got)
	}
}
