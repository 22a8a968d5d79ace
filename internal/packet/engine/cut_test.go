package engine

import (
	"context"
	"io"
	"strings"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
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
func copies(connections []rt.Connection) (n uint32) {
	for i := range connections {
		n += connections[i].Sides[0].Retransmissions + connections[i].Sides[1].Retransmissions
	}
	return n
}

// Only bytes that IP counts can be cut: trailers and checksums of Ethernet, and the
// padding of short frames, are nobody's.
func TestCutCountsWhatIPLost(t *testing.T) {
	for name, tt := range map[string]struct {
		wire int // beyond what was captured
		lost int // of the payload
		want bool
	}{
		"nothing":                {0, 0, false},
		"a checksum":             {4, 0, false},
		"a trailer of 46 bytes":  {46, 0, false},
		"payload":                {10, 10, true},
		"payload and a checksum": {14, 10, true},
		"payload, but not on the wire: the length was rewritten": {0, 10, true},
	} {
		packets := talk(80, false, ">GET / HTTP/1.1\r\n\r\n")
		k := &kept{}
		report, err := Run(t.Context(), &longer{open(t, "mysql"), packets, tt.wire, tt.lost}, Options{Workers: 2, Collector: k.collector})
		if err != nil {
			t.Fatal(err)
		}
		if cut := len(report.Notes) > 0; cut != tt.want || len(k.connections) != 1 {
			t.Errorf("%s: %d connections, notes %v, want some: %v", name, len(k.connections), report.Notes, tt.want)
		}
	}
}

// longer is a source of other packets, the last of which was not captured as a whole.
type longer struct {
	pcap.Source
	packets    [][]byte
	wire, lost int
}

func (l *longer) Next(context.Context) (*pcap.Batch, error) {
	if l.packets == nil {
		return nil, io.EOF
	}
	var b pcap.Batch
	for i, data := range l.packets {
		p := pcap.Packet{Time: 1e18 + int64(i)*1e6, Frame: uint64(i + 1), Data: data, Wire: uint32(len(data)), Link: pcap.LinkEthernet}
		if i == len(l.packets)-1 {
			p.Data = data[:len(data)-l.lost]
			p.Wire = uint32(len(p.Data) + l.wire)
		}
		b.Packets = append(b.Packets, p)
	}
	l.packets = nil
	return &b, nil
}

// What comes after a reset is told of.
func TestAfterAReset(t *testing.T) {
	packets := talk(80, false, ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n", "<more", "<and more")
	for reset, want := range map[bool]string{true: "2 packets", false: ""} {
		packets[4][47] = 0x18
		if reset {
			packets[4][47] = 4
		}
		_, report := run(t, writeCapture(t, packets...), 2)
		said := ""
		for _, n := range report.Notes {
			said += n.Text
		}
		if want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("reset %v: notes %q, want %q", reset, said, want)
		}
	}
}
