package view

import (
	"net/netip"
	"strconv"
	"strings"

	"rtrail/internal/recording"
)

// SavedPackets stands in commands for the file of packets that came through
// standard input.
const SavedPackets = "FILE"

// PacketSource is where ordinary tools find the packets again.
type PacketSource struct {
	Enter     string // what to put before a command so that it sees the interface; "" mostly
	File      string // as a shell takes it; "" for an interface
	Interface string
}

// Flag is how tshark and tcpdump are told.
func (s PacketSource) Flag() string {
	if s.File != "" {
		return "-r " + s.File
	}
	return "-i " + s.Interface
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
	return PacketSource{File: ShellWord(file)}
}

// PairFlags is how rtrail packets is told the captures of both sides that the
// recording was made of; "" if it was made of one.
func (v *View) PairFlags() string {
	var client, server []string
	for _, c := range v.PacketCaptures() {
		for file := range strings.SplitSeq(c.Source, ", ") {
			switch c.Point {
			case "client":
				client = append(client, "--client-side "+ShellWord(file))
			case "server":
				server = append(server, "--server-side "+ShellWord(file))
			}
		}
	}
	if len(client) == 0 || len(server) == 0 {
		return ""
	}
	return strings.Join(append(client, server...), " ")
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

// enterNetNS is what to put before a command so that it runs in a network
// namespace that the user named.
func enterNetNS(name string) string {
	_, err := strconv.ParseUint(name, 10, 31)
	switch {
	case name == "":
		return ""
	case err == nil:
		return "nsenter --net -t " + name + " "
	case strings.Contains(name, "/"):
		return "nsenter --net=" + ShellWord(name) + " "
	}
	return "ip netns exec " + ShellWord(name) + " "
}

// ShellWord quotes what a shell would not take as one word.
func ShellWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+,:=@%", r) || r >= 0x80
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !plain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
