package event

import (
	"os"
	"testing"

	"github.com/cilium/ebpf/ringbuf"
)

// fakeRecords has so many events of 56 bytes; fewer than 0: they never end.
type fakeRecords struct{ left int }

func (f *fakeRecords) ReadInto(r *ringbuf.Record) error {
	if f.left == 0 {
		return os.ErrDeadlineExceeded
	}
	f.left--
	r.RawSample = make([]byte, 56)
	return nil
}

func (*fakeRecords) BufferSize() int { return 4096 }
func (*fakeRecords) Close() error    { return nil }

// Programs that write as fast as they are read keep nobody for ever.
func TestRingTakesOneBufferAtMost(t *testing.T) {
	for _, c := range []struct{ there, want int }{{0, 0}, {3, 3}, {64, 64}, {-1, 64}} {
		taken := 0
		r := &Ring{reader: &fakeRecords{c.there}, take: func([]byte) { taken++ }}
		if err := r.empty(); err != nil || taken != c.want {
			t.Errorf("%d of %d events were taken, want %d: %v", taken, c.there, c.want, err)
		}
	}
}

// What cannot be taken ends reading, not the program.
func TestRingEndsWhenTakingPanics(t *testing.T) {
	taken := 0
	r := &Ring{reader: &fakeRecords{-1}, take: func([]byte) { taken++; panic("a malformed event") }}
	for range 2 {
		if err := r.empty(); err == nil || taken != 1 {
			t.Errorf("%d events were taken: %v", taken, err)
		}
	}
}
