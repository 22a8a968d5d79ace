package live

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"

	"golang.org/x/net/bpf"
)

// frame puts headers together.
func frame(parts ...[]byte) []byte { return bytes.Join(parts, nil) }

func ip4(proto byte, fragment uint16, words int) []byte {
	h := make([]byte, 4*words)
	h[0], h[6], h[7], h[9] = 0x40|byte(words), byte(fragment>>8), byte(fragment), proto
	return h
}

func ip6(next byte) []byte {
	h := make([]byte, 40)
	h[0], h[6] = 0x60, next
	return h
}

func ports(src, dst uint16) []byte {
	return append([]byte{byte(src >> 8), byte(src), byte(dst >> 8), byte(dst)}, make([]byte, 16)...)
}

func TestFilter(t *testing.T) {
	f := portFilter{ports: []uint16{3306, 6379}, keep: bpf.RetConstant{Val: 96}}
	icmp := func(kind byte) []byte { return []byte{kind, 4, 0, 0, 0, 0, 0, 0} }
	link := func(kind uint16) []byte { return append(make([]byte, 12), byte(kind>>8), byte(kind)) }
	for name, tc := range map[string]struct {
		ip   []byte // from the network header on
		kind uint16
		want bool
	}{
		"to the port":         {frame(ip4(6, 0x4000, 5), ports(40000, 3306)), 0x800, true},
		"from the port":       {frame(ip4(6, 0x4000, 5), ports(6379, 40000)), 0x800, true},
		"other ports":         {frame(ip4(6, 0x4000, 5), ports(40000, 3307)), 0x800, false},
		"IP options":          {frame(ip4(17, 0, 8), ports(1, 3306)), 0x800, true},
		"options not ports":   {frame(ip4(6, 0, 6), ports(1, 2), ports(3306, 3306)), 0x800, false},
		"first fragment":      {frame(ip4(17, 0x2000, 5), ports(1, 2)), 0x800, false},
		"later fragment":      {frame(ip4(17, 0x0001, 5), ports(1, 2)), 0x800, true},
		"unreachable":         {frame(ip4(1, 0, 5), icmp(3)), 0x800, true},
		"echo":                {frame(ip4(1, 0, 5), icmp(8)), 0x800, false},
		"SCTP":                {frame(ip4(132, 0, 5), ports(3306, 3306)), 0x800, false},
		"IPv6 to":             {frame(ip6(6), ports(40000, 6379)), 0x86dd, true},
		"IPv6 from":           {frame(ip6(17), ports(3306, 9)), 0x86dd, true},
		"IPv6 other":          {frame(ip6(6), ports(40000, 443)), 0x86dd, false},
		"IPv6 extension":      {frame(ip6(0), ports(0, 0)), 0x86dd, true},
		"IPv6 packet too big": {frame(ip6(58), icmp(2)), 0x86dd, true},
		"IPv6 neighbour":      {frame(ip6(58), icmp(135)), 0x86dd, false},
	} {
		for where, run := range map[string]struct {
			p program
			b []byte
		}{
			"ethernet": {f.ethernet(), frame(link(tc.kind), tc.ip)},
			"vlan":     {f.ethernet(), frame(link(0x8100), []byte{0, 7, byte(tc.kind >> 8), byte(tc.kind)}, tc.ip)},
			"raw":      {f.raw(), tc.ip},
		} {
			vm, err := bpf.NewVM(run.p)
			if err != nil {
				t.Fatal(err)
			}
			n, err := vm.Run(run.b)
			if err != nil {
				t.Fatal(err)
			}
			if (n > 0) != tc.want {
				t.Errorf("%s, %s: %d", name, where, n)
			}
		}
	}
	vm, err := bpf.NewVM(f.ethernet())
	if err != nil {
		t.Fatal(err)
	}
	if n, _ := vm.Run(frame(link(0x806), make([]byte, 28))); n != 0 {
		t.Error("ARP kept")
	}
}

func TestFilterLimits(t *testing.T) {
	if _, err := filter(Options{Ports: make([]uint16, maxPorts+1), SnapLength: 1}, 1); err == nil {
		t.Error("too many ports taken")
	}
	p, err := filter(Options{Ports: make([]uint16, maxPorts), SnapLength: 1}, 1)
	if err != nil {
		t.Fatal(err)
	}
	if raw, err := bpf.Assemble(p); err != nil || len(raw) > 4096 {
		t.Error(len(raw), err)
	}
}

// The short way to a decision must never decide otherwise than the long one.
func TestCommonPacketsAreFilteredAlike(t *testing.T) {
	f := portFilter{ports: []uint16{3306, 0x0800, 6}, keep: bpf.RetConstant{Val: 96}}
	short, err := bpf.NewVM(f.ethernet())
	if err != nil {
		t.Fatal(err)
	}
	long, err := bpf.NewVM(f.tagged())
	if err != nil {
		t.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	pick := func(values ...uint16) uint16 { return values[random.IntN(len(values))] }
	kept := 0
	for range 20_000 {
		b := make([]byte, 14, 120)
		binary.BigEndian.PutUint16(b[12:], pick(0x800, 0x800, 0x800, 0x86dd, 0x8100, 0x806))
		h := ip4(byte(pick(6, 6, 17, 1, 132)), pick(0, 0x4000, 0x2000, 1, 0x3fff, 0x6000), int(pick(5, 5, 5, 6, 15)))
		h[1] = byte(random.Uint32())
		b = append(append(b, h...), ports(pick(3306, 40000, 0x800, 6, 0xc8ea), pick(3306, 40001, 6, 0x0cea))...)
		if random.IntN(4) == 0 { // cut, but not within the ports: no host sends that
			b = b[:random.IntN(34)]
		}
		got, err := short.Run(b)
		want, err2 := long.Run(b)
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		if got != want {
			t.Fatalf("% x: %d, the long way %d", b, got, want)
		}
		kept += min(got, 1)
	}
	if kept < 1000 || kept > 19_000 {
		t.Errorf("%d of 20,000 kept: no good sample", kept)
	}
}
