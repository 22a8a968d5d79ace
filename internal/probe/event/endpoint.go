package event

import "net/netip"

// Endpoints is struct endpoints of bpf/endpoint.h: who talks to whom.
type Endpoints struct {
	LocalBytes, RemoteBytes [16]byte
	NetNS                   uint32
	LocalPort, RemotePort   uint16
	Family, State           uint8 // of the address; of the connection, as recording.TCPState has it
	_                       uint16
}

// Families of addresses.
const (
	inet  = 2
	inet6 = 10
)

// Local is the address of this host's end; "" if there is none.
func (e *Endpoints) Local() string { return address(e.Family, &e.LocalBytes) }

// Remote is the address of the other end; "" if there is none.
func (e *Endpoints) Remote() string { return address(e.Family, &e.RemoteBytes) }

// address is written as in tables of sockets: v4-mapped ones as IPv4.
func address(family uint8, b *[16]byte) string {
	switch family {
	case inet:
		return netip.AddrFrom4([4]byte(b[:4])).String()
	case inet6:
		return netip.AddrFrom16(*b).Unmap().String()
	}
	return ""
}
