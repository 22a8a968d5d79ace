package capacity

import (
	"net"
	"net/netip"
	"testing"
)

// Whatever interface has an address of this host, packets to it go over loopback.
func TestPathToOwnAddresses(t *testing.T) {
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		address := netip.MustParsePrefix(a.String()).Addr().Unmap()
		if address.IsLinkLocalUnicast() {
			continue // needs a zone
		}
		l, err := net.Listen("tcp", net.JoinHostPort(address.String(), "0"))
		if err != nil {
			t.Logf("%v: %v", address, err)
			continue
		}
		_, path, err := pathTo(t.Context(), l.Addr().String())
		l.Close()
		if err != nil || path.Interface != "lo" || path.Peer != address {
			t.Errorf("%v: %v, %v", address, path, err)
		}
		if name, err := routeTo(address, address); err != nil || name != "lo" {
			t.Errorf("route to %v: %q, %v", address, name, err)
		}
	}
}

// A neighbour is reached by an interface, or there is no route to it.
func TestRouteToOthers(t *testing.T) {
	if name, err := routeTo(netip.MustParseAddr("240.0.0.1"), netip.MustParseAddr("192.0.2.77")); err == nil {
		t.Errorf("from an address of another host: %q", name)
	}
}
