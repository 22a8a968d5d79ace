package oncpu

import (
	"fmt"
	"testing"
	"time"
	"unsafe"

	"rtrail/internal/probe/event"
)

// Types are laid out as in bpf/oncpu.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 16 || s != 32+8*(kernelDepth+userDepth) {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}

// All CPUs together are looked at no more often than eight of them.
func TestPeriod(t *testing.T) {
	for cpus, perSecond := range map[int]float64{1: 49, 2: 98, 8: 392, 128: 392, 1000: 392} {
		if got := float64(cpus) / period(cpus).Seconds(); got < perSecond*0.999 || got > perSecond*1.001 {
			t.Errorf("%d CPUs: %v samples a second, want %v", cpus, got, perSecond)
		}
	}
}

// What is more than there is room for is counted, and what is more than the rows of a
// reading is summed up by process.
func TestManyStacks(t *testing.T) {
	s := New(0)
	s.symbols = event.NewSymbols(nil)
	s.from = time.Unix(0, 0)
	for i := range uint32(maxCounts + 100) {
		v := sum{Samples: uint64(i%3 + 1)}
		copy(v.Process[:], fmt.Sprintf("p%d", i%2))
		s.add(key{PID: 1 + i%2, Stack: uint64(i)}, &v)
	}
	want := int64(0)
	for _, c := range s.counts {
		want += c.samples
	}
	if len(s.counts) != maxCounts || s.lost < 100 || s.lost > 300 {
		t.Fatalf("%d stacks are kept, and %d samples lost", len(s.counts), s.lost)
	}
	rows, err := s.rows(time.Unix(10, 0))
	if err != nil {
		t.Fatal(err)
	}
	got := int64(0)
	for _, r := range rows {
		got += r.Samples
		if r.Span != 10*time.Second || r.Every != s.period {
			t.Fatalf("%+v", r)
		}
	}
	if got != want || len(rows) > maxRows+2 || len(s.counts) != 0 {
		t.Errorf("%d samples in %d rows, want %d; %d are still counted", got, len(rows), want, len(s.counts))
	}
}
