package main

import (
	"context"
	"io"
	"net"
	"net/netip"
	"time"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/mysqlview"
	"rtrail/internal/privilege"
)

// leaveHost gives up what looking at this host needs, if the only server runs
// elsewhere: then its answers are all that is read.
func (m *mysqlFlags) leaveHost(ctx context.Context, stderr io.Writer) (left bool) {
	if !confinable || m.asked == nil || !runsElsewhere(ctx, *m.asked, "/proc") {
		return false
	}
	keptAll(stderr, privilege.Ask(privilege.Needs{Read: m.asked.Files()}))
	return true
}

// runsElsewhere says that a server is certainly not on this host: all addresses of
// its name are of others, and no server here listens there, as one in a container
// may.
func runsElsewhere(ctx context.Context, t mysqlconn.Target, proc string) bool {
	if t.Network != "tcp" {
		return false
	}
	const patience = 5 * time.Second // of a name server
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	addresses, err := net.DefaultResolver.LookupNetIP(ctx, "ip", t.Host())
	if err != nil || len(addresses) == 0 {
		return false
	}
	for _, a := range addresses {
		at := netip.AddrPortFrom(a.Unmap(), uint16(t.Port()))
		if mysqlview.OwnAddress(at.String()) || mysqlconn.ServerAt(ctx, at, proc) != 0 {
			return false
		}
	}
	return true
}
