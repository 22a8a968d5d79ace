package view

import (
	"net/netip"
	"strconv"
	"strings"

	"rtrail/internal/recording"
	"rtrail/internal/shell"
)

// SavedPackets stands in commands for the file of packets that came through
// standard input.
const SavedPackets = "FILE"

// PacketSource is where ordinary tools find the packets again.
type PacketSource struct {
	Enter     shell.Command // what to put before a command so that it sees the interface; none mostly
	File      string        // "" for an interface
	Interface string
}

// Flag is how tshark and tcpdump are told.
func (s PacketSource) Flag() shell.Command {
	if s.File != "" {
		return shell.Line("-r %s", shell.Path(s.File))
	}
	return shell.Line("-i %s", s.Interface)
}

// Tshark shows fields of the packets that a filter keeps, or the packets
// themselves without fields.
func (s PacketSource) Tshark(filter shell.Filter, fields ...string) shell.Command {
	c := shell.Line("%s tshark %s -Y %s", s.Enter, s.Flag(), filter)
	for i, f := range fields {
		if i == 0 {
			c = c.With("-T fields")
		}
		c = c.With("-e %s", f)
	}
	return c
}

// Packets is the verb that prints the response times of a port.
func (s PacketSource) Packets(port uint16) shell.Command {
	if s.File != "" {
		return shell.Line("%s rtrail packets %s -p %d", s.Enter, shell.Path(s.File), port)
	}
	return shell.Line("%s rtrail packets %s -p %d --for 10s", s.Enter, s.Flag(), port)
}

// PacketSource is where the packets of the first capture came from. Those that
// were captured while this host was watched can be captured again only.
func (v *View) PacketSource() PacketSource {
	captures := v.PacketCaptures()
	if len(captures) == 0 {
		return PacketSource{Interface: "any"}
	}
	c := &captures[0]
	if v.Has(recording.System) {
		return PacketSource{Enter: enterNetNS(c.NetNS), Interface: c.Source}
	}
	file, _, _ := strings.Cut(c.Source, ", ")
	if file == "-" {
		file = SavedPackets
	}
	return PacketSource{File: file}
}

// PairFlags is how rtrail packets is told the captures of both sides that the
// recording was made of; none if it was made of one.
func (v *View) PairFlags() shell.Command {
	var client, server []shell.Command
	for _, c := range v.PacketCaptures() {
		for file := range strings.SplitSeq(c.Source, ", ") {
			switch c.Point {
			case "client":
				client = append(client, shell.Line("--client-side %s", shell.Path(file)))
			case "server":
				server = append(server, shell.Line("--server-side %s", shell.Path(file)))
			}
		}
	}
	if len(client) == 0 || len(server) == 0 {
		return shell.Command{}
	}
	flags := shell.Line("%s", client[0])
	for _, f := range append(client[1:], server...) {
		flags = flags.With("%s", f)
	}
	return flags
}

// IPField is the name of a field of tshark in the IP header of packets with an
// address: "src", "dst" or "addr" of the protocol that the address is of. The
// fields of the other protocol are empty in them.
func IPField(field, address string) string {
	if a, err := netip.ParseAddr(address); err == nil && a.Is6() {
		return "ipv6." + field
	}
	return "ip." + field
}

// IPFilter keeps the packets whose "src", "dst" or "addr" is an address.
func IPFilter(field, address string) shell.Filter {
	return shell.Display("%s == %s", shell.Field(IPField(field, address)), shell.Address(address))
}

// enterNetNS is what to put before a command so that it runs in a network
// namespace that the user named.
func enterNetNS(name string) shell.Command {
	_, err := strconv.ParseUint(name, 10, 31)
	switch {
	case name == "":
		return shell.Command{}
	case err == nil:
		return shell.Line("nsenter --net -t %s", name)
	case strings.Contains(name, "/"):
		return shell.Line("nsenter --net=%s", name)
	}
	return shell.Line("ip netns exec %s", name)
}
