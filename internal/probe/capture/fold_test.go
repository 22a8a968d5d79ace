//go:build !race

// The race detector keeps memory of its own, and takes ten times as long.

package capture

import (
	"runtime"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// oneOf is one of many.
func oneOf(i int) flow.Addr { return flow.V4([4]byte{10, byte(i >> 16), byte(i >> 8), byte(i)}) }

// crowd is what is read of one request on each of many connections, ten a millisecond.
func crowd(n int, ends func(i int) (client, server flow.Addr)) *Result {
	o := engine.Options{Workers: 2}
	cutter := newCutter(&Options{Engine: o})
	watchers := cutter.watch(&o)
	workers := []*watcher{o.Collector(0).(*watcher), o.Collector(1).(*watcher)}
	for i := range n {
		w := workers[i%2]
		client, server := ends(i)
		at := int64(1000*time.Second) + int64(i)*int64(100*time.Microsecond)
		c := connection(i, client)
		c.Server.Addr = server
		w.Transaction(&rt.Transaction{ID: uint64(i), Connection: uint64(i), Client: c.Client, Server: c.Server, Proto: "mysql", Command: "Query", Fingerprint: "SELECT ?",
			Status: proto.Answered, Start: at, RT: time.Millisecond, Frames: [4]uint64{1, 1, 2, 2}})
		w.Connection(c)
		w.Progress(at)
	}
	return resultOf(cutter, watchers)
}

// What is kept of a capture is bounded by what is told apart: services and clients
// beyond it cost next to nothing, and nothing of them is lost.
func TestCrowdsAreBounded(t *testing.T) {
	const few, many = 25_000, 60_000
	// perOne is how much each of the others may still take: a row of a second that
	// is open, less than the sums of a service by itself.
	const perOne = 64
	one := oneOf(1 << 20)
	for _, tt := range []struct {
		name string
		ends func(i int) (client, server flow.Addr)
		most int // services that the view sees
	}{
		{"services", func(i int) (flow.Addr, flow.Addr) { return one, oneOf(i) }, 4096 + connections},
		{"clients", func(i int) (flow.Addr, flow.Addr) { return oneOf(i), one }, 1},
		{"both", func(i int) (flow.Addr, flow.Addr) { return oneOf(i), oneOf(i + 1) }, 4096 + connections},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := crowd(few, tt.ends)
			small := live(r)
			r = crowd(many, tt.ends)
			large := live(r)
			if grown := (large - small) / (many - few); grown > perOne {
				t.Errorf("%d bytes for each of the others, at most %d: %d of %d, %d of %d", grown, perOne, small, few, large, many)
			}
			start := time.Unix(1000, 0)
			rec := recording.New(recording.Manifest{Format: recording.FormatVersion})
			w := recording.NewWriter(start)
			r.Write(w)
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			var requests, segments int64
			for _, row := range recording.Rows[recording.PacketService](rec) {
				requests += row.Count
			}
			for _, row := range recording.Rows[recording.PacketDirection](rec) {
				segments += row.Segments
			}
			if requests != many || segments != 10*many {
				t.Errorf("%d requests and %d segments, want %d and %d", requests, segments, many, 10*many)
			}
			list := view.New(rec, start, start.Add(time.Minute)).PacketServices()
			if len(list) > tt.most {
				t.Errorf("%d services, want at most %d", len(list), tt.most)
			}
			for _, s := range list {
				if s.Port == 0 {
					t.Errorf("%s is judged", s.Name())
				}
			}
		})
	}
}

// live is how many bytes are in use.
func live(keep any) int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	runtime.KeepAlive(keep)
	return int64(m.HeapAlloc)
}
