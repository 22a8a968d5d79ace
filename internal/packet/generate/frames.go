// Package generate writes captures by code: big ones, to measure how fast a
// reader is and whether its memory is bounded, and small ones of which every
// response time and counter is known to the nanosecond.
//
// All of it is made up and deterministic: the same seed gives the same bytes.
package generate

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"

	"rtrail/internal/packet/flow"
)

// Flags of TCP.
const (
	fin = 1 << iota
	syn
	rst
	psh
	ack
)

// epoch is when all captures begin: 2025-06-01 00:00:00 UTC.
const epoch = 1748736000_000000000

const (
	ethernetLength = 14
	ip4Length      = 20
	tcpLength      = 32 // with time stamps
	synLength      = 40 // with MSS, SACK, time stamps and window scale
	mss            = 1448
)

// emitter writes Ethernet frames into a pcap file with nanoseconds.
type emitter struct {
	w      *bufio.Writer
	totals Totals
	record [16 + ethernetLength + ip4Length + synLength]byte
	err    error
}

func newEmitter(w io.Writer) *emitter {
	e := &emitter{w: bufio.NewWriterSize(w, 1<<20)}
	var h [24]byte
	binary.LittleEndian.PutUint32(h[:], 0xa1b23c4d)
	binary.LittleEndian.PutUint32(h[4:], 2|4<<16)
	binary.LittleEndian.PutUint32(h[16:], 262144)
	binary.LittleEndian.PutUint32(h[20:], 1)
	e.write(h[:])
	return e
}

func (e *emitter) write(b []byte) {
	if _, err := e.w.Write(b); err != nil && e.err == nil {
		e.err = err
	}
	e.totals.Bytes += int64(len(b))
}

func (e *emitter) close() error {
	if err := e.w.Flush(); e.err == nil {
		e.err = err
	}
	if e.err != nil {
		return fmt.Errorf("write capture: %w", e.err)
	}
	return nil
}

// link is a TCP connection between two hosts as both ends know it.
type link struct {
	addr  [2][4]byte // by flow.Dir of who sends
	port  [2]uint16
	seq   [2]uint32 // next to be sent
	stamp [2]uint32 // time stamp last sent
	ipid  [2]uint16
}

// send writes the next segment of a direction.
func (e *emitter) send(at int64, l *link, d flow.Dir, flags uint8, payload []byte) {
	o := d.Other()
	head := tcpLength
	if flags&syn != 0 {
		head = synLength
	}
	total := ip4Length + head + len(payload)
	b := e.record[:16+ethernetLength+ip4Length+head]
	frame := uint32(ethernetLength + total)
	binary.LittleEndian.PutUint32(b, uint32(at/1e9))
	binary.LittleEndian.PutUint32(b[4:], uint32(at%1e9))
	binary.LittleEndian.PutUint32(b[8:], frame)
	binary.LittleEndian.PutUint32(b[12:], frame)

	copy(b[16:], []byte{2, 0, 0, 0, 0, byte(o) + 1, 2, 0, 0, 0, 0, byte(d) + 1, 8, 0})
	ip := b[16+ethernetLength:]
	l.ipid[d]++
	putIP4(ip, l.addr[d], l.addr[o], total, l.ipid[d])

	t := ip[ip4Length:]
	binary.BigEndian.PutUint16(t, l.port[d])
	binary.BigEndian.PutUint16(t[2:], l.port[o])
	binary.BigEndian.PutUint32(t[4:], l.seq[d])
	if flags&ack != 0 {
		binary.BigEndian.PutUint32(t[8:], l.seq[o])
	} else {
		binary.BigEndian.PutUint32(t[8:], 0)
	}
	t[12], t[13] = byte(head/4)<<4, flags
	binary.BigEndian.PutUint16(t[14:], 502)
	binary.BigEndian.PutUint32(t[16:], 0)
	l.stamp[d] = uint32(at / 1e6)
	if flags&syn != 0 {
		copy(t[20:], []byte{2, 4, 5, 0xb4, 4, 2, 8, 10})
		binary.BigEndian.PutUint32(t[28:], l.stamp[d])
		binary.BigEndian.PutUint32(t[32:], l.stamp[o])
		copy(t[36:], []byte{1, 3, 3, 7})
		l.seq[d]++
	} else {
		copy(t[20:], []byte{1, 1, 8, 10})
		binary.BigEndian.PutUint32(t[24:], l.stamp[d])
		binary.BigEndian.PutUint32(t[28:], l.stamp[o])
	}
	if flags&fin != 0 {
		l.seq[d]++
	}
	l.seq[d] += uint32(len(payload))
	e.write(b)
	if len(payload) > 0 {
		e.write(payload)
	}
	e.totals.Packets++
}

// putIP4 writes an IPv4 header for TCP.
func putIP4(b []byte, src, dst [4]byte, total int, id uint16) {
	b[0], b[1] = 0x45, 0
	binary.BigEndian.PutUint16(b[2:], uint16(total))
	binary.BigEndian.PutUint16(b[4:], id)
	binary.BigEndian.PutUint16(b[6:], 0x4000)
	b[8], b[9], b[10], b[11] = 64, 6, 0, 0
	copy(b[12:], src[:])
	copy(b[16:], dst[:])
	sumIP4(b)
}

// sumIP4 puts the checksum into an IPv4 header.
func sumIP4(b []byte) {
	b[10], b[11] = 0, 0
	sum := uint32(0)
	for i := 0; i < ip4Length; i += 2 {
		sum += uint32(binary.BigEndian.Uint16(b[i:]))
	}
	sum = sum>>16 + sum&0xffff
	sum += sum >> 16
	binary.BigEndian.PutUint16(b[10:], ^uint16(sum))
}
