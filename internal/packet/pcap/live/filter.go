package live

import (
	"fmt"
	"slices"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"
)

// maxPorts keeps a filter within the 4096 instructions that the kernel takes
// and within what is sensible to run for every packet of a host.
const maxPorts = 64

// program builds a classic BPF program. Every piece either returns a verdict
// or falls through to the next.
type program []bpf.Instruction

// filter is the program of a capture: packets from or to one of the ports, all if
// there are none, and of them as many bytes as are wanted.
//
// What a port cannot be read from is kept: later fragments, IPv6 packets that
// begin with extension headers, and the ICMP messages that report trouble of
// the connections watched (unreachable, packet too big).
func filter(o Options, loopback int) (program, error) {
	ports := o.Ports
	if len(ports) > maxPorts {
		return nil, fmt.Errorf("a capture can filter for %d ports, not for %d: capture all and filter afterwards", maxPorts, len(ports))
	}
	f := portFilter{ports: ports, keep: keepAll}
	if o.SnapLength > 0 {
		f.keep.Val = o.SnapLength
	} else {
		for _, t := range o.Trim {
			f.answer = append(f.answer, t.Filter()...)
		}
	}
	p := withoutEchoes(loopback)
	if len(ports) == 0 {
		if f.answer != nil {
			p = append(p, bpf.LoadExtension{Num: bpf.ExtLinkLayerType})
			p = append(p, when([]uint32{unix.ARPHRD_ETHER, unix.ARPHRD_LOOPBACK}, append(plainTCP(f.answer), f.keep))...)
		}
		return append(p, f.keep), nil
	}
	// On any interface frames of several link types come: those without a link
	// header begin with IP.
	raw := f.raw()
	p = append(p, bpf.LoadExtension{Num: bpf.ExtLinkLayerType})
	p = append(p, when([]uint32{unix.ARPHRD_ETHER, unix.ARPHRD_LOOPBACK}, f.ethernet())...)
	return append(p, raw...), nil
}

// withoutEchoes drops the outgoing copy of what a host sends to itself: all of
// it comes back as incoming.
func withoutEchoes(loopback int) program {
	if loopback <= 0 {
		return nil
	}
	return program{
		bpf.LoadExtension{Num: bpf.ExtInterfaceIndex},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: uint32(loopback), SkipTrue: 3},
		bpf.LoadExtension{Num: bpf.ExtType},
		bpf.JumpIf{Cond: bpf.JumpNotEqual, Val: unix.PACKET_OUTGOING, SkipTrue: 1},
		bpf.RetConstant{},
	}
}

// when runs then, which must return, if A is one of the values.
func when(values []uint32, then program) program {
	var p program
	for i, v := range values {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: v, SkipTrue: uint8(len(values) - i)})
	}
	p = append(p, bpf.Jump{Skip: uint32(len(then))})
	return append(p, then...)
}

type portFilter struct {
	ports  []uint16
	keep   bpf.RetConstant
	answer program // looks at what comes from a port before it is kept; falls through to keep
}

// keepAll keeps the whole packet.
var keepAll = bpf.RetConstant{Val: 1 << 30}

// ethernet expects an Ethernet header, perhaps with one VLAN tag.
func (f portFilter) ethernet() program {
	return append(f.common(), f.tagged()...)
}

// common decides, with three loads, about the packets that nearly all are: IPv4
// without options, TCP, no later fragment. Other packets fall through. Every
// load is a call for the kernel, and made for each packet of the host.
func (f portFilter) common() program {
	match := program{bpf.LoadAbsolute{Off: 34, Size: 4}, bpf.TAX{}, bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 16}}
	match = append(match, f.matchAnswer()...)
	match = append(match, bpf.TXA{}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffff})
	match = append(match, f.match()...)
	return plainTCP(append(match, bpf.RetConstant{}))
}

// plainTCP runs then for frames of IPv4 without options, with a TCP header that
// is no later fragment. Other packets, and those for which then does not
// return, fall through.
func plainTCP(then program) program {
	const first, whole = 0x1fff00ff, unix.IPPROTO_TCP // fragment offset and protocol
	tcp := append(program{bpf.LoadAbsolute{Off: 20, Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: first}}, when([]uint32{whole}, then)...)
	const plain = unix.ETH_P_IP<<16 | 0x4500 // version 4, five words of header
	return append(program{bpf.LoadAbsolute{Off: 12, Size: 4}, bpf.ALUOpConstant{Op: bpf.ALUOpAnd, Val: 0xffffff00}},
		when([]uint32{plain}, tcp)...)
}

// tagged expects an Ethernet header, perhaps with one VLAN tag, and anything
// behind it.
func (f portFilter) tagged() program {
	tagged := program{bpf.LoadAbsolute{Off: 16, Size: 2}}
	tagged = append(tagged, f.network(18)...)
	p := program{bpf.LoadAbsolute{Off: 12, Size: 2}}
	p = append(p, when([]uint32{unix.ETH_P_8021Q, unix.ETH_P_8021AD}, tagged)...)
	return append(p, f.network(14)...)
}

// network expects the type of the packet at off in A.
func (f portFilter) network(off uint32) program {
	p := when([]uint32{unix.ETH_P_IP}, f.ip4(off))
	p = append(p, when([]uint32{unix.ETH_P_IPV6}, f.ip6(off))...)
	return append(p, bpf.RetConstant{})
}

// raw expects an IP header at the beginning.
func (f portFilter) raw() program {
	p := program{
		bpf.LoadAbsolute{Off: 0, Size: 1},
		bpf.ALUOpConstant{Op: bpf.ALUOpShiftRight, Val: 4},
	}
	p = append(p, when([]uint32{4}, f.ip4(0))...)
	p = append(p, when([]uint32{6}, f.ip6(0))...)
	return append(p, bpf.RetConstant{})
}

func (f portFilter) ip4(off uint32) program {
	transport := program{
		bpf.LoadAbsolute{Off: off + 6, Size: 2},
		bpf.JumpIf{Cond: bpf.JumpBitsSet, Val: 0x1fff, SkipFalse: 1},
		f.keep, // a later fragment
		bpf.LoadMemShift{Off: off},
		bpf.LoadIndirect{Off: off, Size: 2},
	}
	transport = append(transport, f.match()...)
	transport = append(transport, bpf.LoadIndirect{Off: off + 2, Size: 2})
	transport = append(transport, f.match()...)
	transport = append(transport, bpf.RetConstant{})
	icmp := program{
		bpf.LoadMemShift{Off: off},
		bpf.LoadIndirect{Off: off, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpEqual, Val: 3, SkipFalse: 1}, // destination unreachable, fragmentation needed
		f.keep,
		bpf.RetConstant{},
	}
	p := program{bpf.LoadAbsolute{Off: off + 9, Size: 1}}
	p = append(p, when([]uint32{unix.IPPROTO_TCP, unix.IPPROTO_UDP}, transport)...)
	p = append(p, when([]uint32{unix.IPPROTO_ICMP}, icmp)...)
	return append(p, bpf.RetConstant{})
}

func (f portFilter) ip6(off uint32) program {
	transport := program{bpf.LoadAbsolute{Off: off + 40, Size: 2}}
	transport = append(transport, f.match()...)
	transport = append(transport, bpf.LoadAbsolute{Off: off + 42, Size: 2})
	transport = append(transport, f.match()...)
	transport = append(transport, bpf.RetConstant{})
	icmp := program{
		bpf.LoadAbsolute{Off: off + 40, Size: 1},
		bpf.JumpIf{Cond: bpf.JumpLessOrEqual, Val: 2, SkipFalse: 1}, // unreachable, packet too big
		f.keep,
		bpf.RetConstant{},
	}
	p := program{bpf.LoadAbsolute{Off: off + 6, Size: 1}}
	p = append(p, when([]uint32{unix.IPPROTO_TCP, unix.IPPROTO_UDP}, transport)...)
	p = append(p, when([]uint32{unix.IPPROTO_ICMPV6}, icmp)...)
	p = append(p, when([]uint32{unix.IPPROTO_HOPOPTS, unix.IPPROTO_ROUTING, unix.IPPROTO_FRAGMENT, unix.IPPROTO_DSTOPTS}, program{f.keep})...)
	return append(p, bpf.RetConstant{})
}

// matchAnswer has answer look at the packet, and keeps it, if A is one of the
// ports.
func (f portFilter) matchAnswer() program {
	values := make([]uint32, len(f.ports))
	for i, port := range f.ports {
		values[i] = uint32(port)
	}
	return when(values, append(slices.Clone(f.answer), f.keep))
}

// match keeps the packet if A is one of the ports.
func (f portFilter) match() program {
	var p program
	for _, port := range f.ports {
		p = append(p, bpf.JumpIf{Cond: bpf.JumpEqual, Val: uint32(port), SkipFalse: 1}, f.keep)
	}
	return p
}
