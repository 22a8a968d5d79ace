package mysqlconn

import (
	"context"
	"net"
	"net/netip"
	"testing"
	"time"
)

func TestOurs(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	target := Target{Network: "tcp", Address: silent.Addr().String(), Name: "silent"}
	if _, err := target.Connect(ctx, nil); err == nil {
		t.Fatal("a server that says nothing let somebody in")
	}
	theirs, err := silent.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	end := netip.MustParseAddrPort(theirs.RemoteAddr().String())
	if !Ours(end) {
		t.Errorf("%v is not known", end)
	}
	for _, other := range []netip.AddrPort{
		netip.AddrPortFrom(end.Addr(), end.Port()^1),
		netip.AddrPortFrom(netip.MustParseAddr("127.0.0.2"), end.Port()),
	} {
		if Ours(other) {
			t.Errorf("%v is taken for ours", other)
		}
	}
}

func TestOursForgets(t *testing.T) {
	var l localEnds
	at := func(port uint16) netip.AddrPort { return netip.AddrPortFrom(netip.MustParseAddr("::1"), port) }
	for port := range uint16(maxOurs + 1) {
		l.add(fixedEnd{local: &net.TCPAddr{IP: net.IPv6loopback, Port: int(port) + 1}})
	}
	if l.has(at(1)) || !l.has(at(2)) || !l.has(at(maxOurs+1)) {
		t.Error("not the latest are remembered")
	}
	l.add(fixedEnd{local: &net.UnixAddr{Name: "/run/mysqld/mysqld.sock"}})
	if !l.has(at(2)) {
		t.Error("a Unix socket pushed a connection out")
	}
}

type fixedEnd struct {
	net.Conn
	local net.Addr
}

func (c fixedEnd) LocalAddr() net.Addr { return c.local }
