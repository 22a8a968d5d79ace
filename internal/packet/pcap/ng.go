package pcap

import (
	"encoding/binary"
	"fmt"
	"math/bits"
)

// The pcapng format: blocks in sections. https://www.ietf.org/archive/id/draft-ietf-opsawg-pcapng-03.html
const (
	blockSection    = 0x0a0d0d0a // reads the same in both byte orders
	blockInterface  = 1
	blockOldPacket  = 2
	blockSimple     = 3
	blockStatistics = 5
	blockPacket     = 6

	orderMagic = 0x1a2b3c4d

	// maxBlock bounds the blocks that are read. Their options add little to the packet.
	maxBlock = maxPacket + 64<<10
)

// ng parses the blocks of a pcapng capture.
type ng struct {
	s       *source
	name    string
	swap    bool
	section int
	local   []ngInterface        // of the section
	alike   map[interfaceKey]int // how many of local have a name and link type
	last    int64                // time of the last packet that had one
	simple  uint64               // packets without time
	absurd  uint64               // packets whose times are before 1970 or beyond MaxTime
	unknown uint64               // packets of interfaces that are not described
	touched byte                 // so that the compiler does not leave ahead out
}

// ngInterface is how packets of one interface are to be read.
type ngInterface struct {
	number uint32
	link   LinkType
	snap   uint32
	clock  clock
}

func (g *ng) u16(b []byte) uint16 {
	v := binary.LittleEndian.Uint16(b)
	if g.swap {
		v = bits.ReverseBytes16(v)
	}
	return v
}

func (g *ng) u32(b []byte) uint32 {
	v := binary.LittleEndian.Uint32(b)
	if g.swap {
		v = bits.ReverseBytes32(v)
	}
	return v
}

func (g *ng) u64(b []byte) uint64 {
	v := binary.LittleEndian.Uint64(b)
	if g.swap {
		v = bits.ReverseBytes64(v)
	}
	return v
}

func (g *ng) parse(buf []byte, out []Packet, stop int) (packets []Packet, pos int, err error) {
	for len(out) < cap(out) && pos < stop && pos != len(buf) {
		if len(buf)-pos < 12 {
			return out, pos, errShort
		}
		g.touched += ahead(buf, pos)
		head := buf[pos : pos+12]
		kind := g.u32(head)
		if kind == blockSection {
			switch binary.LittleEndian.Uint32(head[8:]) {
			case orderMagic:
				g.swap = false
			case bits.ReverseBytes32(orderMagic):
				g.swap = true
			default:
				return out, pos, corruption("a section without byte order")
			}
		}
		length := int64(g.u32(head[4:]))
		padded := (length + 3) &^ 3 // some writers forget the padding in the length, none in the file
		if length < 12 {
			return out, pos, corruption("a block shorter than its own header")
		}
		switch kind {
		case blockSection, blockInterface, blockOldPacket, blockSimple, blockStatistics, blockPacket:
			if length > maxBlock {
				return out, pos, corruption("a block claims to be longer than any packet is")
			}
		default:
			if length > maxSkip {
				return out, pos, corruption("a block of a gigabyte")
			}
			if padded > int64(len(buf)-pos) {
				return out, pos + int(padded), nil
			}
		}
		if padded > int64(len(buf)-pos) {
			return out, pos, errShort
		}
		end := pos + int(padded)
		if g.u32(buf[end-4:end]) != uint32(length) {
			return out, pos, corruption("a block whose two lengths differ")
		}
		body := buf[pos+8 : end-4 : end-4]
		switch kind {
		case blockPacket:
			out, err = g.packet(body, out)
		case blockOldPacket:
			out, err = g.oldPacket(body, out)
		case blockSimple:
			out, err = g.simplePacket(body, out)
		case blockInterface:
			err = g.describe(body)
		case blockStatistics:
			g.statistics(body)
		case blockSection:
			g.section++
			g.local = g.local[:0]
			clear(g.alike)
		}
		if err != nil {
			return out, pos, err
		}
		pos = end
	}
	return out, pos, nil
}

const errLengths = corruption("a packet longer than its block")

// packet reads an enhanced packet block.
func (g *ng) packet(b []byte, out []Packet) ([]Packet, error) {
	if len(b) < 20 {
		return out, errLengths
	}
	id, length, wire := g.u32(b), g.u32(b[12:]), g.u32(b[16:])
	if uint64(length) > uint64(len(b)-20) || length > maxPacket {
		return out, errLengths
	}
	g.s.frame++
	if uint64(id) >= uint64(len(g.local)) {
		g.unknown++
		return out, nil
	}
	i := &g.local[id]
	at := g.time(i, b)
	out = out[:len(out)+1]
	p := &out[len(out)-1]
	p.Time = at
	p.Frame = g.s.frame
	p.Data = b[20 : 20+length : 20+length]
	p.Wire = max(wire, length)
	p.Interface = i.number
	p.Link = i.link
	p.Way = WayUnknown
	if rest := (20 + int(length) + 3) &^ 3; rest+4 < len(b) {
		p.Way = g.packetOptions(b[rest:])
	}
	return out, nil
}

// time reads when the packet of a block was captured.
func (g *ng) time(i *ngInterface, b []byte) int64 {
	at, ok := i.clock.nanoseconds(uint64(g.u32(b[4:]))<<32 | uint64(g.u32(b[8:])))
	if !ok {
		g.absurd++
	}
	g.last = at
	return at
}

// packetOptions reads direction and drops.
func (g *ng) packetOptions(b []byte) Way {
	way := WayUnknown
	for {
		code, value, rest, ok := g.option(b)
		if !ok {
			return way
		}
		switch {
		case code == 2 && len(value) >= 4: // epb_flags
			way = wayOf(g.u32(value))
		case code == 4 && len(value) >= 8: // epb_dropcount
			g.dropped(g.u64(value))
		}
		b = rest
	}
}

func wayOf(flags uint32) Way {
	switch flags & 3 {
	case 1:
		return Inbound
	case 2:
		return Outbound
	}
	return WayUnknown
}

// dropped counts packets lost before the one being read.
func (g *ng) dropped(n uint64) {
	g.s.mu.Lock()
	g.s.tally.between += n
	g.s.tally.known = true
	g.s.mu.Unlock()
}

// oldPacket reads the obsolete packet block.
func (g *ng) oldPacket(b []byte, out []Packet) ([]Packet, error) {
	if len(b) < 20 {
		return out, errLengths
	}
	id, drops, length, wire := g.u16(b), g.u16(b[2:]), g.u32(b[12:]), g.u32(b[16:])
	if uint64(length) > uint64(len(b)-20) || length > maxPacket {
		return out, errLengths
	}
	if drops != 0xffff {
		g.dropped(uint64(drops))
	}
	g.s.frame++
	if int(id) >= len(g.local) {
		g.unknown++
		return out, nil
	}
	i := &g.local[id]
	p := Packet{
		Time: g.time(i, b), Frame: g.s.frame, Data: b[20 : 20+length : 20+length],
		Wire: max(wire, length), Interface: i.number, Link: i.link,
	}
	if rest := (20 + int(length) + 3) &^ 3; rest+4 < len(b) {
		p.Way = g.packetOptions(b[rest:])
	}
	return append(out, p), nil
}

// simplePacket reads a simple packet block, which has no time: it gets that of
// the packet before it.
func (g *ng) simplePacket(b []byte, out []Packet) ([]Packet, error) {
	if len(b) < 4 {
		return out, errLengths
	}
	g.s.frame++
	if len(g.local) == 0 {
		g.unknown++
		return out, nil
	}
	i := &g.local[0]
	wire := g.u32(b)
	length := min(wire, uint32(len(b)-4))
	if i.snap != 0 {
		length = min(length, i.snap)
	}
	g.simple++
	return append(out, Packet{
		Time: g.last, Frame: g.s.frame, Data: b[4 : 4+length : 4+length],
		Wire: wire, Interface: i.number, Link: i.link,
	}), nil
}

const errInterfaces = corruption("more interfaces than any capture has")

// describe reads an interface description block.
func (g *ng) describe(b []byte) error {
	if len(b) < 8 {
		return corruption("an interface description that is too short")
	}
	if len(g.local) == maxInterfaces {
		return errInterfaces
	}
	i := ngInterface{link: linkType(uint32(g.u16(b))), snap: g.u32(b[4:]), clock: newClock(6, 0)}
	var name string
	resolution, offset := byte(6), int64(0)
	for rest := b[8:]; ; {
		code, value, next, ok := g.option(rest)
		if !ok {
			break
		}
		switch {
		case code == 2: // if_name
			name = string(value)
		case code == 9 && len(value) >= 1: // if_tsresol
			resolution = value[0]
		case code == 14 && len(value) >= 8: // if_tsoffset
			offset = int64(g.u64(value))
		}
		rest = next
	}
	i.clock = newClock(resolution, offset)
	if g.alike == nil {
		g.alike = map[interfaceKey]int{}
	}
	like := interfaceKey{name: name, link: i.link}
	var ok bool
	if i.number, ok = g.s.addInterface(Interface{Name: name, Link: i.link, SnapLength: i.snap, File: g.name}, g.alike[like]); !ok {
		return errInterfaces
	}
	g.alike[like]++
	g.local = append(g.local, i)
	return nil
}

// statistics reads an interface statistics block.
func (g *ng) statistics(b []byte) {
	if len(b) < 12 || uint64(g.u32(b)) >= uint64(len(g.local)) {
		return
	}
	st := interfaceStat{section: g.section, file: g.name, number: g.local[g.u32(b)].number}
	said := false
	for rest := b[12:]; ; {
		code, value, next, ok := g.option(rest)
		if !ok {
			break
		}
		if len(value) >= 8 {
			switch code {
			case 2: // isb_starttime
				st.start = uint64(g.u32(value))<<32 | uint64(g.u32(value[4:]))
			case 4: // isb_ifrecv
				st.received = g.u64(value)
			case 5, 7: // isb_ifdrop, isb_osdrop
				st.dropped += g.u64(value)
				said = true
			}
		}
		rest = next
	}
	if said {
		g.s.mu.Lock()
		st.number = g.s.home(st.number)
		g.s.tally.set(st)
		g.s.mu.Unlock()
	}
}

// option takes one option off a list; ok is false at its end.
func (g *ng) option(b []byte) (code uint16, value, rest []byte, ok bool) {
	if len(b) < 4 {
		return 0, nil, nil, false
	}
	code = g.u16(b)
	n := int(g.u16(b[2:]))
	if code == 0 || n > len(b)-4 {
		return 0, nil, nil, false
	}
	return code, b[4 : 4+n], b[min(len(b), 4+(n+3)&^3):], true
}

func (g *ng) summary() {
	if g.simple > 0 {
		g.s.note(g.name, -1, fmt.Sprintf("%d packets carry no time (simple packet blocks); they got that of the packet before", g.simple))
	}
	if g.absurd > 0 {
		g.s.note(g.name, -1, fmt.Sprintf("%d packets have times before 1970 or after 2115; they got the nearest time in between", g.absurd))
	}
	if g.unknown > 0 {
		g.s.note(g.name, -1, fmt.Sprintf("%d packets of interfaces that the capture does not describe are left out", g.unknown))
	}
}
