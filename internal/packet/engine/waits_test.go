package engine

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
)

// asker looks for what waits after every packet of a capture.
type asker struct {
	Nop
	open func(at int64, give func(*rt.Open))
	seen map[wait]int64 // until when
	all  []rt.Transaction
}

// wait is a request that was seen to wait.
type wait struct {
	client flow.Endpoint
	since  int64
	within bool
}

func (a *asker) Asks(open func(at int64, give func(*rt.Open))) { a.open = open }
func (a *asker) Reached(int64, bool)                           {}
func (a *asker) Transaction(t *rt.Transaction)                 { a.all = append(a.all, *t) }

func (a *asker) Frame(_ *pcap.Packet, f *decode.Frame) {
	connections := map[flow.Endpoint]bool{}
	a.open(f.At, func(o *rt.Open) {
		if connections[o.Client] {
			panic("a connection waits twice")
		}
		connections[o.Client] = true
		a.seen[wait{o.Client, o.Since, o.Within}] = f.At
	})
}

// TestWhatWaits looks at what waits after each packet of real captures: each was asked, and
// not answered yet, by what the whole capture tells; and what waits is seen.
func TestWhatWaits(t *testing.T) {
	files, err := filepath.Glob("../proto/*/testdata/*.pcap")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	found := map[string]int{}
	for _, path := range files {
		src, err := pcap.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		a := &asker{seen: map[wait]int64{}}
		if _, err := Run(context.Background(), src, Options{Workers: 1, Collector: func(int) Collector { return a }}); err != nil {
			t.Fatal(err)
		}
		asked, seen := map[wait]*rt.Transaction{}, 0
		for i := range a.all {
			x := &a.all[i]
			k := wait{client: x.Client, since: x.Start + int64(x.Upload)}
			asked[k] = x
			if _, ok := a.seen[k]; ok && x.Usable() {
				seen++
			}
		}
		for k, until := range a.seen {
			x := asked[k]
			switch {
			case k.within:
			case x == nil:
				t.Errorf("%s: nothing was asked by %v at %v", path, k.client, time.Unix(0, k.since).UTC())
			case x.Usable() && until > x.Start+int64(x.Total()):
				t.Errorf("%s: %s of %v waits though it was answered", path, x.Command, k.client)
			}
		}
		found[filepath.Base(path)] = seen
	}
	// Where the server acknowledges a request before it answers.
	for name, least := range map[string]int{"rabbitmq3.pcap": 10, "cassandra5-v5.pcap": 15, "phpfpm8.pcap": 8, "nginx.pcap": 10, "kafka3.pcap": 10, "memcached16.pcap": 8,
		"ferretdb1.pcap": 8, "mosquitto2.pcap": 20, "mysql97-zstd.pcap": 5, "prepared.pcap": 5, "redis7.pcap": 50, "mock.pcap": 8, "websockets17.pcap": 5} {
		if found[name] < least {
			t.Errorf("%s: %d requests seen to wait, want %d", name, found[name], least)
		}
	}
}
