package pcap

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// Format is a capture file format.
type Format uint8

// Formats.
const (
	PCAPNG Format = iota // keeps interfaces with their names and link types, directions and drops
	PCAP                 // with nanoseconds; one link type in a file
)

// FormatOf is the format that a file's name asks for: PCAP for .pcap and .cap,
// else PCAPNG.
func FormatOf(path string) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".pcap", ".cap":
		return PCAP
	}
	return PCAPNG
}

// ErrMixedLinks says that a file of the PCAP format cannot hold a packet,
// because those before it have another link type.
var ErrMixedLinks = errors.New("a pcap file holds packets of one link type: write pcapng (FILE.pcapng)")

// writtenSnap is the snap length that files claim for interfaces without one.
const writtenSnap = 262144

// Writer writes packets into a capture file, with their times in nanoseconds,
// their original lengths, interfaces, link types and directions.
type Writer struct {
	w          *bufio.Writer
	format     Format
	interfaces func() []Interface
	local      map[uint32]uint32 // Packet.Interface to its number in the file
	last       uint32            // the interface of the packet before, and
	lastLocal  uint32            // its number; valid if local is not empty
	link       LinkType          // PCAP only
	begun      bool
	buf        [64]byte
}

// NewWriter makes a writer. interfaces describes what Packet.Interface counts,
// as Source.Interfaces does; it is asked when a packet of a new one comes and
// may be nil.
func NewWriter(w io.Writer, f Format, interfaces func() []Interface) *Writer {
	return &Writer{w: bufio.NewWriterSize(w, 256<<10), format: f, interfaces: interfaces, local: map[uint32]uint32{}}
}

// Write appends a packet.
func (w *Writer) Write(p *Packet) error {
	if w.format == PCAP {
		return w.classic(p)
	}
	if err := w.begin(0); err != nil {
		return err
	}
	id := w.lastLocal
	if len(w.local) == 0 || p.Interface != w.last {
		var err error
		if id, err = w.interfaceOf(p); err != nil {
			return err
		}
		w.last, w.lastLocal = p.Interface, id
	}
	pad := -len(p.Data) & 3
	options := 0
	if p.Way != WayUnknown {
		options = 12
	}
	length := 32 + len(p.Data) + pad + options
	h := w.buf[:28]
	put(h, blockPacket, uint32(length), id, uint32(uint64(p.Time)>>32), uint32(p.Time), uint32(len(p.Data)), max(p.Wire, uint32(len(p.Data))))
	w.bytes(h)
	w.bytes(p.Data)
	t := w.buf[:pad+options+4]
	clear(t)
	if options > 0 {
		put(t[pad:], 2|4<<16, uint32(p.Way), 0) // epb_flags, end of options
	}
	put(t[pad+options:], uint32(length))
	_, err := w.w.Write(t)
	return err
}

// bytes writes; the error comes again with the next write.
func (w *Writer) bytes(b []byte) { _, _ = w.w.Write(b) }

func put(b []byte, words ...uint32) {
	for i, v := range words {
		binary.LittleEndian.PutUint32(b[4*i:], v)
	}
}

// begin writes the header of the file if it is not there yet.
func (w *Writer) begin(snap uint32) error {
	if w.begun {
		return nil
	}
	w.begun = true
	h := w.buf[:]
	if w.format == PCAP {
		put(h, magicNano, 2|4<<16, 0, 0, snap, uint32(w.link))
		h = h[:classicHeader]
	} else {
		put(h, blockSection, 28, orderMagic, 1, 0xffffffff, 0xffffffff, 28)
		h = h[:28]
	}
	_, err := w.w.Write(h)
	return err
}

func (w *Writer) describe(p *Packet) Interface {
	if w.interfaces != nil {
		if all := w.interfaces(); int64(p.Interface) < int64(len(all)) {
			return all[p.Interface]
		}
	}
	return Interface{Link: p.Link}
}

// interfaceOf is the number of a packet's interface in the file, which is
// described there first if need be.
func (w *Writer) interfaceOf(p *Packet) (uint32, error) {
	if id, ok := w.local[p.Interface]; ok {
		return id, nil
	}
	i := w.describe(p)
	name := i.Name[:min(len(i.Name), 255)]
	b := make([]byte, 0, 64+len(name))
	b = binary.LittleEndian.AppendUint32(b, blockInterface)
	b = binary.LittleEndian.AppendUint32(b, 0) // length
	b = binary.LittleEndian.AppendUint32(b, uint32(p.Link))
	b = binary.LittleEndian.AppendUint32(b, i.SnapLength)
	if name != "" {
		b = binary.LittleEndian.AppendUint16(b, 2) // if_name
		b = binary.LittleEndian.AppendUint16(b, uint16(len(name)))
		b = append(b, name...)
		b = append(b, make([]byte, -len(b)&3)...)
	}
	b = append(b, 9, 0, 1, 0, 9, 0, 0, 0) // if_tsresol: 10^-9 s
	b = append(b, 0, 0, 0, 0)             // end of options
	b = binary.LittleEndian.AppendUint32(b, uint32(len(b)+4))
	binary.LittleEndian.PutUint32(b[4:], uint32(len(b)))
	if _, err := w.w.Write(b); err != nil {
		return 0, err
	}
	id := uint32(len(w.local))
	w.local[p.Interface] = id
	return id, nil
}

func (w *Writer) classic(p *Packet) error {
	if !w.begun {
		w.link = p.Link
		snap := w.describe(p).SnapLength
		if snap == 0 {
			snap = writtenSnap
		}
		if err := w.begin(snap); err != nil {
			return err
		}
	}
	if p.Link != w.link {
		return ErrMixedLinks
	}
	if p.Time < 0 || p.Time/1e9 > 0xffffffff {
		return fmt.Errorf("a pcap file cannot hold the time of frame %d: write pcapng", p.Frame)
	}
	h := w.buf[:16]
	put(h, uint32(p.Time/1e9), uint32(p.Time%1e9), uint32(len(p.Data)), max(p.Wire, uint32(len(p.Data))))
	w.bytes(h)
	_, err := w.w.Write(p.Data)
	return err
}

// Close writes what the capture says about its losses, where the format can
// hold it, and what is still buffered. It does not close the underlying writer.
func (w *Writer) Close(l Loss) error {
	if !w.begun {
		w.link = LinkEthernet
		if w.interfaces != nil {
			for _, i := range w.interfaces() {
				w.link = i.Link
			}
		}
	}
	if err := w.begin(writtenSnap); err != nil {
		return err
	}
	if l.Known && w.format == PCAPNG && len(w.local) > 0 {
		b := make([]byte, 52)
		put(b, blockStatistics, 52, 0, 0, 0, 4|8<<16)
		binary.LittleEndian.PutUint64(b[24:], l.Received)
		put(b[32:], 7|8<<16)
		binary.LittleEndian.PutUint64(b[36:], l.Dropped)
		put(b[44:], 0, 52)
		w.bytes(b)
	}
	if err := w.w.Flush(); err != nil {
		return fmt.Errorf("write capture: %w", err)
	}
	return nil
}
