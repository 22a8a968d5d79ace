package engine

import (
	"context"
	"strings"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/tcp"
)

// cutter keeps so many bytes of each packet, as a snap length does.
type cutter struct {
	pcap.Source
	keep int
}

func (c *cutter) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := c.Source.Next(ctx)
	if b != nil {
		for i := range b.Packets {
			p := &b.Packets[i]
			p.Data = p.Data[:min(len(p.Data), c.keep)]
		}
	}
	return b, err
}

// A capture of headers alone still tells response times, and that it is one.
func TestCutToHeaders(t *testing.T) {
	const path = "../proto/mysql/testdata/prepared.pcap"
	whole, _ := run(t, path, 1)
	for _, tt := range []struct {
		keep  int
		proto string
	}{{60, "generic"}, {66, "generic"}, {128, "mysql"}} {
		src, err := pcap.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := &kept{}
		report, err := Run(t.Context(), &cutter{src, tt.keep}, Options{Workers: 1, Collector: got.collector, Servers: map[uint16]string{33399: "mysql"}})
		if err != nil {
			t.Fatal(err)
		}
		_ = src.Close()
		if len(report.Notes) != 1 || !strings.Contains(report.Notes[0].Text, "the snap length cut") {
			t.Errorf("%d bytes of each packet: notes %v", tt.keep, report.Notes)
		}
		usable, want := got.usable(), whole.usable()
		if len(usable) < len(want)*3/4 {
			t.Fatalf("%d bytes of each packet: %d response times, of %d in the whole capture", tt.keep, len(usable), len(want))
		}
		known := map[uint64]int64{} // RT by the frame that ends the request
		for _, w := range want {
			known[w.Frames[1]] = int64(w.RT)
		}
		for _, u := range usable {
			if rt, ok := known[u.Frames[1]]; u.Proto != tt.proto || ok && rt != int64(u.RT) {
				t.Errorf("%d bytes of each packet, frame %d: %s took %d ns, want %s and %d", tt.keep, u.Frames[1], u.Proto, u.RT, tt.proto, rt)
			}
		}
	}
}

// A snap length that cuts TCP options takes window scales away, not copies.
func TestCutOptions(t *testing.T) {
	const path = "testdata/loss.pcap"
	whole, _ := run(t, path, 1)
	want := copies(whole.connections)
	for _, keep := range []int{54, 60, 66, 70} {
		src, err := pcap.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		got := &kept{}
		report, err := Run(t.Context(), &cutter{src, keep}, Options{Workers: 1, Collector: got.collector})
		if err != nil {
			t.Fatal(err)
		}
		_ = src.Close()
		if n := copies(got.connections); n != want {
			t.Errorf("%d bytes of each packet: %d copies, want %d", keep, n, want)
		}
		for i := range got.connections {
			for d, s := range got.connections[i].Sides {
				if s.WindowLimited != -1 {
					t.Errorf("%d bytes of each packet: %s of %s was window limited for %v", keep, flow.Dir(d), got.connections[i].Client, s.WindowLimited)
				}
			}
		}
		if len(report.Notes) != 1 || !strings.Contains(report.Notes[0].Text, "TCP options were cut") {
			t.Errorf("%d bytes of each packet: notes %v", keep, report.Notes)
		}
	}
}

// copies counts segments that came again.
func copies(connections []tcp.Conn) (n uint32) {
	for i := range connections {
		n += connections[i].Sides[0].Retransmissions + connections[i].Sides[1].Retransmissions
	}
	return n
}
