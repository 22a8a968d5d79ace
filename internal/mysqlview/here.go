package mysqlview

import (
	"net"
	"net/netip"
	"strings"
)

// OwnAddress says whether a server's name, HOST:PORT or the path of a socket,
// is a place on this host. Names of hosts are not looked up.
func OwnAddress(server string) bool {
	if strings.HasPrefix(server, "/") {
		return true
	}
	host, _, err := net.SplitHostPort(server)
	if err != nil {
		return false
	}
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	if err != nil {
		return false
	}
	if addr.IsLoopback() {
		return true
	}
	own, err := net.InterfaceAddrs()
	if err != nil {
		return false
	}
	for _, a := range own {
		if p, err := netip.ParsePrefix(a.String()); err == nil && p.Addr() == addr {
			return true
		}
	}
	return false
}
