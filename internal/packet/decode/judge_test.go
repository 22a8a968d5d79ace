package decode

import (
	"fmt"
	"net"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/layers"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// The packets of these tests are built and read by gopacket, whose decoders
// share nothing with ours.

var (
	macA = net.HardwareAddr{2, 0, 0, 0, 0, 1}
	macB = net.HardwareAddr{2, 0, 0, 0, 0, 2}
	a4   = net.IP{10, 1, 2, 3}
	b4   = net.IP{192, 168, 7, 9}
	a6   = net.ParseIP("2001:db8::1")
	b6   = net.ParseIP("fd00:1:2:3::9")
)

func build(t testing.TB, ls ...gopacket.SerializableLayer) []byte {
	t.Helper()
	var network gopacket.NetworkLayer
	for _, l := range ls {
		if n, ok := l.(gopacket.NetworkLayer); ok {
			network = n
		}
		switch l := l.(type) {
		case *layers.TCP:
			_ = l.SetNetworkLayerForChecksum(network)
		case *layers.UDP:
			_ = l.SetNetworkLayerForChecksum(network)
		case *layers.ICMPv6:
			_ = l.SetNetworkLayerForChecksum(network)
		}
	}
	buf := gopacket.NewSerializeBuffer()
	if err := gopacket.SerializeLayers(buf, gopacket.SerializeOptions{FixLengths: true, ComputeChecksums: true}, ls...); err != nil {
		t.Fatal(err)
	}
	return append([]byte(nil), buf.Bytes()...)
}

func eth(t layers.EthernetType) *layers.Ethernet {
	return &layers.Ethernet{SrcMAC: macA, DstMAC: macB, EthernetType: t}
}

func ip4(p layers.IPProtocol) *layers.IPv4 {
	return &layers.IPv4{Version: 4, TTL: 63, Id: 4711, Flags: layers.IPv4DontFragment, Protocol: p, SrcIP: a4, DstIP: b4}
}

func ip6(p layers.IPProtocol) *layers.IPv6 {
	return &layers.IPv6{Version: 6, HopLimit: 62, NextHeader: p, SrcIP: a6, DstIP: b6}
}

func tcpSegment(opts ...layers.TCPOption) *layers.TCP {
	return &layers.TCP{SrcPort: 40123, DstPort: 3306, Seq: 0xfffffff0, Ack: 77, ACK: true, PSH: true, Window: 501, Options: opts}
}

func stamps() []layers.TCPOption {
	return []layers.TCPOption{
		{OptionType: layers.TCPOptionKindNop}, {OptionType: layers.TCPOptionKindNop},
		{OptionType: layers.TCPOptionKindTimestamps, OptionLength: 10, OptionData: []byte{0, 0, 1, 2, 0, 0, 3, 4}},
	}
}

func raw(b ...byte) gopacket.Payload { return gopacket.Payload(b) }

var hello = gopacket.Payload("hello, server")

// verdict is what both decoders have to say about a packet.
type verdict struct {
	Src, Dst               flow.Endpoint
	Proto                  uint8
	TTL                    uint8
	IPID                   uint16
	DF                     bool
	Payload                string
	Size                   int
	Checksum               uint16
	Seq, Ack               uint32
	Flags                  uint8
	Window                 uint16
	MSS                    uint16
	Scale                  int8
	SACKPermitted, HasTime bool
	TSVal, TSEcr           uint32
	SACK                   string
}

func ours(f *Frame) verdict {
	v := verdict{
		Src: f.Src, Dst: f.Dst, Proto: f.Proto, TTL: f.TTL, IPID: f.IPID, DF: f.DF,
		Payload: string(f.Payload), Size: f.Size, Checksum: f.Checksum,
		Seq: f.Seq, Ack: f.Ack, Flags: f.Flags, Window: f.Window,
		MSS: f.Options.MSS, Scale: f.Options.Scale, SACKPermitted: f.Options.SACKPermitted,
		HasTime: f.Options.HasTime, TSVal: f.Options.TSVal, TSEcr: f.Options.TSEcr,
	}
	for _, s := range f.Options.SACK[:f.Options.SACKs] {
		v.SACK += fmt.Sprintf("%d-%d ", s[0], s[1])
	}
	return v
}

func addrOf(ip net.IP) flow.Addr {
	a, _ := netip.AddrFromSlice(ip)
	return a.As16()
}

// judge is gopacket's view of the innermost packet.
func judge(data []byte, first gopacket.Decoder) verdict {
	var v verdict
	v.Scale = -1
	p := gopacket.NewPacket(data, first, gopacket.DecodeOptions{NoCopy: true})
	for _, l := range p.Layers() {
		switch l := l.(type) {
		case *layers.IPv4:
			v = verdict{Scale: -1, TTL: l.TTL, IPID: l.Id, DF: l.Flags&layers.IPv4DontFragment != 0, Proto: uint8(l.Protocol)}
			v.Src.Addr, v.Dst.Addr = addrOf(l.SrcIP), addrOf(l.DstIP)
		case *layers.IPv6:
			v = verdict{Scale: -1, TTL: l.HopLimit, Proto: uint8(l.NextHeader)}
			v.Src.Addr, v.Dst.Addr = addrOf(l.SrcIP), addrOf(l.DstIP)
		case *layers.IPv6Fragment:
			v.IPID = uint16(l.Identification)
		case *layers.TCP:
			v.Proto = TCP
			v.Src.Port, v.Dst.Port = uint16(l.SrcPort), uint16(l.DstPort)
			v.Seq, v.Ack, v.Window, v.Checksum = l.Seq, l.Ack, l.Window, l.Checksum
			for i, set := range []bool{l.FIN, l.SYN, l.RST, l.PSH, l.ACK, l.URG, l.ECE, l.CWR} {
				if set {
					v.Flags |= 1 << i
				}
			}
			for _, o := range l.Options {
				d := o.OptionData
				switch o.OptionType {
				case layers.TCPOptionKindMSS:
					v.MSS = uint16(d[0])<<8 | uint16(d[1])
				case layers.TCPOptionKindWindowScale:
					v.Scale = int8(d[0])
				case layers.TCPOptionKindSACKPermitted:
					v.SACKPermitted = true
				case layers.TCPOptionKindTimestamps:
					v.HasTime, v.TSVal, v.TSEcr = true, be32(d), be32(d[4:])
				case layers.TCPOptionKindSACK:
					for ; len(d) >= 8; d = d[8:] {
						v.SACK += fmt.Sprintf("%d-%d ", be32(d), be32(d[4:]))
					}
				}
			}
			v.Payload, v.Size = string(l.Payload), len(l.Payload)
		case *layers.UDP:
			v.Proto = UDP
			v.Src.Port, v.Dst.Port = uint16(l.SrcPort), uint16(l.DstPort)
			v.Checksum = l.Checksum
			v.Payload, v.Size = string(l.Payload), len(l.Payload)
		case *layers.ICMPv4:
			v.Checksum = l.Checksum
			v.Payload, v.Size = string(l.Payload), len(l.Payload)
		}
	}
	return v
}

func be32(b []byte) uint32 {
	return uint32(b[0])<<24 | uint32(b[1])<<16 | uint32(b[2])<<8 | uint32(b[3])
}

func TestAgainstGopacket(t *testing.T) {
	const (
		e4, e6 = layers.EthernetTypeIPv4, layers.EthernetTypeIPv6
		pTCP   = layers.IPProtocolTCP
		pUDP   = layers.IPProtocolUDP
	)
	syn := &layers.TCP{SrcPort: 40123, DstPort: 3306, Seq: 9, SYN: true, ECE: true, CWR: true, Window: 64240, Options: []layers.TCPOption{
		{OptionType: layers.TCPOptionKindMSS, OptionLength: 4, OptionData: []byte{5, 180}},
		{OptionType: layers.TCPOptionKindSACKPermitted, OptionLength: 2},
		{OptionType: layers.TCPOptionKindTimestamps, OptionLength: 10, OptionData: []byte{1, 2, 3, 4, 0, 0, 0, 0}},
		{OptionType: layers.TCPOptionKindNop},
		{OptionType: layers.TCPOptionKindWindowScale, OptionLength: 3, OptionData: []byte{7}},
	}}
	sack := tcpSegment(append(stamps(),
		layers.TCPOption{OptionType: layers.TCPOptionKindSACK, OptionLength: 26, OptionData: []byte{
			0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 5, 0, 0, 0, 9, 0xff, 0xff, 0xff, 0xff, 0, 0, 0, 3}})...)
	withOptions := ip4(pTCP)
	withOptions.Options = []layers.IPv4Option{{OptionType: 148, OptionLength: 4, OptionData: []byte{0, 0}}}
	vlan := func(id uint16, t layers.EthernetType) *layers.Dot1Q {
		return &layers.Dot1Q{VLANIdentifier: id, Type: t}
	}
	udp := func(port uint16) *layers.UDP { return &layers.UDP{SrcPort: 5353, DstPort: layers.UDPPort(port)} }
	outer := func(p layers.IPProtocol) *layers.IPv4 {
		return &layers.IPv4{Version: 4, TTL: 9, Protocol: p, SrcIP: net.IP{1, 1, 1, 1}, DstIP: net.IP{2, 2, 2, 2}}
	}
	echo := &layers.ICMPv4{TypeCode: layers.CreateICMPv4TypeCode(8, 0), Id: 5, Seq: 6}

	for _, c := range []struct {
		name  string
		link  pcap.LinkType
		first gopacket.Decoder // default: Ethernet
		space string
		data  []byte
		slow  bool // Hash leaves it to Decode
	}{
		{name: "plain", data: build(t, eth(e4), ip4(pTCP), tcpSegment(stamps()...), hello)},
		{name: "no options", data: build(t, eth(e4), ip4(pTCP), tcpSegment(), hello)},
		{name: "SYN", data: build(t, eth(e4), ip4(pTCP), syn)},
		{name: "SACK", data: build(t, eth(e4), ip4(pTCP), sack)},
		{name: "padded", data: append(build(t, eth(e4), ip4(pTCP), tcpSegment()), 0, 0, 0, 0, 0, 0)},
		{name: "IP options", data: build(t, eth(e4), withOptions, tcpSegment(), hello), slow: true},
		{name: "IPv6", data: build(t, eth(e6), ip6(pTCP), tcpSegment(stamps()...), hello)},
		{name: "UDP", data: build(t, eth(e4), ip4(pUDP), udp(53), hello)},
		{name: "UDP over IPv6, padded", data: append(build(t, eth(e6), ip6(pUDP), udp(53), raw(1)), 9, 9, 9)},
		{name: "echo", data: build(t, eth(e4), ip4(layers.IPProtocolICMPv4), echo, hello), slow: true},
		{name: "VLAN", space: "vlan 5", data: build(t, eth(layers.EthernetTypeDot1Q), vlan(5, e4), ip4(pTCP), tcpSegment(), hello)},
		{name: "priority tag", data: build(t, eth(layers.EthernetTypeDot1Q), vlan(0, e4), ip4(pTCP), tcpSegment(), hello)},
		{name: "QinQ", space: "vlan 7, vlan 5", data: build(t, eth(layers.EthernetTypeQinQ), vlan(7, layers.EthernetTypeDot1Q), vlan(5, e6), ip6(pTCP), tcpSegment(), hello)},
		{name: "MPLS", slow: true, data: build(t, eth(layers.EthernetTypeMPLSUnicast), &layers.MPLS{Label: 17, TTL: 3}, &layers.MPLS{Label: 18, StackBottom: true, TTL: 3}, ip4(pTCP), tcpSegment(), hello)},
		{name: "PPPoE", slow: true, data: build(t, eth(layers.EthernetTypePPPoESession), &layers.PPPoE{Version: 1, Type: 1, SessionId: 3}, &layers.PPP{PPPType: layers.PPPTypeIPv4}, ip4(pTCP), tcpSegment(), hello)},
		{name: "SNAP", slow: true, data: build(t, &layers.Ethernet{SrcMAC: macA, DstMAC: macB, EthernetType: layers.EthernetTypeLLC, Length: 74}, &layers.LLC{DSAP: 0xaa, SSAP: 0xaa, Control: 3}, &layers.SNAP{OrganizationalCode: []byte{0, 0, 0}, Type: e4}, ip4(pTCP), tcpSegment(), hello)},
		{name: "raw 4", link: pcap.LinkRaw, first: layers.LayerTypeIPv4, data: build(t, ip4(pTCP), tcpSegment(), hello)},
		{name: "raw 6", link: pcap.LinkRaw, first: layers.LayerTypeIPv6, data: build(t, ip6(pTCP), tcpSegment(), hello)},
		{name: "null", link: pcap.LinkNull, first: layers.LayerTypeLoopback, slow: true, data: build(t, raw(2, 0, 0, 0), ip4(pTCP), tcpSegment(), hello)},
		{name: "null, big endian, IPv6", link: pcap.LinkLoop, first: layers.LayerTypeLoopback, slow: true, data: build(t, raw(0, 0, 0, 30), ip6(pTCP), tcpSegment(), hello)},
		{name: "SLL", link: pcap.LinkLinuxSLL, first: layers.LayerTypeLinuxSLL, data: build(t, raw(0, 4, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0, 8, 0), ip4(pTCP), tcpSegment(), hello)},
		{name: "SLL2", link: pcap.LinkLinuxSLL2, first: layers.LayerTypeLinuxSLL2, data: build(t, raw(0x86, 0xdd, 0, 0, 0, 0, 0, 3, 0, 1, 0, 6, 2, 0, 0, 0, 0, 1, 0, 0), ip6(pTCP), tcpSegment(), hello)},
		{name: "VXLAN", slow: true, space: "vxlan 4242", data: build(t, eth(e4), outer(pUDP), udp(4789), &layers.VXLAN{ValidIDFlag: true, VNI: 4242}, eth(e4), ip4(pTCP), tcpSegment(stamps()...), hello)},
		{name: "VLAN in VXLAN in VLAN", slow: true, space: "vlan 8, vxlan 4242, vlan 9", data: build(t, eth(layers.EthernetTypeDot1Q), vlan(8, e4), outer(pUDP), udp(4789), &layers.VXLAN{ValidIDFlag: true, VNI: 4242}, eth(layers.EthernetTypeDot1Q), vlan(9, e6), ip6(pUDP), udp(53), hello)},
		{name: "Geneve", slow: true, space: "geneve 99", data: build(t, eth(e4), outer(pUDP), udp(6081), &layers.Geneve{Protocol: layers.EthernetTypeTransparentEthernetBridging, VNI: 99}, eth(e4), ip4(pTCP), tcpSegment(), hello)},
		{name: "GRE", slow: true, data: build(t, eth(e4), outer(layers.IPProtocolGRE), &layers.GRE{Protocol: e4}, ip4(pTCP), tcpSegment(), hello)},
		{name: "GRE with key, checksum and number", slow: true, space: "gre key 7", data: build(t, eth(e4), outer(layers.IPProtocolGRE), &layers.GRE{Protocol: e6, KeyPresent: true, Key: 7, SeqPresent: true, ChecksumPresent: true}, ip6(pTCP), tcpSegment(), hello)},
		{name: "NVGRE", slow: true, space: "nvgre 5000", data: build(t, eth(e4), outer(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeTransparentEthernetBridging, KeyPresent: true, Key: 5000<<8 | 77}, eth(e4), ip4(pTCP), tcpSegment(), hello)},
		{name: "ERSPAN", slow: true, data: build(t, eth(e4), outer(layers.IPProtocolGRE), &layers.GRE{Protocol: layers.EthernetTypeERSPAN, SeqPresent: true, Seq: 3}, &layers.ERSPANII{Version: 1, SessionID: 5}, eth(e4), ip4(pTCP), tcpSegment(), hello)},
		{name: "IPIP", slow: true, data: build(t, eth(e4), outer(layers.IPProtocolIPv4), ip4(pTCP), tcpSegment(), hello)},
		{name: "6in4", slow: true, data: build(t, eth(e4), outer(layers.IPProtocolIPv6), ip6(pTCP), tcpSegment(), hello)},
		{name: "IPv6 destination options", slow: true, data: build(t, eth(e6), ip6(layers.IPProtocolIPv6Destination), raw(6, 0, 1, 4, 0, 0, 0, 0), tcpSegment(), hello)},
		{name: "IPv6 hop by hop, destination", slow: true, data: build(t, eth(e6), ip6(layers.IPProtocolIPv6HopByHop),
			raw(60, 0, 1, 4, 0, 0, 0, 0), raw(17, 1, 1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0), udp(53), hello)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.first == nil {
				c.first, c.link = layers.LayerTypeEthernet, pcap.LinkEthernet
			}
			d := New()
			var f Frame
			p := pcap.Packet{Time: 5, Frame: 6, Data: c.data, Wire: uint32(len(c.data)), Link: c.link}
			if r := d.Decode(&p, &f); r != OK {
				t.Fatalf("result %d, want OK", r)
			}
			if diff := cmp.Diff(judge(c.data, c.first), ours(&f)); diff != "" {
				t.Errorf("gopacket (-) and we (+) differ:\n%s", diff)
			}
			if got := d.SpaceName(f.Space); got != c.space {
				t.Errorf("space %q, want %q", got, c.space)
			}
			h := d.Hash(&p)
			if (h == 0) != c.slow || h != 0 && h != f.Hash {
				t.Errorf("Hash() = %x; Decode: %x", h, f.Hash)
			}
			if f.Hash == 0 || f.Hash != hashEnds(&f.Dst, &f.Src, f.Proto) {
				t.Errorf("hash %x is not that of the other direction", f.Hash)
			}

			// Cut anywhere, nothing may be made up: what is said is true, and the length stays.
			for n := range c.data {
				p.Data = c.data[:n:n]
				var cut Frame
				r := d.Decode(&p, &cut)
				if r == OK && cut.Size != f.Size && cut.Src == f.Src {
					t.Errorf("cut to %d: size %d, want %d", n, cut.Size, f.Size)
				}
				if r == OK && cut.Src == f.Src && len(cut.Payload) > 0 && string(cut.Payload) != string(f.Payload[:len(cut.Payload)]) {
					t.Errorf("cut to %d: other payload", n)
				}
				if r == Broken || r == Foreign || r == Fragment {
					t.Errorf("cut to %d: result %d", n, r)
				}
			}
		})
	}
}
