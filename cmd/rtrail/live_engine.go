package main

import (
	"net/netip"

	"rtrail/internal/mysqlconn"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
)

// besideServers is how packets are taken while rtrail asks MySQL servers on some
// ports: its own connections are nobody's load.
func besideServers(ports []uint16) (o engine.Options) {
	o.Listen("mysql", ports...)
	o.Ignore = func(client flow.Endpoint) bool {
		return mysqlconn.Ours(netip.AddrPortFrom(client.Addr.IP(), client.Port))
	}
	return o
}
