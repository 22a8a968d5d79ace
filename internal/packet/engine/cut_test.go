package engine

import (
	"context"
	"io"
	"strings"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
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

// What the snap length takes away is left out and counted, whatever the protocol: no
// request is lost in silence, no time is longer than it was, and no wait by design
// becomes an answer.
func TestCutIsCounted(t *testing.T) {
	for _, tt := range []struct {
		path  string
		least float64 // of the requests of the whole capture
		keep  []int
	}{
		{"mysql/testdata/text.pcap", 1, []int{67, 75, 80, 96, 104}},
		{"mysql/testdata/prepared.pcap", 1, []int{67, 75, 80, 96}},
		{"mysql/testdata/mariadb118.pcap", 1, []int{67, 80, 96}},
		{"mysql/testdata/mysql97.pcap", 1, []int{67, 80, 96}},
		{"mysql/testdata/compress.pcap", 0.9, []int{80, 96}},
		{"mysql/testdata/mysql97-zstd.pcap", 1, []int{80, 96, 128}},
		{"websocket/testdata/websockets17.pcap", 0.9, []int{80, 96, 128}},
		{"mongodb/testdata/ferretdb1.pcap", 1, []int{96, 128, 160}},
		{"kafka/testdata/kafka3.pcap", 1, []int{96, 128}},
		{"cassandra/testdata/cassandra5-v5-lz4.pcap", 0.7, []int{80, 128}}, // clients send many at a time
		{"cassandra/testdata/cassandra5-v5.pcap", 0.7, []int{80, 128}},
		{"http2/testdata/grpc.pcap", 0.9, []int{128, 160}},
		{"http2/testdata/nginx.pcap", 0.5, []int{128}},
		{"amqp/testdata/rabbitmq3.pcap", 0.5, []int{80, 96, 128}},
		{"fastcgi/testdata/phpfpm8.pcap", 0.9, []int{96, 128}},
		{"redis/testdata/redis7.pcap", 0.5, []int{96, 128}},
		{"postgres/testdata/postgres15.pcap", 0.8, []int{80, 96, 128}},
	} {
		whole, _ := run(t, "../proto/"+tt.path, 1)
		known, blocking := map[uint64]int64{}, map[uint64]bool{}
		want := 0
		for i := range whole.transactions {
			w := &whole.transactions[i]
			if w.Status == proto.NoAnswer {
				continue
			}
			want++
			known[w.Frames[0]] = max(known[w.Frames[0]], int64(w.RT+w.Upload+w.Download))
			blocking[w.Frames[0]] = blocking[w.Frames[0]] || w.Doubt&proto.Blocking != 0
		}
		for _, keep := range tt.keep {
			src, err := pcap.OpenFile("../proto/" + tt.path)
			if err != nil {
				t.Fatal(err)
			}
			got := &kept{}
			if _, err := Run(t.Context(), &cutter{src, keep}, Options{Workers: 1, Collector: got.collector}); err != nil {
				t.Fatal(err)
			}
			_ = src.Close()
			n := 0
			for i := range got.transactions {
				u := &got.transactions[i]
				if u.Status != proto.NoAnswer {
					n++
				}
				if !u.Usable() || u.Proto == "generic" {
					continue
				}
				if longest, ok := known[u.Frames[0]]; ok && int64(u.RT) > longest {
					t.Errorf("%s, %d bytes of each packet, frame %d: %v, in the whole capture %d ns", tt.path, keep, u.Frames[0], u.RT, longest)
				}
				const statement = 96 // what shows that a statement of MySQL is SLEEP
				if blocking[u.Frames[0]] && (u.Proto != "mysql" || keep >= statement) {
					t.Errorf("%s, %d bytes of each packet, frame %d: a wait by design counts", tt.path, keep, u.Frames[0])
				}
			}
			if float64(n) < tt.least*float64(want) {
				t.Errorf("%s, %d bytes of each packet: %d requests, %d in the whole capture", tt.path, keep, n, want)
			}
		}
	}
}
