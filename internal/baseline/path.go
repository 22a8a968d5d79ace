package baseline

import (
	"net/netip"
	"strings"
)

// Path is the Thing of a Network value: what was measured goes to Peer through Interface of this
// host.
type Path struct {
	Peer      netip.Addr
	Interface string
}

const device = " dev "

// String is "10.0.0.2 dev eth0".
func (p Path) String() string { return p.Peer.String() + device + p.Interface }

// ParsePath reads what String gave; ok is false for anything else.
func ParsePath(thing string) (p Path, ok bool) {
	peer, name, found := strings.Cut(thing, device)
	address, err := netip.ParseAddr(peer)
	return Path{address, name}, found && err == nil && name != ""
}
