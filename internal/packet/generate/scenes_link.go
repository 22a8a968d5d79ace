package generate

import (
	"encoding/binary"
	"io"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// linkScenes are the same two requests in every wrapping there is.
func linkScenes() []*scene {
	one := func(b ...[]byte) [][]byte {
		var all []byte
		for _, part := range b {
			all = append(all, part...)
		}
		return [][]byte{all}
	}
	var all []*scene
	for _, w := range []struct {
		name string
		link pcap.LinkType
		six  bool
		wrap func(d flow.Dir, ip []byte) [][]byte
	}{
		{"ethernet", pcap.LinkEthernet, false, nil},
		{"vlan", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte {
			return one(addresses(d), []byte{0x81, 0, 0, 7}, etherType(ip), ip)
		}},
		{"qinq", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte {
			return one(addresses(d), []byte{0x88, 0xa8, 0, 9, 0x81, 0, 0, 7}, etherType(ip), ip)
		}},
		{"sll", pcap.LinkLinuxSLL, false, func(d flow.Dir, ip []byte) [][]byte {
			return one([]byte{0, 4 * byte(d), 0, 1, 0, 6, 2, 0, 0, 0, 0, byte(d), 0, 0}, etherType(ip), ip)
		}},
		{"sll2", pcap.LinkLinuxSLL2, false, func(d flow.Dir, ip []byte) [][]byte {
			return one(etherType(ip), []byte{0, 0, 0, 0, 0, 2, 0, 1, 4 * byte(d), 6, 2, 0, 0, 0, 0, byte(d), 0, 0}, ip)
		}},
		{"raw", pcap.LinkRaw, false, func(_ flow.Dir, ip []byte) [][]byte { return one(ip) }},
		{"raw-ipv6", pcap.LinkRaw, true, func(_ flow.Dir, ip []byte) [][]byte { return one(ip) }},
		{"null", pcap.LinkNull, false, func(_ flow.Dir, ip []byte) [][]byte { return one([]byte{2, 0, 0, 0}, ip) }},
		{"null-ipv6", pcap.LinkNull, true, func(_ flow.Dir, ip []byte) [][]byte { return one([]byte{30, 0, 0, 0}, ip) }},
		{"loop", pcap.LinkLoop, false, func(_ flow.Dir, ip []byte) [][]byte { return one([]byte{0, 0, 0, 2}, ip) }},
		{"ipv6", pcap.LinkEthernet, true, nil},
		{"ipv6-extensions", pcap.LinkEthernet, true, func(d flow.Dir, ip []byte) [][]byte {
			return one(ethernet(d, extended(ip, []byte{60, 0, 1, 4, 0, 0, 0, 0}, []byte{6, 0, 1, 4, 0, 0, 0, 0})))
		}},
		{"vxlan", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte {
			return one(ethernet(d, tunnel(d, 17, udp(4789, []byte{8, 0, 0, 0, 0, 0, 42, 0}, ethernet(d, ip)))))
		}},
		{"geneve", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte {
			return one(ethernet(d, tunnel(d, 17, udp(6081, []byte{2, 0, 0x65, 0x58, 0, 0, 42, 0, 1, 2, 3, 1, 0, 0, 0, 0}, ethernet(d, ip)))))
		}},
		{"gre", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte {
			return one(ethernet(d, tunnel(d, 47, append(append([]byte{0x20, 0}, etherType(ip)...), append([]byte{0, 0, 0, 42}, ip...)...))))
		}},
		{"fragments", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte { return fragments(d, ip, false) }},
		{"fragments-ipv6", pcap.LinkEthernet, true, func(d flow.Dir, ip []byte) [][]byte {
			all := [][]byte{}
			for _, f := range fragments6(ip) {
				all = append(all, ethernet(d, f))
			}
			return all
		}},
		{"fragments-reordered", pcap.LinkEthernet, false, func(d flow.Dir, ip []byte) [][]byte { return fragments(d, ip, true) }},
	} {
		s := newScene("link-"+w.name, "two requests and their answers, and a close")
		s.link, s.six, s.wrap = w.link, w.six, w.wrap
		s.plain()
		all = append(all, s)
	}
	return all
}

// plain is two requests and their answers.
func (s *scene) plain() {
	t := s.talk(80)
	t.handshake(0)
	for i := range 2 {
		when := 10 * ms * (1 + timeOf(i))
		q := t.say(when, toServer, get)
		r := t.say(when+4*ms, toClient, page(100))
		t.hear(when+5*ms, toServer)
		t.simple("http", "GET", q, r)
	}
	t.leave(50 * ms)
}

// extended puts extension headers into an IPv6 packet.
func extended(ip []byte, headers ...[]byte) []byte {
	b := append([]byte(nil), ip[:40]...)
	b[6] = 0 // hop-by-hop options
	for _, h := range headers {
		b = append(b, h...)
	}
	b = append(b, ip[40:]...)
	binary.BigEndian.PutUint16(b[4:], uint16(len(b)-40))
	return b
}

// tunnel is an IPv4 packet between the ends of a tunnel.
func tunnel(d flow.Dir, protocol byte, payload []byte) []byte {
	b := make([]byte, ip4Length, ip4Length+len(payload))
	putIP4(b, [4]byte{192, 0, 2, byte(d) + 1}, [4]byte{192, 0, 2, byte(d.Other()) + 1}, ip4Length+len(payload), 1)
	b[9] = protocol
	sumIP4(b)
	return append(b, payload...)
}

func udp(port uint16, parts ...[]byte) []byte {
	b := make([]byte, 8)
	binary.BigEndian.PutUint16(b, 55555)
	binary.BigEndian.PutUint16(b[2:], port)
	for _, part := range parts {
		b = append(b, part...)
	}
	binary.BigEndian.PutUint16(b[4:], uint16(len(b)))
	return b
}

// fragments cuts an IPv4 packet with data in two. Reordered, the second one
// comes first.
func fragments(d flow.Dir, ip []byte, reorder bool) [][]byte {
	const first = 40 // bytes of the IP payload; the whole TCP header is in it
	if len(ip) <= ip4Length+first {
		return [][]byte{ethernet(d, ip)}
	}
	a := append([]byte(nil), ip[:ip4Length+first]...)
	b := append(append([]byte(nil), ip[:ip4Length]...), ip[ip4Length+first:]...)
	for i, f := range [][]byte{a, b} {
		id := binary.BigEndian.Uint16(ip[4:])
		putIP4(f, [4]byte(ip[12:]), [4]byte(ip[16:]), len(f), id)
		f[6], f[7] = 0, byte(i*first/8)
		if i == 0 {
			f[6] = 0x20
		}
		sumIP4(f)
	}
	if reorder {
		a, b = b, a
	}
	return [][]byte{ethernet(d, a), ethernet(d, b)}
}

// fragments6 cuts an IPv6 packet with data in two.
func fragments6(ip []byte) [][]byte {
	const first = 40
	data := ip[40:]
	if len(data) <= first {
		return [][]byte{ip}
	}
	piece := func(data []byte, offset, more byte) []byte {
		b := append([]byte(nil), ip[:40]...)
		b[6] = 44
		binary.BigEndian.PutUint16(b[4:], uint16(8+len(data)))
		// The sender's sequence number makes an identification that does not come again.
		b = append(b, 6, 0, 0, offset|more)
		b = append(b, ip[44:48]...)
		return append(b, data...)
	}
	return [][]byte{piece(data[:first], 0, 1), piece(data[first:], first, 0)}
}

// anyScene is what a capture on all interfaces sees of traffic that goes
// through two of them.
func anyScene() *scene {
	s := newScene("any-duplicates", "every packet was captured on two interfaces, three microseconds apart")
	s.link = pcap.LinkLinuxSLL2
	s.twice = true
	s.wrap = func(_ flow.Dir, ip []byte) [][]byte {
		var all [][]byte
		for i := range 2 { // it comes in at the first and goes out at the second
			head := append(etherType(ip), 0, 0, 0, 0, 0, byte(i)+2, 0, 1, 4*byte(i), 6, 2, 0, 0, 0, 0, 9, 0, 0)
			all = append(all, append(head, ip...))
		}
		return all
	}
	s.plain()
	return s
}

// formatScenes are the same capture in every file format.
func formatScenes() []*scene {
	var all []*scene
	for _, f := range []struct {
		name string
		save func(io.Writer, *scene) error
	}{
		{"pcap-nano-little", func(w io.Writer, s *scene) error { return saveClassic(w, s, binary.LittleEndian, 0xa1b23c4d, 1) }},
		{"pcap-nano-big", func(w io.Writer, s *scene) error { return saveClassic(w, s, binary.BigEndian, 0xa1b23c4d, 1) }},
		{"pcap-micro-little", func(w io.Writer, s *scene) error { return saveClassic(w, s, binary.LittleEndian, 0xa1b2c3d4, 1000) }},
		{"pcap-micro-big", func(w io.Writer, s *scene) error { return saveClassic(w, s, binary.BigEndian, 0xa1b2c3d4, 1000) }},
		{"pcapng-little", func(w io.Writer, s *scene) error { return saveNG(w, s, binary.LittleEndian) }},
		{"pcapng-big", func(w io.Writer, s *scene) error { return saveNG(w, s, binary.BigEndian) }},
	} {
		s := newScene("format-"+f.name, "two requests and their answers, and a close")
		s.save = f.save
		s.plain()
		all = append(all, s)
	}
	return all
}

func saveClassic(w io.Writer, s *scene, order binary.AppendByteOrder, magic uint32, unit int64) error {
	words := func(b []byte, vs ...uint32) []byte {
		for _, v := range vs {
			b = order.AppendUint32(b, v)
		}
		return b
	}
	b := words(nil, magic)
	b = order.AppendUint16(b, 2)
	b = order.AppendUint16(b, 4)
	b = words(b, 0, 0, 262144, uint32(s.link))
	for _, p := range s.frames {
		b = words(b, uint32(p.Time/1e9), uint32(p.Time%1e9/unit), uint32(len(p.Data)), p.Wire)
		b = append(b, p.Data...)
	}
	_, err := w.Write(b)
	return err
}

// saveNG writes packets of an interface with a resolution of nanoseconds.
func saveNG(w io.Writer, s *scene, order binary.AppendByteOrder) error {
	var b []byte
	block := func(kind uint32, body ...any) {
		from := len(b)
		b = order.AppendUint32(order.AppendUint32(b, kind), 0)
		for _, v := range body {
			switch v := v.(type) {
			case uint16:
				b = order.AppendUint16(b, v)
			case uint32:
				b = order.AppendUint32(b, v)
			case []byte:
				b = append(b, v...)
				b = append(b, make([]byte, -len(v)&3)...)
			}
		}
		n := uint32(len(b) - from + 4)
		b = order.AppendUint32(b, n)
		copy(b[from+4:], order.AppendUint32(nil, n))
	}
	block(0x0a0d0d0a, uint32(0x1a2b3c4d), uint16(1), uint16(0), ^uint32(0), ^uint32(0))
	block(1, uint16(s.link), uint16(0), uint32(0), uint16(9), uint16(1), []byte{9}, uint32(0))
	for _, p := range s.frames {
		block(6, uint32(0), uint32(uint64(p.Time)>>32), uint32(p.Time), uint32(len(p.Data)), p.Wire, p.Data)
	}
	_, err := w.Write(b)
	return err
}
