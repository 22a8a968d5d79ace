// Package live captures packets from network interfaces.
package live

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/nearest"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

// Any captures on all interfaces.
const Any = "any"

const (
	// batchPackets is as in package pcap.
	batchPackets = 2048
	// defaultBlocks is a ring of 32 MB: at a million packets of 100 bytes a
	// second it bridges 0.2 s in which the reader does not come to run.
	defaultBlocks = 32
	// patience is how long a reader that was told to stop may take to notice.
	patience = 100 * time.Millisecond
	// settled is how old a packet is at most when the kernel hands it over: what
	// it keeps it back, and as much again for a kernel that is late.
	settled = 2 * retire * time.Millisecond
)

// Options is what to capture.
type Options struct {
	Interface  string   // its name, or Any
	Ports      []uint16 // TCP and UDP ports, on either side; none: everything
	SnapLength uint32   // bytes of each packet; 0: all
	// Trim leaves out what decoders can do without, where there is no snap length.
	// Whoever keeps the packets wants none.
	Trim        []flow.Trim
	Promiscuous bool // also what is not for this host
	Blocks      int  // size of the ring in MB; 0: 32
	// Tick asks for batches that only tell the time (pcap.Batch.Now) when no
	// packets come for so long; it is noticed to within 0.1 s. 0: none.
	Tick time.Duration
}

// Source is a running capture.
type Source struct {
	name  string
	index int // of the interface; 0: any
	snap  uint32
	ring  *ring
	block int // the next one that the kernel will hand over
	cur   cursor
	frame uint64
	gone  bool
	down  time.Time // when the interface went down last
	tick  time.Duration
	told  time.Time // when packets or the time were given out last

	lastIndex  int32 // of the packet before, to look its interface up once
	lastNumber uint32
	numbers    map[int32]uint32

	free batches

	mu         sync.Mutex
	interfaces []pcap.Interface
	loss       pcap.Loss
	notes      []pcap.Note
}

// Open starts a capture. Without permission the error names the capability
// that is missing.
func Open(o Options) (*Source, error) {
	s := &Source{name: o.Interface, snap: o.SnapLength, numbers: map[int32]uint32{}, lastIndex: -1, tick: o.Tick}
	loopback := 0
	if lo, err := net.InterfaceByName("lo"); err == nil {
		loopback = lo.Index
	}
	if o.Interface != Any {
		i, err := net.InterfaceByName(o.Interface)
		if err != nil {
			return nil, fmt.Errorf("capture on %s: %w", o.Interface, absent(o.Interface, err))
		}
		s.index = i.Index
	}
	p, err := filter(o, loopback)
	if err != nil {
		return nil, err
	}
	blocks := o.Blocks
	if blocks == 0 {
		blocks = defaultBlocks
	}
	if s.ring, err = open(blocks, p); err != nil {
		return nil, fmt.Errorf("capture on %s: %w", o.Interface, err)
	}
	s.ring.trims = o.SnapLength == 0 && len(o.Trim) > 0
	if s.index == loopback && loopback > 0 {
		s.ring.ignoreOutgoing() // all of it comes back
	}
	if err := s.ring.bind(s.index, o.Promiscuous); err != nil {
		_ = s.ring.close()
		return nil, fmt.Errorf("capture on %s: %w", o.Interface, err)
	}
	s.loss.Known = true
	return s, nil
}

// maxNamed bounds a list of interfaces: hosts of containers have hundreds.
const maxNamed = 20

// absent says that there is no such interface, and which ones there are.
func absent(name string, err error) error {
	all, cause := net.Interfaces()
	var names []string
	for _, i := range all {
		names = append(names, i.Name)
	}
	if cause != nil || slices.Contains(names, name) { // something else is wrong
		return fmt.Errorf("%w; ip link lists the interfaces, %q is all of them", err, Any)
	}
	hint := nearest.Hint(name, names)
	if more := len(names) - maxNamed; more > 0 {
		names = append(names[:maxNamed], fmt.Sprintf("%d more (ip link)", more))
	}
	return fmt.Errorf("no such interface%s; there are %s; %q is all of them", hint, strings.Join(names, ", "), Any)
}

// Next implements pcap.Source. The end comes when the interface vanishes; a
// context that is done stops the capture with its error.
func (s *Source) Next(ctx context.Context) (*pcap.Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if s.cur.left > 0 {
			s.told = time.Now()
			return s.batch(), nil
		}
		if s.cur.b != nil {
			s.cur.b.release()
			s.cur.b = nil
		}
		b := &s.ring.blocks[s.block]
		if !b.busy.Load() && b.full() {
			b.take()
			s.cur = b.cursor()
			s.block = (s.block + 1) % len(s.ring.blocks)
			continue
		}
		if s.gone {
			return nil, io.EOF
		}
		if err := s.wait(b); err != nil {
			return nil, err
		}
		if now := time.Now(); s.tick > 0 && now.Sub(s.told) >= s.tick && !b.full() {
			s.told = now
			return &pcap.Batch{Now: now.Add(-settled).UnixNano()}, nil
		}
	}
}

// batch takes packets off the current block.
func (s *Source) batch() *pcap.Batch {
	b := s.free.get()
	b.held = s.cur.b
	b.held.hold()
	for len(b.Packets) < cap(b.Packets) && s.cur.left > 0 {
		b.Packets = b.Packets[:len(b.Packets)+1]
		p := &b.Packets[len(b.Packets)-1]
		index, hardware := s.cur.next(p)
		s.frame++
		p.Frame = s.frame
		p.Link = linkOf(hardware)
		if index != s.lastIndex {
			s.lastIndex, s.lastNumber = index, s.number(index, p.Link)
		}
		p.Interface = s.lastNumber
	}
	return &b.Batch
}

// linkOf is what packets of a kind of device begin with.
func linkOf(hardware uint16) pcap.LinkType {
	if ethernet(hardware) {
		return pcap.LinkEthernet
	}
	return pcap.LinkRaw
}

// number is what Packet.Interface says for an interface of the kernel.
func (s *Source) number(index int32, link pcap.LinkType) uint32 {
	if n, ok := s.numbers[index]; ok {
		return n
	}
	name, err := s.ring.device(index)
	if err != nil { // it is gone already
		name = fmt.Sprintf("interface %d", index)
	}
	s.mu.Lock()
	n := uint32(len(s.interfaces))
	s.interfaces = append(s.interfaces, pcap.Interface{Name: name, Link: link, SnapLength: s.snap})
	s.mu.Unlock()
	s.numbers[index] = n
	return n
}

// wait waits for a block, but not for long.
func (s *Source) wait(b *ringBlock) error {
	if b.busy.Load() { // the ring is full of packets that are still used; a poll would return at once
		time.Sleep(time.Millisecond)
		return nil
	}
	fds := []unix.PollFd{{Fd: int32(s.ring.fd), Events: unix.POLLIN}}
	_, err := unix.Poll(fds, int(patience/time.Millisecond))
	if err != nil && !errors.Is(err, unix.EINTR) {
		return fmt.Errorf("capture on %s: wait for packets: %w", s.name, err)
	}
	if fds[0].Revents&(unix.POLLERR|unix.POLLHUP) == 0 {
		// The kernel takes an interface down before it deletes it, and of the
		// second step a capture that is down is not told.
		if !s.down.IsZero() && !s.there() {
			s.vanished()
		}
		return nil
	}
	code, err := unix.GetsockoptInt(s.ring.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	switch {
	case err != nil:
		return fmt.Errorf("capture on %s: %w", s.name, err)
	case code == 0:
		return nil
	case unix.Errno(code) != unix.ENETDOWN:
		return fmt.Errorf("capture on %s: %w", s.name, unix.Errno(code))
	}
	if s.there() {
		s.down = time.Now()
		s.note(wentDown)
		return nil
	}
	s.vanished()
	return nil
}

const (
	wentDown = "the interface went down; the capture goes on when it comes up"
	// deletion is how long the kernel may take from taking an interface down to
	// having deleted it, by far.
	deletion = 2 * time.Second
)

// there says whether the interface exists, up or down.
func (s *Source) there() bool {
	_, err := s.ring.device(int32(s.index))
	return err == nil
}

// vanished ends the capture.
func (s *Source) vanished() {
	if time.Since(s.down) < deletion { // it went down because it was deleted
		s.mu.Lock()
		s.notes = slices.DeleteFunc(s.notes, func(n pcap.Note) bool { return n.Text == wentDown })
		s.mu.Unlock()
	}
	s.note("the interface vanished; the capture ends here")
	s.gone = true
	time.Sleep(2 * retire * time.Millisecond) // for the block that the kernel has begun
}

func (s *Source) note(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := pcap.Note{File: s.name, Offset: -1, Text: text}
	if !slices.Contains(s.notes, n) {
		s.notes = append(s.notes, n)
	}
}

// Interfaces implements pcap.Source.
func (s *Source) Interfaces() []pcap.Interface {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.interfaces)
}

// Loss implements pcap.Source.
func (s *Source) Loss() pcap.Loss {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count()
	return s.loss
}

// count adds what the kernel counted since the last time.
func (s *Source) count() {
	if s.ring.fd < 0 {
		return
	}
	st, err := unix.GetsockoptTpacketStatsV3(s.ring.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return
	}
	s.loss.Received += uint64(st.Packets - st.Drops) // the kernel counts the dropped ones in
	s.loss.Dropped += uint64(st.Drops)
}

// Notes implements pcap.Source.
func (s *Source) Notes() []pcap.Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.notes)
}

// Close ends the capture. Batches that were not released stay valid.
func (s *Source) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ring.fd < 0 {
		return nil
	}
	s.count()
	if s.cur.b != nil {
		s.cur.b.release()
		s.cur = cursor{}
	}
	err := s.ring.close()
	s.ring.fd = -1
	if err != nil {
		return fmt.Errorf("end the capture on %s: %w", s.name, err)
	}
	return nil
}

// batches recycles batches.
type batches struct {
	mu   sync.Mutex
	free []*batch
}

type batch struct {
	pcap.Batch
	home *batches
	held *ringBlock
}

func (f *batches) get() *batch {
	f.mu.Lock()
	defer f.mu.Unlock()
	if n := len(f.free); n > 0 {
		b := f.free[n-1]
		f.free = f.free[:n-1]
		return b
	}
	b := &batch{home: f}
	b.Packets = make([]pcap.Packet, 0, batchPackets)
	b.Release = b.release
	return b
}

func (b *batch) release() {
	b.held.release()
	b.held = nil
	b.Packets = b.Packets[:0]
	b.home.mu.Lock()
	b.home.free = append(b.home.free, b)
	b.home.mu.Unlock()
}
