package drops

import (
	"net"
	"net/netip"
	"testing"
	"time"

	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// TestLive sends datagrams to a port that is closed, and to a socket that is not read.
func TestLive(t *testing.T) {
	open, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer open.Close()
	if err := open.SetReadBuffer(1); err != nil { // the least that the kernel gives
		t.Fatal(err)
	}
	closed, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	const size, few, many = 100, 37, 400
	send := func(to net.Addr, n int) {
		s, err := net.ListenUDP("udp4", nil)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for range n {
			if _, err := s.WriteTo(make([]byte, size), to); err != nil {
				t.Fatal(err)
			}
		}
	}
	rec := eventtest.Watch(t, New(), func() { send(closed.LocalAddr(), few) }, func() { send(open.LocalAddr(), many) })

	kept := 0 // by the socket
	b := make([]byte, size)
	for open.SetReadDeadline(time.Now().Add(50*time.Millisecond)) == nil {
		if _, err := open.Read(b); err != nil {
			break
		}
		kept++
	}
	port := func(a net.Addr) uint16 { return a.(*net.UDPAddr).AddrPort().Port() }
	got := map[uint16]recording.PacketDrop{}
	for _, r := range recording.Rows[recording.PacketDrop](rec) {
		if r.Protocol == "udp" && (r.Port == port(closed.LocalAddr()) || r.Port == port(open.LocalAddr())) {
			if _, ok := got[r.Port]; ok {
				t.Errorf("port %d has two rows", r.Port)
			}
			got[r.Port] = r
		}
	}
	for _, c := range []struct {
		port   uint16
		reason string
		n      int
	}{{port(closed.LocalAddr()), "NO_SOCKET", few}, {port(open.LocalAddr()), "SOCKET_RCVBUFF", many - kept}} {
		r := got[c.port]
		if r.Packets != int64(c.n) || r.Reason != c.reason {
			t.Errorf("%d packets for %s, want %d for %s", r.Packets, r.Reason, c.n, c.reason)
		}
		if from, err := netip.ParseAddr(r.Source); err != nil || !from.IsLoopback() || r.Destination != "127.0.0.1" || r.NetNS == 0 || r.Function == "" || r.Bytes < r.Packets*size {
			t.Errorf("%+v", r)
		}
	}
}
