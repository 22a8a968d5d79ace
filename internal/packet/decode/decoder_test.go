package decode

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/gopacket/gopacket"
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
		{name: "Ethernet that is said to be IP", data: p4, link: pcap.LinkRaw, want: Alien},
		{name: "Ethernet that is said to be IPv4", data: p4, link: pcap.LinkIPv4, want: Alien},
		{name: "family of IP, and no IP", data: append([]byte{2, 0, 0, 0}, p4...), link: pcap.LinkLoop, want: Alien},
		{name: "another family", data: append([]byte{7, 0, 0, 0}, p4...), link: pcap.LinkLoop, want: NotIP},
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
	for _, e := range envelopes(segment(f), f) {
		f.Add(e.data, uint16(e.link), uint32(0))
	}
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
		if h := d.Hash(p); h != 0 && h != frame.Hash {
			t.Errorf("result %d: Hash gives %x, Decode %x", r, h, frame.Hash)
		} else if h != 0 {
			// What was in the frame before must not show through.
			other := Frame{Space: 1, Proto: 2, TTL: 3, Size: 4, Seq: 5, Ack: 6, Flags: 7, Window: 8, DF: true, Pieces: true, Checksum: 9}
			other.Src.Port, other.Dst.Port, other.Options.SACKs, other.Options.HasTime, other.ICMP = 10, 11, 1, true, frame.ICMP
			if again := d.DecodeHashed(p, h, &other); again != r || !cmp.Equal(other, frame, cmpopts.IgnoreFields(Options{}, "SACK")) {
				t.Errorf("with its hash: result %d, not %d:\n%s", again, r, cmp.Diff(frame, other))
			}
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
