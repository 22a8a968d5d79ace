package decode

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/ip4defrag"
	"github.com/gopacket/gopacket/layers"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

func packet(data []byte) *pcap.Packet {
	return &pcap.Packet{Time: 1, Frame: 1, Data: data, Wire: uint32(len(data)), Link: pcap.LinkEthernet}
}

func plain(t testing.TB) []byte {
	return build(t, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolTCP), tcpSegment(stamps()...), hello)
}

// changed is the packet with some bytes replaced.
func changed(b []byte, at int, v ...byte) []byte {
	b = bytes.Clone(b)
	copy(b[at:], v)
	return b
}

func TestOddPackets(t *testing.T) {
	p4 := plain(t)
	p6 := build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolTCP), tcpSegment(stamps()...), hello)
	udp := build(t, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 1, DstPort: 53}, hello)
	vxlanish := build(t, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 1, DstPort: 4789}, hello)
	jumbo := build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolIPv6HopByHop),
		raw(6, 0, 0xc2, 4, 0, 1, 0x86, 0xa0), tcpSegment(), hello)
	jumbo[14+4], jumbo[14+5] = 0, 0
	deep := []byte{0x45, 0, 0, 20, 0, 0, 0, 0, 9, 4, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2}
	nested := append([]byte(nil), p4[:14]...)
	for range 50 {
		nested = append(nested, changed(deep, 2, 0, 0)...)
	}
	arp := build(t, eth(layers.EthernetTypeARP), raw(0, 1, 8, 0, 6, 4, 0, 1))
	for _, c := range []struct {
		name    string
		data    []byte
		wire    int
		link    pcap.LinkType
		want    Result
		size    int
		payload int
		cut     bool
	}{
		{name: "length 0 takes that of the capture", data: changed(p4, 16, 0, 0), wire: 9000, want: OK, size: 9000 - 66, payload: len(hello)},
		{name: "IPv6 length 0", data: changed(p6, 18, 0, 0), wire: 90000, want: OK, size: 90000 - 86, payload: len(hello)},
		{name: "IPv6 jumbo payload", data: jumbo, wire: 100054, want: OK, size: 100000 - 8 - 20, payload: len(hello)},
		{name: "cut to 60 bytes", data: p4[:60], wire: len(p4), want: OK, size: len(hello), cut: true},
		{name: "cut to 54 bytes", data: p4[:54], wire: len(p4), want: OK, size: len(hello), cut: true},
		{name: "cut to 50 bytes", data: p4[:50], wire: len(p4), want: Short, size: len(hello)},
		{name: "cut by a broker, which says so nowhere", data: p4[:68], wire: 68, want: OK, size: len(hello), payload: 2},
		{name: "wire length smaller than what is there", data: p4, wire: 1, want: OK, size: len(hello), payload: len(hello)},
		{name: "IP length below its header", data: changed(p4, 16, 0, 19), want: Broken},
		{name: "IP header of 16 bytes", data: changed(p4, 14, 0x44), want: Broken},
		{name: "IP length below that of TCP", data: changed(p4, 16, 0, 39), want: Broken},
		{name: "TCP header of 16 bytes", data: changed(p4, 46, 0x40), want: Broken},
		{name: "TCP header longer than IP says", data: changed(changed(p4, 16, 0, 52), 46, 0xf0), want: Broken},
		{name: "version 5", data: changed(p4, 14, 0x55), want: Broken},
		{name: "UDP length below its header", data: changed(udp, 38, 0, 7), want: Broken},
		{name: "UDP length 0", data: changed(udp, 38, 0, 0), want: OK, size: len(hello), payload: len(hello)},
		{name: "UDP length beyond IP", data: changed(udp, 38, 0xff, 0xff), want: OK, size: len(hello), payload: len(hello)},
		{name: "not VXLAN at its port", data: vxlanish, want: OK, size: len(hello), payload: len(hello)},
		{name: "50 headers of IP", data: nested, want: Other},
		{name: "SCTP", data: changed(p4, 23, 132), want: Other, size: len(p4) - 34, payload: len(p4) - 34},
		{name: "ARP", data: arp, want: NotIP},
		{name: "spanning tree", data: changed(p4, 12, 0, 38, 0x42, 0x42, 3), want: NotIP},
		{name: "unknown link", data: p4, link: 147, want: Foreign},
		{name: "nothing", data: nil, want: Short},
		{name: "IPv6 header without end", data: changed(p6, 20, 60), wire: 20000, want: Broken},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := packet(c.data)
			if c.wire != 0 {
				p.Wire = uint32(c.wire)
			}
			if c.link != 0 {
				p.Link = c.link
			}
			var f Frame
			r := New().Decode(p, &f)
			type result struct {
				Result        Result
				Size, Payload int
				Cut           bool
			}
			if r == Broken {
				f.Size = 0
			}
			if diff := cmp.Diff(result{c.want, c.size, c.payload, c.cut}, result{r, f.Size, len(f.Payload), f.Options.Cut}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOptions(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []byte
		want Options
	}{
		{"nothing", nil, Options{Scale: -1}},
		{"length 0", []byte{8, 0, 1, 1}, Options{Scale: -1}},
		{"length 1", []byte{3, 1, 7}, Options{Scale: -1}},
		{"longer than there is", []byte{2, 4, 5, 180, 8, 10, 1}, Options{MSS: 1460, Scale: -1}},
		{"wrong length for its kind", []byte{2, 3, 5, 3, 3, 7, 0}, Options{Scale: 7}},
		{"after the end", []byte{0, 2, 4, 5, 180}, Options{Scale: -1}},
		{"unknown kind", []byte{253, 4, 0, 0, 4, 2}, Options{Scale: -1, SACKPermitted: true}},
		{"scale beyond what is allowed", []byte{3, 3, 200}, Options{Scale: 14}},
		{"torn SACK", []byte{5, 9, 0, 0, 0, 1, 0, 0, 0}, Options{Scale: -1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			var o Options
			o.reset()
			o.parse(c.in)
			if diff := cmp.Diff(c.want, o); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestQuotedPacket(t *testing.T) {
	d := New()
	var inner, f Frame
	in4 := plain(t)
	d.Decode(packet(in4), &inner)
	needed := &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(3, 4), Seq: 1400}
	from := ip4(layers.IPProtocolICMPv4)
	from.SrcIP, from.DstIP = []byte{9, 9, 9, 9}, a4
	want := Control{Type: 3, Code: 4, MTU: 1400, Quoted: true, QuotedProto: TCP,
		QuotedSrc: inner.Src, QuotedDst: inner.Dst, QuotedSeq: inner.Seq, QuotedHasSeq: true}
	if r := d.Decode(packet(build(t, eth(layers.EthernetTypeIPv4), from, needed, gopacket.Payload(in4[14:42]))), &f); r != OK {
		t.Fatalf("result %d", r)
	}
	if diff := cmp.Diff(want, f.ICMP); diff != "" {
		t.Error(diff)
	}
	if f.Hash != inner.Hash {
		t.Error("the error has not the hash of the flow it is about")
	}

	in6 := build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolIPv6Destination), raw(6, 0, 1, 4, 0, 0, 0, 0), tcpSegment(), hello)
	d.Decode(packet(in6), &inner)
	big := &layers.ICMPv6{TypeCode: layers.CreateICMPv6TypeCode(2, 0)}
	from6 := ip6(layers.IPProtocolICMPv6)
	if r := d.Decode(packet(build(t, eth(layers.EthernetTypeIPv6), from6, big, raw(0, 0, 5, 0), gopacket.Payload(in6[14:]))), &f); r != OK {
		t.Fatalf("result %d", r)
	}
	want = Control{Type: 2, MTU: 1280, Quoted: true, QuotedProto: TCP,
		QuotedSrc: inner.Src, QuotedDst: inner.Dst, QuotedSeq: inner.Seq, QuotedHasSeq: true}
	if diff := cmp.Diff(want, f.ICMP); diff != "" {
		t.Error(diff)
	}
	if f.Hash != inner.Hash {
		t.Error("the error has not the hash of the flow it is about")
	}
}

func TestWay(t *testing.T) {
	d := New()
	var f Frame
	ip := plain(t)[14:]
	for kind, want := range map[byte]pcap.Way{0: pcap.Inbound, 3: pcap.Inbound, 4: pcap.Outbound, 7: pcap.WayUnknown} {
		p := packet(append([]byte{8, 0, 0, 0, 0, 0, 1, 2, 0, 1, kind, 6, 2, 0, 0, 0, 0, 1, 0, 0}, ip...))
		p.Link = pcap.LinkLinuxSLL2
		if r := d.Decode(p, &f); r != OK || f.Way != want || f.IfIndex != 0x102 {
			t.Errorf("kind %d: result %d, way %d, want %d; interface %d", kind, r, f.Way, want, f.IfIndex)
		}
	}
}

func TestSpaces(t *testing.T) {
	s := NewSpaces()
	a, b := NewWith(Settings{Spaces: s}), NewWith(Settings{Spaces: s, ByInterface: true})
	tagged := func(id uint16) *pcap.Packet {
		return packet(build(t, eth(layers.EthernetTypeDot1Q), &layers.Dot1Q{VLANIdentifier: id, Type: layers.EthernetTypeIPv4}, ip4(layers.IPProtocolTCP), tcpSegment()))
	}
	var f, g Frame
	a.Decode(tagged(3), &f)
	if b.Decode(tagged(3), &g); f.Space == g.Space || b.SpaceName(g.Space) != "interface 0, vlan 3" {
		t.Errorf("with the interface: %q", b.SpaceName(g.Space))
	}
	if f.Hash != g.Hash {
		t.Error("the Space changes the hash")
	}
	for id := uint16(1); id < 4095; id++ { // far more than the decoder remembers
		a.Decode(tagged(id), &f)
		if want := fmt.Sprintf("vlan %d", id); a.SpaceName(f.Space) != want {
			t.Fatalf("%q, want %q", a.SpaceName(f.Space), want)
		}
	}
	for i := range uint32(2 * maxSpaces) {
		a.space(0, byGRE, i)
	}
	if len(s.keys) > maxSpaces+1 || a.SpaceName(a.space(0, byGRE, 2*maxSpaces-1)) != "other" {
		t.Errorf("%d networks, the last one %q", len(s.keys), a.SpaceName(a.space(0, byGRE, 2*maxSpaces-1)))
	}
}

// TestSpread asks for what chance would give: connections of one client to one
// server, which differ in one port only, go to all workers alike.
func TestSpread(t *testing.T) {
	const workers, flows = 16, 16 << 10
	for name, server := range map[string]flow.Addr{"IPv4": flow.V4([4]byte{10, 0, 0, 1}), "IPv6": {0x20, 1, 15: 1}} {
		for _, bits := range []string{"low", "high"} {
			var n [workers]int
			seen := map[uint64]bool{}
			for i := range flows {
				a := flow.Endpoint{Addr: server, Port: 3306}
				b := flow.Endpoint{Addr: server, Port: uint16(20000 + i)}
				b.Addr[15] += byte(i % 3)
				h := hashEnds(&a, &b, TCP)
				seen[h] = true
				if bits == "high" {
					h >>= 60
				}
				n[h%workers]++
			}
			if len(seen) != flows {
				t.Errorf("%s: %d hashes of %d flows", name, len(seen), flows)
			}
			// Five standard deviations of a binomial distribution about the mean of 1,024 are 155.
			for w, n := range n {
				if n < flows/workers-155 || n > flows/workers+155 {
					t.Errorf("%s, %s bits: worker %d has %d flows of %d", name, bits, w, n, flows)
				}
			}
		}
	}
}

// pieces4 cuts an IPv4 packet into fragments of at most n bytes.
func pieces4(b []byte, n int) [][]byte {
	var out [][]byte
	body := b[34:]
	for at := 0; at < len(body); at += n {
		end := min(at+n, len(body))
		p := append(bytes.Clone(b[:34]), body[at:end]...)
		binary.BigEndian.PutUint16(p[16:], uint16(20+end-at))
		place := uint16(at / 8)
		if end < len(body) {
			place |= 0x2000
		}
		binary.BigEndian.PutUint16(p[20:], place)
		out = append(out, p)
	}
	return out
}

func big(t testing.TB) []byte {
	body := make([]byte, 5000)
	for i := range body {
		body[i] = byte(i * 7)
	}
	return build(t, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 1000, DstPort: 2000}, gopacket.Payload(body))
}

func TestFragmentsAgainstGopacket(t *testing.T) {
	whole := big(t)
	var plain Frame
	d := New()
	d.Decode(packet(whole), &plain)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		judge := ip4defrag.NewIPv4Defragmenter()
		ps := pieces4(whole, 8*(20+r.IntN(160)))
		r.Shuffle(len(ps), func(i, j int) { ps[i], ps[j] = ps[j], ps[i] })
		if round%2 == 0 { // a copy of one that came is no contradiction
			ps = append(ps[:len(ps)-1], ps[0], ps[len(ps)-1])
		}
		for i, b := range ps {
			var f Frame
			got := d.Decode(packet(b), &f)
			if i < len(ps)-1 {
				if got != Fragment {
					t.Fatalf("fragment %d of %d: result %d", i, len(ps), got)
				}
				if round%2 == 0 {
					continue // gopacket does not take copies
				}
			}
			if i == len(ps)-1 {
				if got != OK || !f.Pieces || f.Hash != plain.Hash || f.Size != plain.Size || !bytes.Equal(f.Payload, plain.Payload) {
					t.Fatalf("round %d: the whole: result %d, %d bytes", round, got, f.Size)
				}
			}
			if round%2 != 0 {
				ip := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default).Layer(layers.LayerTypeIPv4).(*layers.IPv4)
				out, err := judge.DefragIPv4(ip)
				if err != nil {
					t.Fatal(err)
				}
				if (out != nil) != (got == OK) {
					t.Fatalf("round %d, fragment %d: gopacket says whole: %t", round, i, out != nil)
				}
				if out != nil && !bytes.Equal(out.Payload[8:], f.Payload) {
					t.Fatal("other bytes than gopacket's")
				}
			}
		}
	}
	if diff := cmp.Diff(FragmentCounts{Complete: 50}, d.Fragments()); diff != "" {
		t.Error(diff)
	}
	if d.pieces.bytes != 0 || len(d.pieces.waiting) != 0 {
		t.Errorf("%d bytes, %d packets left", d.pieces.bytes, len(d.pieces.waiting))
	}
}

func TestFragmentsThatDoNotFit(t *testing.T) {
	ps := pieces4(big(t), 1480)
	other := changed(ps[1], 100, ps[1][100]+1)
	shifted := bytes.Clone(ps[1])
	binary.BigEndian.PutUint16(shifted[20:], 0x2000|184)
	for _, c := range []struct {
		name string
		in   [][]byte
		want FragmentCounts
	}{
		{"same place, other bytes", [][]byte{ps[0], ps[1], other, ps[2], ps[3]}, FragmentCounts{Overlapping: 1}},
		{"overlap", [][]byte{ps[0], shifted, ps[1], ps[2], ps[3]}, FragmentCounts{Overlapping: 1}},
		{"two ends", [][]byte{ps[3], ps[0], changed(ps[2], 20, 0)}, FragmentCounts{Overlapping: 1}},
		{"beyond the end", [][]byte{changed(ps[1], 20, 0), ps[2]}, FragmentCounts{Overlapping: 1}},
		{"one is missing", [][]byte{ps[0], ps[1], ps[3]}, FragmentCounts{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New()
			var f Frame
			for _, b := range c.in {
				if r := d.Decode(packet(b), &f); r != Fragment {
					t.Errorf("result %d", r)
				}
			}
			if diff := cmp.Diff(c.want, d.Fragments()); diff != "" {
				t.Error(diff)
			}
			late := packet(changed(ps[0], 18, 1, 1))
			late.Time = int64(DefaultFragmentAge) + 2
			d.Decode(late, &f)
			if len(d.pieces.waiting) != 1 {
				t.Errorf("%d packets wait after their time", len(d.pieces.waiting))
			}
		})
	}
}

func TestFragmentsAreBounded(t *testing.T) {
	const limit = 64 << 10
	d := NewWith(Settings{FragmentBytes: limit, FragmentAge: time.Hour})
	first := pieces4(big(t), 1480)[0]
	var f Frame
	for i := range 10000 {
		binary.BigEndian.PutUint16(first[18:], uint16(i))
		d.Decode(packet(first), &f)
		if d.pieces.bytes > limit {
			t.Fatalf("%d bytes", d.pieces.bytes)
		}
	}
	if n := uint64(len(d.pieces.waiting)); n == 0 || d.Fragments().Evicted != 10000-n {
		t.Errorf("%d wait, %+v", n, d.Fragments())
	}
}

func TestFragmentsCutShort(t *testing.T) {
	d := New()
	var f Frame
	var r Result
	for _, b := range pieces4(big(t), 1480) {
		p := packet(b)
		p.Data = b[:96]
		r = d.Decode(p, &f)
	}
	// The first fragment's bytes up to the cut: 96 less 14, 20 and 8 of headers.
	if r != OK || f.Size != 5000 || len(f.Payload) != 54 {
		t.Errorf("result %d, size %d, payload %d", r, f.Size, len(f.Payload))
	}
}

func TestIPv6Fragments(t *testing.T) {
	d := New()
	var plain, f Frame
	whole := build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolTCP), tcpSegment(stamps()...), gopacket.Payload(make([]byte, 300)))
	d.Decode(packet(whole), &plain)
	frag := func(from, to int, place byte, more byte) []byte {
		at := byte(from / 8)
		return build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolIPv6Fragment),
			raw(6, 0, at>>5, at<<3|more, 0, 0, 0x12, place), gopacket.Payload(whole[54+from:54+to]))
	}
	n := len(whole) - 54
	if r := d.Decode(packet(frag(160, n, 1, 0)), &f); r != Fragment {
		t.Fatalf("result %d", r)
	}
	if r := d.Decode(packet(frag(0, 160, 1, 1)), &f); r != OK || f.Hash != plain.Hash || f.Size != 300 || f.Options != plain.Options || f.IPID != 0x1201 {
		t.Fatalf("result %d: %+v", r, f)
	}
	if r := d.Decode(packet(frag(0, n, 2, 0)), &f); r != OK || f.Pieces || f.Size != 300 {
		t.Fatalf("the only fragment: result %d", r)
	}
}

func TestNoAllocation(t *testing.T) {
	d, p := New(), packet(plain(t))
	var f Frame
	if n := testing.AllocsPerRun(100, func() { d.Decode(p, &f) }); n != 0 {
		t.Errorf("%.1f allocations per packet", n)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add(plain(f), uint16(1), uint32(0))
	f.Add(build(f, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolTCP), tcpSegment(), hello), uint16(1), uint32(9000))
	for _, p := range pieces4(big(f), 1480) {
		f.Add(p, uint16(1), uint32(0))
	}
	f.Add(append([]byte{8, 0, 0, 0, 0, 0, 0, 2, 0, 1, 4, 6, 2, 0, 0, 0, 0, 1, 0, 0}, plain(f)[14:]...), uint16(276), uint32(0))
	f.Add(build(f, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{DstPort: 4789}, &layers.VXLAN{ValidIDFlag: true, VNI: 4}, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolTCP), tcpSegment()), uint16(1), uint32(0))
	f.Add(build(f, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeIPv6, KeyPresent: true}, ip6(layers.IPProtocolIPv6Destination), raw(6, 0, 1, 4, 0, 0, 0, 0), tcpSegment()), uint16(1), uint32(0))
	const limit = 32 << 10
	d := NewWith(Settings{FragmentBytes: limit})
	f.Fuzz(func(t *testing.T, data []byte, link uint16, wire uint32) {
		p := &pcap.Packet{Data: data, Wire: wire, Link: pcap.LinkType(link)}
		var frame Frame
		r := d.Decode(p, &frame)
		if len(frame.Payload) > frame.Size || frame.Size < 0 {
			t.Errorf("result %d: %d bytes captured of %d", r, len(frame.Payload), frame.Size)
		}
		if int(frame.Options.SACKs) > len(frame.Options.SACK) {
			t.Errorf("%d SACK blocks", frame.Options.SACKs)
		}
		if h, ok := d.Hash(p); ok && h != frame.Hash {
			t.Errorf("result %d: Hash gives %x, Decode %x", r, h, frame.Hash)
		}
		if d.pieces.bytes > limit || d.pieces.bytes < 0 {
			t.Errorf("fragments hold %d bytes", d.pieces.bytes)
		}
	})
}

func BenchmarkDecode(b *testing.B) {
	p := packet(plain(b))
	d := New()
	b.Run("IPv4 TCP", func(b *testing.B) {
		var f Frame
		for b.Loop() {
			d.Decode(p, &f)
		}
	})
	b.Run("hash only", func(b *testing.B) {
		for b.Loop() {
			d.Hash(p)
		}
	})
	b.Run("IPv6 TCP", func(b *testing.B) {
		p := packet(build(b, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolTCP), tcpSegment(stamps()...), hello))
		var f Frame
		for b.Loop() {
			d.Decode(p, &f)
		}
	})
	b.Run("VXLAN", func(b *testing.B) {
		p := packet(build(b, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{DstPort: 4789}, &layers.VXLAN{ValidIDFlag: true, VNI: 4}, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolTCP), tcpSegment(stamps()...), hello))
		var f Frame
		for b.Loop() {
			d.Decode(p, &f)
		}
	})
	b.Run("fragments", func(b *testing.B) {
		ps := pieces4(big(b), 1480)
		var f Frame
		for b.Loop() {
			for _, x := range ps {
				d.Decode(packet(x), &f)
			}
		}
	})
}
