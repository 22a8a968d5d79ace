package engine

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/tcp"
)

// tcpPacket is an Ethernet frame with a TCP segment from 10.0.0.1 to 10.0.0.2.
func tcpPacket(from, to uint16, seq, ack uint32, payload string) []byte {
	b := make([]byte, 54, 54+len(payload))
	b[12], b[13] = 8, 0
	ip := b[14:]
	ip[0], ip[8], ip[9] = 0x45, 64, 6
	binary.BigEndian.PutUint16(ip[2:], uint16(40+len(payload)))
	copy(ip[12:], []byte{10, 0, 0, 1, 10, 0, 0, 2})
	tcp := ip[20:]
	binary.BigEndian.PutUint16(tcp, from)
	binary.BigEndian.PutUint16(tcp[2:], to)
	binary.BigEndian.PutUint32(tcp[4:], seq)
	binary.BigEndian.PutUint32(tcp[8:], ack)
	tcp[12], tcp[13] = 5<<4, 0x10
	return append(b, payload...)
}

func writeCapture(t *testing.T, packets ...[]byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "capture.pcap")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := pcap.NewWriter(f, pcap.PCAP, func() []pcap.Interface {
		return []pcap.Interface{{Link: pcap.LinkEthernet, SnapLength: 65535}}
	})
	for i, b := range packets {
		p := pcap.Packet{Time: 1e18 + int64(i)*1e6, Frame: uint64(i + 1), Data: b, Wire: uint32(len(b)), Link: pcap.LinkEthernet}
		if err := w.Write(&p); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(pcap.Loss{}); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// cutting truncates its file after the first batch was read and before anybody
// has looked at it.
type cutting struct {
	pcap.Source
	path string
	to   int64
}

func (c *cutting) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := c.Source.Next(ctx)
	if c.to > 0 {
		if err := os.Truncate(c.path, c.to); err != nil {
			return nil, err
		}
		c.to = 0
	}
	return b, err
}

// A file that is truncated while workers look at it ends the capture, not the
// process.
func TestTruncatedUnderWay(t *testing.T) {
	var packets [][]byte
	for i := range uint32(1000) {
		packets = append(packets, tcpPacket(40000, 9999, i*1000, 1, strings.Repeat("x", 1000)))
	}
	path := writeCapture(t, packets...)
	for _, workers := range []int{2, 1} {
		src, err := pcap.OpenFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var k kept
		report, err := Run(context.Background(), &cutting{src, path, 64 << 10}, Options{Workers: workers, Collector: k.collector})
		src.Close()
		if err != nil {
			t.Fatal(err)
		}
		said := false
		for _, n := range report.Notes {
			said = said || strings.Contains(n.Text, "truncated while it was read")
		}
		if workers == 1 {
			// The second time the file is short from the start.
			if len(k.connections) != 1 || said {
				t.Errorf("a short file: %d connections, notes %v", len(k.connections), report.Notes)
			}
			continue
		}
		if !said || len(k.connections) != 1 {
			t.Fatalf("%d connections, want 1; notes %v", len(k.connections), report.Notes)
		}
		if n := k.connections[0].Sides[0].Segments; n < 50 || n > 70 {
			t.Errorf("%d segments were seen, want the 60 or so of the first 64 KB", n)
		}
	}
}

// Where neither the handshake nor a port tells, the first bytes do.
func TestServerBySpeech(t *testing.T) {
	path := writeCapture(t,
		tcpPacket(50001, 50000, 1, 1, "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
		tcpPacket(50003, 50002, 1, 1, "GET / HTTP/1.1\r\n\r\n"),
		tcpPacket(50004, 50005, 1, 1, "GET / HTTP/1.1\r\n\r\n"))
	k, _ := run(t, path, 1)
	for i, want := range []uint16{50001, 50002, 50005} {
		if got := k.sorted()[i].Server.Port; got != want {
			t.Errorf("connection %d: the server has port %d, want %d (%v)", i+1, got, want, k.connections[i].Why)
		}
	}
}

// Several others talk to the port of a server, whichever port is the lower one.
// Two ends that have several each tell nothing.
func TestServerBySharing(t *testing.T) {
	var packets [][]byte
	for i := range uint16(4) {
		packets = append(packets, tcpPacket(40000+i, 50051, 1, 1, "\x01\x02\x03\x04"), tcpPacket(50051, 60000+i, 1, 1, "\x05\x06"))
	}
	packets = append(packets, tcpPacket(2, 1, 1, 1, "\x01"), tcpPacket(3, 2, 1, 1, "\x01"), tcpPacket(1, 3, 1, 1, "\x01"))
	k, _ := run(t, writeCapture(t, packets...), 2)
	if len(k.connections) != 11 {
		t.Fatalf("%d connections, want 11", len(k.connections))
	}
	for i, c := range k.sorted() {
		port, why := uint16(50051), tcp.BySharing
		if i >= 8 {
			port, why = min(c.Client.Port, c.Server.Port), tcp.ByLowerPort
		}
		if c.Server.Port != port || c.Why != why {
			t.Errorf("connection %d: the server has port %d (%v), want %d (%v)", i+1, c.Server.Port, c.Why, port, why)
		}
	}
}

// A worker's own protocols are asked, and nobody else's.
func TestProtocolsAreThoseAskedFor(t *testing.T) {
	path := writeCapture(t, tcpPacket(50001, 80, 1, 1, "GET / HTTP/1.1\r\n\r\n"))
	src, err := pcap.OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var k kept
	all := Protocols()
	if _, err := Run(context.Background(), src, Options{Workers: 1, Collector: k.collector, Protocols: []proto.Protocol{all[len(all)-1]}}); err != nil {
		t.Fatal(err)
	}
	if got := k.connections[0].Protocol; got != "generic" {
		t.Errorf("the protocol is %q, want generic", got)
	}
}
