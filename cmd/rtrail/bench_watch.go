package main

import (
	"context"
	"net"
	"net/netip"
	"time"

	"rtrail/internal/bench/matrix"
	"rtrail/internal/mysqlconn"
	"rtrail/internal/probe"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/mysql"
	"rtrail/internal/probe/stack"
	"rtrail/internal/recording"
)

// benchInterval is how long an interval of packets takes: those that reach into the measured
// seconds count whole.
const benchInterval = time.Second

// benchSources are what a step is watched by: this host, the server if there is a login, and
// packets if they may be captured.
func benchSources(ctx context.Context, target, iface string, server *mysqlconn.Target) (matrix.Sources, error) {
	s := matrix.Sources{About: manifest()}
	var err error
	if s.Server, err = resolve(ctx, target); err != nil {
		return s, err
	}
	local := localAddresses()
	for _, a := range s.Server {
		s.Local = s.Local || a.Addr().IsLoopback() || local[a.Addr()] != ""
	}
	if iface == "auto" {
		iface = wayTo(s.Server[0], local)
	}
	if iface == "off" || iface == "" {
		iface = ""
		s.Notes = append(s.Notes, "packets were not captured")
	}
	s.Probes = func(rec func() *recording.Recording) []probe.Probe {
		list := probes(census.New("/"), false)
		var ports []uint16
		if server != nil {
			asks := mysql.New([]mysqlconn.Target{*server}, nil, mysql.Options{})
			ports = asks.Ports()
			list = append(list, asks, stack.NewBeside(func() []int32 { return localServers(rec()) }))
		}
		if iface != "" {
			var unopened error // the probe says so
			c := captureFlags{iface: iface, only: []uint16{s.Server[0].Port()}}
			list = append(list, c.probe(ports, benchInterval, &unopened))
		}
		return list
	}
	return s, nil
}

// resolve gives the addresses of HOST:PORT.
func resolve(ctx context.Context, target string) (list []netip.AddrPort, err error) {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	host, port, err := net.SplitHostPort(target)
	if err != nil {
		return nil, err
	}
	n, err := net.DefaultResolver.LookupPort(ctx, "tcp", port)
	if err != nil {
		return nil, err
	}
	found, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for _, a := range found {
		list = append(list, netip.AddrPortFrom(a.Unmap().WithZone(""), uint16(n)))
	}
	return list, nil
}

// localAddresses are those of this host, with their interfaces.
func localAddresses() map[netip.Addr]string {
	local := map[netip.Addr]string{}
	interfaces, err := net.Interfaces()
	if err != nil {
		return local
	}
	for _, i := range interfaces {
		addresses, err := i.Addrs()
		if err != nil {
			continue
		}
		for _, a := range addresses {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				local[prefix.Addr().Unmap().WithZone("")] = i.Name
			}
		}
	}
	return local
}

// wayTo is the interface by which an address is reached; "": not known. No packet is sent.
func wayTo(to netip.AddrPort, local map[netip.Addr]string) string {
	if to.Addr().IsLoopback() || local[to.Addr()] != "" {
		return "lo"
	}
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(to))
	if err != nil {
		return ""
	}
	defer c.Close()
	from, ok := c.LocalAddr().(*net.UDPAddr)
	if !ok {
		return ""
	}
	return local[from.AddrPort().Addr().Unmap().WithZone("")]
}
