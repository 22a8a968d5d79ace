package live

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"

	"golang.org/x/net/bpf"

	"rtrail/internal/packet/flow"
)

// numbered is a packet of MySQL.
func numbered(number byte, body []byte) []byte {
	return append([]byte{byte(len(body)), byte(len(body) >> 8), byte(len(body) >> 16), number}, body...)
}

// rowsOf is a result of n rows without the packet that ends it, and that one's
// number.
func rowsOf(first string, n int) (b []byte, number byte) {
	b = numbered(1, []byte(first))
	for i := range n {
		b = append(b, numbered(byte(2+i), bytes.Repeat([]byte("x"), 100))...)
	}
	return b, byte(2 + n)
}

func TestTrim(t *testing.T) {
	result, last := rowsOf("\x01", 300)
	cached, _ := rowsOf("\x01\x00", 300)
	short, lastShort := rowsOf("\x01", 10)
	end := func(b []byte, number byte, end string) []byte {
		return append(bytes.Clone(b), numbered(number, []byte(end))...)
	}
	const (
		eof      = "\xfe\x00\x00\x22\x00"
		warned   = "\xfe\x08\x08\x02\x00"
		okay     = "\xfe\x00\x00\x22\x00\x00\x00"
		moreEOF  = "\xfe\x00\x00\x0a\x00"
		moreOkay = "\xfe\x00\x00\x0a\x00\x00\x00"
		whole    = 1 << 30
	)
	for _, tt := range []struct {
		name     string
		payload  []byte
		src, dst uint16
		words    int // of the TCP header
		want     uint32
	}{
		{"EOF", end(result, last, eof), 3306, 40000, 8, trimTo + uint32(last)},
		{"EOF, no options", end(result, last, eof), 3306, 40000, 5, trimTo + uint32(last)},
		{"EOF, most options, warnings", end(result, last, warned), 3306, 40000, 15, trimTo + uint32(last)},
		{"OK", end(result, last, okay), 3306, 40000, 8, trimTo + uint32(last)},
		{"definitions known", end(cached, last, eof), 3306, 40000, 8, trimTo + uint32(last)},
		{"the last number", end(result, 255, eof), 3306, 40000, 8, trimTo + 255},
		{"more results follow", end(result, last, moreEOF), 3306, 40000, 8, whole},
		{"more results follow OK", end(result, last, moreOkay), 3306, 40000, 8, whole},
		{"not the end", result, 3306, 40000, 8, whole},
		{"an error ends it", end(result, last, "\xff\x25\x05#70100interrupted"), 3306, 40000, 8, whole},
		{"not the beginning", end(result[5:], last, eof), 3306, 40000, 8, whole},
		{"short", end(short, lastShort, eof), 3306, 40000, 8, whole},
		{"what a client sends", end(result, last, eof), 40000, 3306, 8, whole},
		{"another port", end(result, last, eof), 3307, 40000, 8, 0},
		{"nothing after TCP's header", nil, 3306, 40000, 8, whole},
	} {
		head := make([]byte, 4*tt.words)
		binary.BigEndian.PutUint16(head, tt.src)
		binary.BigEndian.PutUint16(head[2:], tt.dst)
		head[12] = byte(tt.words) << 4
		b := frame(append(make([]byte, 12), 8, 0), ip4(6, 0x4000, 5), head, tt.payload)
		f := portFilter{ports: []uint16{6379, 3306}, keep: keepAll, answer: trim()}
		programs := map[string]program{"ports": f.ethernet()}
		if tt.src == 3306 { // without ports, both directions are looked at
			programs["all"] = append(plainTCP(f.answer), f.keep)
		}
		for where, p := range programs {
			vm, err := bpf.NewVM(p)
			if err != nil {
				t.Fatal(err)
			}
			if n, err := vm.Run(b); err != nil || uint32(n) != tt.want {
				t.Errorf("%s, %s: %d of %d, want %d, %v", tt.name, where, n, len(b), tt.want, err)
			}
		}
	}
	for n, want := range map[uint32]uint8{trimTo: 0, trimTo + 7: 7, trimTo + 255: 255} {
		length, rest := trimmed(n)
		if got, ok := rest.ResultEnd(); length != trimTo || !ok || got != want {
			t.Errorf("%d: %d %d %v", n, length, got, ok)
		}
	}
	for _, n := range []uint32{0, trimTo - 1, trimTo + 256} {
		if length, rest := trimmed(n); length != n || rest != 0 {
			t.Errorf("%d: %d %d", n, length, rest)
		}
	}
}

// A server on loopback sends a result: its rows are left out, unless all is wanted.
func TestTrimmedCapture(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	port := uint16(server.Addr().(*net.TCPAddr).Port)
	result, last := rowsOf("\x01", 150)
	result = append(result, numbered(last, []byte("\xfe\x00\x00\x02\x00"))...)
	for _, o := range []Options{
		{Interface: "lo", Ports: []uint16{port}, Blocks: 2},
		{Interface: "lo", Blocks: 2},
		{Interface: Any, Ports: []uint16{port}, Blocks: 2},
		{Interface: "lo", Ports: []uint16{port}, Blocks: 2, Whole: true},
	} {
		s := start(t, o)
		client, err := net.Dial("tcp4", server.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		conn, err := server.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := conn.Write(result); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range collect(t, s, 1000) {
			if int(p.Wire) < len(result) || !bytes.Contains(p.Data, result[:1000]) {
				continue
			}
			found = true
			want := flow.ResultEnds(last)
			kept := trimTo
			if o.Whole {
				want, kept = 0, int(p.Wire)
			}
			if p.Rest != want || len(p.Data) != kept {
				t.Errorf("%+v: %d of %d bytes, rest %d", o, len(p.Data), p.Wire, p.Rest)
			}
		}
		if !found {
			t.Errorf("%+v: the result was not captured", o)
		}
		_ = client.Close()
		_ = conn.Close()
		_ = s.Close()
	}
}
