package live

import (
	"bytes"
	"encoding/binary"
	"net"
	"testing"

	"golang.org/x/net/bpf"

	"rtrail/internal/packet/flow"
)

// echo trims what begins with ECHO and notes the byte after it.
var echo = []flow.Trim{{
	bpf.LoadIndirect{Off: flow.TrimTCP, Size: 4},
	bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: 0x4543484f, SkipTrue: flow.NoTrim},
	bpf.LoadIndirect{Off: flow.TrimTCP + 4, Size: 1},
}}

// trimmed is how much is kept of what is trimmed.
const trimmed = 2 << 10

func TestTrim(t *testing.T) {
	whole := keepAll.Val
	long := bytes.Repeat([]byte("ECHO\x07ECHO"), 1000)
	for _, tt := range []struct {
		name     string
		payload  []byte
		src, dst uint16
		words    int // of the TCP header
		want     uint32
	}{
		{"long", long, 3306, 40000, 8, trimmed + 7},
		{"no options", long, 3306, 40000, 5, trimmed + 7},
		{"most options", long, 3306, 40000, 15, trimmed + 7},
		{"short", long[:1000], 3306, 40000, 8, whole},
		{"something else", long[1:], 3306, 40000, 8, whole},
		{"what a client sends", long, 40000, 3306, 8, whole},
		{"another port", long, 3307, 40000, 8, 0},
		{"nothing after TCP's header", nil, 3306, 40000, 8, whole},
	} {
		head := make([]byte, 4*tt.words)
		binary.BigEndian.PutUint16(head, tt.src)
		binary.BigEndian.PutUint16(head[2:], tt.dst)
		head[12] = byte(tt.words) << 4
		b := frame(append(make([]byte, 12), 8, 0), ip4(6, 0x4000, 5), head, tt.payload)
		f := portFilter{ports: []uint16{6379, 3306}, keep: keepAll, answer: echo[0].Filter()}
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
}

// A server on loopback sends what is trimmed: its rest is left out, unless all is
// wanted.
func TestTrimmedCapture(t *testing.T) {
	server, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	port := uint16(server.Addr().(*net.TCPAddr).Port)
	answer := bytes.Repeat([]byte("ECHO\x07ECHO"), 2000)
	for _, o := range []Options{
		{Interface: "lo", Ports: []uint16{port}, Blocks: 2, Trim: echo},
		{Interface: "lo", Blocks: 2, Trim: echo},
		{Interface: Any, Ports: []uint16{port}, Blocks: 2, Trim: echo},
		{Interface: "lo", Ports: []uint16{port}, Blocks: 2},
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
		if _, err := conn.Write(answer); err != nil {
			t.Fatal(err)
		}
		found := false
		for _, p := range collect(t, s, 1000) {
			if int(p.Wire) < len(answer) || !bytes.Contains(p.Data, answer[:1000]) {
				continue
			}
			found = true
			want, kept := flow.Noted(7), trimmed
			if o.Trim == nil {
				want, kept = 0, int(p.Wire)
			}
			if p.Rest != want || len(p.Data) != kept {
				t.Errorf("%+v: %d of %d bytes, rest %d", o, len(p.Data), p.Wire, p.Rest)
			}
		}
		if !found {
			t.Errorf("%+v: the answer was not captured", o)
		}
		_ = client.Close()
		_ = conn.Close()
		_ = s.Close()
	}
}
