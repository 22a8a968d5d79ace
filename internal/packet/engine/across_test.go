package engine

import (
	"encoding/binary"
	"slices"
	"testing"

	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
)

// inside wraps the packets of talk: by their direction, into the network of that.
func inside(packets [][]byte, wrap [2]func([]byte) []byte) (out [][]byte) {
	for _, p := range packets {
		side := 0
		if p[29] == 2 { // the last byte of the source address
			side = 1
		}
		out = append(out, wrap[side](p))
	}
	return out
}

func vlan(id uint16) func([]byte) []byte {
	return func(p []byte) []byte {
		tag := binary.BigEndian.AppendUint16([]byte{0x81, 0}, id)
		return slices.Concat(p[:12], tag, p[12:])
	}
}

// gre carries Ethernet or IP over IP, with what stands in GRE's header.
func gre(header string, ip bool) func([]byte) []byte {
	return func(p []byte) []byte {
		inner := p
		if ip {
			inner = p[14:]
		}
		outer := tcpPacket(0, 0, 0, 0, "")[:34]
		outer[14+9] = 47
		binary.BigEndian.PutUint16(outer[16:], uint16(20+len(header)+len(inner)))
		return slices.Concat(outer, []byte(header), inner)
	}
}

// TestDirectionsInOtherNetworks has connections of which each direction is in a
// network of its own.
func TestDirectionsInOtherNetworks(t *testing.T) {
	const erspan = "\x10\x00\x88\xbe\x00\x00\x00\x01" // type II, numbered
	lines := []string{">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ">GET /a HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"}
	for name, wrap := range map[string][2]func([]byte) []byte{
		"VLANs":                 {vlan(10), vlan(20)},
		"one tagged":            {vlan(10), func(p []byte) []byte { return p }},
		"keys of GRE":           {gre("\x20\x00\x08\x00\x00\x00\x00\x01", true), gre("\x20\x00\x08\x00\x00\x00\x00\x02", true)},
		"a tunnel there only":   {gre("\x20\x00\x08\x00\x00\x00\x00\x01", true), func(p []byte) []byte { return p }},
		"sessions of ERSPAN":    {gre(erspan+"\x10\x00\x00\x01\x00\x00\x00\x00", false), gre(erspan+"\x10\x00\x00\x02\x00\x00\x00\x00", false)},
		"VLANs within a mirror": {func(p []byte) []byte { return gre(erspan+"\x10\x00\x00\x01\x00\x00\x00\x00", false)(vlan(10)(p)) }, gre(erspan+"\x10\x00\x00\x02\x00\x00\x00\x00", false)},
	} {
		for _, midway := range []bool{false, true} {
			k, _ := run(t, writeCapture(t, inside(talk(80, midway, lines...), wrap)...), 2)
			answered := 0
			for _, x := range k.transactions {
				if x.Status == proto.Answered {
					answered++
				}
			}
			if len(k.connections) != 1 || k.connections[0].OneWay() || answered != 2 {
				t.Errorf("%s, midway %v: %d connections, %d requests answered, want 1 and 2", name, midway, len(k.connections), answered)
			}
		}
	}
}

// TestEqualAddresses has two networks with equal addresses, whose connections have
// numbers of their own; of one, and of both, only a direction was captured.
func TestEqualAddresses(t *testing.T) {
	other := talk(80, true, "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", ">GET /a HTTP/1.1\r\n\r\n")
	for _, p := range other {
		for _, at := range []int{38, 42} {
			binary.BigEndian.PutUint32(p[at:], binary.BigEndian.Uint32(p[at:])+1<<29)
		}
	}
	first := inside(talk(80, true, ">GET / HTTP/1.1\r\n\r\n", "<HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), [2]func([]byte) []byte{vlan(10), vlan(10)})
	second := inside(other, [2]func([]byte) []byte{vlan(20), vlan(20)})
	for name, packets := range map[string][][]byte{
		"both directions of both":        {first[0], second[0], first[1], second[1]},
		"one direction of the first":     {first[0], second[0], second[1]},
		"different directions, one each": {first[0], second[0]},
	} {
		k, _ := run(t, writeCapture(t, packets...), 1)
		if len(k.connections) != 2 || slices.ContainsFunc(k.connections, func(c rt.Connection) bool { return c.Space != c.Across }) {
			t.Errorf("%s: %d connections, want 2", name, len(k.connections))
		}
	}
}
