package view

import (
	"fmt"
	"net/netip"
	"strconv"
	"strings"

	"rtrail/internal/protocol"
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
	Rest      []string      // files that continue it
	Interface string
	DecodeAs  []string // what the user said that ports speak: PORT=PROTO
}

// Flag is how tshark and tcpdump are told, which read one file.
func (s PacketSource) Flag() shell.Command {
	if s.File != "" {
		return shell.Line("-r %s", shell.Path(s.File))
	}
	return shell.Line("-i %s", s.Interface)
}

// Tshark shows fields of the packets that a filter keeps, or the packets
// themselves without fields.
func (s PacketSource) Tshark(filter shell.Filter, fields ...string) shell.Command {
	c := shell.Line("%s tshark %s %s -Y %s", s.Enter, s.Flag(), s.Dissectors(), filter)
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
	c := shell.Line("%s rtrail packets %s -p %d --for 10s", s.Enter, s.Flag(), port)
	if s.File != "" {
		c = shell.Line("%s rtrail packets %s -p %d", s.Enter, shell.Paths(append([]string{s.File}, s.Rest...)), port)
	}
	return c.With("%s", decodeAs(s.DecodeAs))
}

// decodeAs repeats what the user said that ports speak.
func decodeAs(list []string) (flags shell.Command) {
	for _, one := range list {
		flags = shell.Line("%s --decode-as %s", flags, one)
	}
	return flags
}

// Dissectors tells tshark the same, in its words. What rtrail decodes as generic
// has none.
func (s PacketSource) Dissectors() (flags shell.Command) {
	for _, one := range s.DecodeAs {
		left, name, _ := strings.Cut(one, "=")
		port, err := strconv.ParseUint(left, 10, 16)
		dissector := protocol.Of(name).Dissector
		if dissector == "" || err != nil {
			continue
		}
		flags = shell.Line("%s -d %s", flags, fmt.Sprintf("tcp.port==%d,%s", port, dissector))
		if name == "dns" {
			flags = flags.With("-d %s", fmt.Sprintf("udp.port==%d,dns", port))
		}
	}
	return flags
}

// hostWatched says that rtrail watched the host itself: its captures are of interfaces then. Captures
// beside reports of other tools are files.
func (v *View) hostWatched() bool { return v.Has(recording.System) && !v.Partly(recording.System) }

// PacketSource is where the packets of the first capture came from. Those that
// were captured while this host was watched can be captured again only.
func (v *View) PacketSource() PacketSource {
	captures := v.PacketCaptures()
	if len(captures) == 0 {
		return PacketSource{Interface: "any"}
	}
	c := &captures[0]
	if v.hostWatched() {
		return PacketSource{Enter: enterNetNS(c.NetNS), Interface: c.Source, DecodeAs: decodedAs(c)}
	}
	files := strings.Split(c.Source, ", ")
	if files[0] == "-" {
		files[0] = SavedPackets
	}
	return PacketSource{File: files[0], Rest: files[1:], DecodeAs: decodedAs(c)}
}

func decodedAs(c *recording.PacketCapture) []string {
	return strings.FieldsFunc(c.DecodeAs, func(r rune) bool { return r == ',' })
}

// PairFlags is how rtrail packets is told the captures of both sides that the
// recording was made of; none if it was made of one.
func (v *View) PairFlags() shell.Command {
	var client, server []shell.Command
	var as []string
	for _, c := range v.PacketCaptures() {
		as = decodedAs(&c)
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
	return flags.With("%s", decodeAs(as))
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
