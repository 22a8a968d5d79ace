package live

import (
	"errors"
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/net/bpf"
	"golang.org/x/sys/unix"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

const (
	// blockSize must hold the longest packet: 64 KB of segmentation offload, 512
	// KB of BIG TCP.
	blockSize = 1 << 20
	// retire is after how many milliseconds the kernel hands over a block that is
	// not full: what a packet waits at most before it is seen. Each time caches are
	// refilled with what the reader needs, so rarer is cheaper; people do not
	// see 60 ms.
	retire = 60
	// reserve is room before a packet for the VLAN tag that the network card or
	// the kernel took out of it.
	reserve = 4
)

// ring is a packet socket with a ring of blocks that it shares with the kernel
// (Documentation/networking/packet_mmap.rst, TPACKET_V3). It is used instead of
// a library because packets are to stay in the ring until their batch is
// released, and because their direction is wanted.
type ring struct {
	fd     int
	mem    []byte
	blocks []ringBlock
	trims  bool         // the filter leaves out what decoders can do without
	refs   atomic.Int64 // 1 for the source, 1 for each block in use
}

// ringBlock is a block that belongs to the reader from the time when the
// kernel handed it over until its last batch is released.
type ringBlock struct {
	ring *ring
	mem  []byte
	refs atomic.Int64
	busy atomic.Bool // with the reader; cleared only after the kernel has it back
}

func (b *ringBlock) status() *uint32 {
	return (*uint32)(unsafe.Pointer(&b.mem[unsafe.Offsetof(unix.TpacketBlockDesc{}.Hdr)]))
}

func (b *ringBlock) header() *unix.TpacketHdrV1 {
	return (*unix.TpacketHdrV1)(unsafe.Pointer(&b.mem[unsafe.Offsetof(unix.TpacketBlockDesc{}.Hdr)]))
}

// full says that the kernel has handed the block over.
func (b *ringBlock) full() bool { return atomic.LoadUint32(b.status())&unix.TP_STATUS_USER != 0 }

// take makes the block the reader's, which holds it once.
func (b *ringBlock) take() {
	b.busy.Store(true)
	b.refs.Store(1)
	b.ring.refs.Add(1)
}

func (b *ringBlock) hold() { b.refs.Add(1) }

// release gives the block back to the kernel when nobody holds it any more.
func (b *ringBlock) release() {
	if b.refs.Add(-1) == 0 {
		atomic.StoreUint32(b.status(), unix.TP_STATUS_KERNEL)
		b.busy.Store(false)
		b.ring.release()
	}
}

func (r *ring) release() {
	if r.refs.Add(-1) == 0 {
		_ = unix.Munmap(r.mem)
	}
}

// open makes the socket. It gets no packets before bind.
func open(blocks int, p program) (*ring, error) {
	raw, err := bpf.Assemble(p)
	if err != nil {
		return nil, fmt.Errorf("assemble the filter: %w", err)
	}
	code := make([]unix.SockFilter, len(raw))
	for i, in := range raw {
		code[i] = unix.SockFilter{Code: in.Op, Jt: in.Jt, Jf: in.Jf, K: in.K}
	}
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EPERM) {
		return nil, fmt.Errorf("open a packet socket: %w: capturing needs CAP_NET_RAW (run as root, or grant capabilities: rtrail doctor says how)", err)
	}
	if err != nil {
		return nil, fmt.Errorf("open a packet socket: %w", err)
	}
	r := &ring{fd: fd}
	if err := r.setUp(blocks, code); err != nil {
		_ = unix.Close(fd)
		return nil, err
	}
	r.refs.Store(1)
	return r, nil
}

func (r *ring) setUp(blocks int, code []unix.SockFilter) error {
	if err := unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return fmt.Errorf("ask for TPACKET_V3: %w", err)
	}
	if err := unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_RESERVE, reserve); err != nil {
		return fmt.Errorf("reserve room for VLAN tags: %w", err)
	}
	prog := unix.SockFprog{Len: uint16(len(code)), Filter: &code[0]}
	if err := unix.SetsockoptSockFprog(r.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, &prog); err != nil {
		return fmt.Errorf("attach the filter: %w", err)
	}
	const frame = 2048 // only a unit of account for this version
	req := unix.TpacketReq3{
		Block_size: blockSize, Block_nr: uint32(blocks),
		Frame_size: frame, Frame_nr: blockSize / frame * uint32(blocks),
		Retire_blk_tov: retire,
	}
	if err := unix.SetsockoptTpacketReq3(r.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &req); err != nil {
		return fmt.Errorf("make a ring of %d MB: %w: use fewer blocks", blocks*blockSize>>20, err)
	}
	mem, err := unix.Mmap(r.fd, 0, blocks*blockSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map the ring: %w", err)
	}
	r.mem = mem
	r.blocks = make([]ringBlock, blocks)
	for i := range r.blocks {
		r.blocks[i].ring, r.blocks[i].mem = r, mem[i*blockSize:(i+1)*blockSize]
	}
	return nil
}

// ignoreOutgoing has the kernel make no copies of what is sent. Older ones than
// 4.20 cannot, and the filter drops the copies.
func (r *ring) ignoreOutgoing() {
	_ = unix.SetsockoptInt(r.fd, unix.SOL_PACKET, unix.PACKET_IGNORE_OUTGOING, 1)
}

// bind starts the capture on an interface; 0: on all.
func (r *ring) bind(index int, promiscuous bool) error {
	all := uint16(unix.ETH_P_ALL)
	to := unix.SockaddrLinklayer{Protocol: all<<8 | all>>8, Ifindex: index}
	if err := unix.Bind(r.fd, &to); err != nil {
		return fmt.Errorf("bind the packet socket: %w", err)
	}
	if promiscuous && index != 0 {
		m := unix.PacketMreq{Ifindex: int32(index), Type: unix.PACKET_MR_PROMISC}
		if err := unix.SetsockoptPacketMreq(r.fd, unix.SOL_PACKET, unix.PACKET_ADD_MEMBERSHIP, &m); err != nil {
			return fmt.Errorf("make the interface promiscuous: %w", err)
		}
	}
	return nil
}

// device is the name of an interface now. It asks the socket, which stays in the
// network namespace in which it was made, wherever its reader runs.
func (r *ring) device(index int32) (string, error) {
	q, err := unix.NewIfreq("")
	if err != nil {
		return "", err
	}
	q.SetUint32(uint32(index))
	if err := unix.IoctlIfreq(r.fd, unix.SIOCGIFNAME, q); err != nil {
		return "", err
	}
	return q.Name(), nil
}

func (r *ring) close() error {
	err := unix.Close(r.fd)
	r.release()
	return err
}

// cursor walks the packets of a block.
type cursor struct {
	b    *ringBlock
	off  uint32
	left uint32
}

func (b *ringBlock) cursor() cursor {
	h := b.header()
	return cursor{b: b, off: h.Offset_to_first_pkt, left: h.Num_pkts}
}

// next fills in a packet but for what the source knows: frame, interface and
// link type, of which it returns the index and the kernel's type.
func (c *cursor) next(p *pcap.Packet) (index int32, hardware uint16) {
	h := (*unix.Tpacket3Hdr)(unsafe.Pointer(&c.b.mem[c.off]))
	ll := (*unix.RawSockaddrLinklayer)(unsafe.Pointer(&c.b.mem[c.off+unix.SizeofTpacket3Hdr]))
	from := c.off + uint32(h.Mac)
	to := from + h.Snaplen
	p.Rest = 0
	if h.Snaplen < h.Len && c.b.ring.trims {
		to, p.Rest = flow.Trimmed(h.Snaplen)
		to += from
	}
	p.Time = int64(h.Sec)*1e9 + int64(h.Nsec)
	p.Wire = h.Len
	if h.Status&unix.TP_STATUS_VLAN_VALID != 0 && h.Snaplen >= 12 && ethernet(ll.Hatype) {
		from -= reserve
		c.tag(from, h)
		p.Wire += reserve
	}
	p.Data = c.b.mem[from:to:to]
	p.Wire = max(p.Wire, to-from)
	p.Way = wayOf(ll)
	c.off += h.Next_offset
	c.left--
	return ll.Ifindex, ll.Hatype
}

// tag puts the VLAN tag back behind the two addresses, which move down.
func (c *cursor) tag(from uint32, h *unix.Tpacket3Hdr) {
	d := c.b.mem[from:]
	copy(d[:12], d[reserve:reserve+12])
	kind := h.Hv1.Vlan_tpid
	if h.Status&unix.TP_STATUS_VLAN_TPID_VALID == 0 {
		kind = unix.ETH_P_8021Q
	}
	d[12], d[13] = byte(kind>>8), byte(kind)
	d[14], d[15] = byte(h.Hv1.Vlan_tci>>8), byte(h.Hv1.Vlan_tci)
}

func ethernet(hardware uint16) bool {
	return hardware == unix.ARPHRD_ETHER || hardware == unix.ARPHRD_LOOPBACK
}

// wayOf is the direction; loopback has none, as both ends are here.
func wayOf(ll *unix.RawSockaddrLinklayer) pcap.Way {
	switch {
	case ll.Hatype == unix.ARPHRD_LOOPBACK:
		return pcap.WayUnknown
	case ll.Pkttype == unix.PACKET_OUTGOING:
		return pcap.Outbound
	case ll.Pkttype == unix.PACKET_OTHERHOST: // not for this host: passing by, or promiscuous
		return pcap.WayUnknown
	}
	return pcap.Inbound
}
