package drops

import (
	"slices"
	"testing"
	"time"

	"rtrail/internal/probe/event"
)

// Of more ports than rows may be, the rarest are summed up; no packet is lost.
func TestRowsOfManyPorts(t *testing.T) {
	s := New()
	s.set = &event.Set{}
	s.symbols = event.NewSymbols(s.set)
	fresh := map[key]sum{}
	var packets, bytes int64
	for port := range uint16(maxRows + 100) {
		n := uint64(port) + 1
		fresh[key{Location: 0xffffffff81000010, Protocol: etherIPv4, Transport: 17, Port: port + 1, Reason: 3}] = sum{Packets: n, Bytes: 10 * n, Source: [16]byte{10, 0, 0, 1}}
		packets, bytes = packets+int64(n), bytes+int64(10*n)
	}
	rows := s.rows(fresh, time.Now(), event.Traced{})
	if len(rows) != maxRows+1 {
		t.Fatalf("%d rows", len(rows))
	}
	for _, r := range rows {
		packets, bytes = packets-r.Packets, bytes-r.Bytes
	}
	last := rows[maxRows]
	if packets != 0 || bytes != 0 || last.Port != 0 || last.Source != "" || last.Packets != 100*101/2 {
		t.Errorf("%d packets and %d bytes are missing; the last row is %+v", packets, bytes, last)
	}
	if first := rows[0]; first.Port != maxRows+100 || first.Source != "10.0.0.1" || first.Protocol != "udp" || first.Reason != "reason 3" {
		t.Errorf("the first row is %+v", first)
	}
}

func TestNames(t *testing.T) {
	var got []string
	for _, c := range []struct {
		ether     uint16
		transport uint32
	}{{etherIPv4, 6}, {etherARP, 0}, {0x86dd, 58}, {etherIPv4, 99}} {
		got = append(got, protocol(c.ether, c.transport))
	}
	if want := []string{"tcp", "arp", "icmpv6", "ip-99"}; !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := address(0x86dd, [16]byte{0x20, 1, 0xd, 0xb8, 15: 1}); got != "2001:db8::1" {
		t.Error(got)
	}
	s := &Source{set: &event.Set{}}
	if got := s.reason(3<<16 | 5); got != "subsystem 3 reason 5" {
		t.Error(got)
	}
}
