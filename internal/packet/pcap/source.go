package pcap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"sync"
)

const (
	// batchPackets and batchBytes bound a batch: enough packets that handing them
	// over costs nothing per packet, few enough bytes to stay in the second level
	// cache while they are decoded.
	batchPackets = 2048
	batchBytes   = 2 << 20
	// maxPacket is the longest captured packet believed. A snap length is at most
	// 256 KB by libpcap's own bound, a BIG TCP packet 512 KB; what claims to be
	// longer is corruption.
	maxPacket = 1 << 20
	// maxNotes bounds what a damaged capture may say about itself.
	maxNotes = 64
)

// source reads the files of a capture one after the other, and those that
// overlap in time together.
type source struct {
	ctx    context.Context // ends the waiting for files that are FIFOs
	files  []queued        // still to be read
	cur    *reader         // the one being read; nil between two files, and while files are merged
	ahead  []*batch        // of a file that has ended, read to see whether the next one overlaps
	merge  *merge          // of files that overlap; nil: none do here
	merged bool            // files that overlap were found, and it was said
	frame  uint64          // the last number given
	pool   pool

	mu         sync.Mutex // for what others than the caller of Next may ask
	interfaces []Interface
	keys       []interfaceKey // of interfaces
	numbers    map[interfaceKey]uint32
	homes      map[interfaceKey]uint32 // the first of each, whichever lane
	lanes      map[string]int          // of files that were opened while others were read; 0, of all others, is left out
	tally      tally
	notes      []Note
	unsaid     int // notes beyond maxNotes
}

// interfaceKey tells whether interfaces of two files or sections are the same:
// rotated files repeat the description of their interfaces, and a connection
// goes on from one file to the next. Files that overlap are of several captures:
// what both have, each has seen at a place of its own.
type interfaceKey struct {
	lane    int
	name    string
	link    LinkType
	ordinal int // among those of its section with the same name and link type
}

// reader reads one file or stream.
type reader struct {
	name string
	in   input
	// packets of this file up to now
	count uint64
	first int64 // when the first of them was captured
}

// queued is a file that is still to be read.
type queued struct {
	path string
	at   int64 // its first packet; never: there is none, or it is not known
}

const never = math.MaxInt64

// input gives the records of one file.
type input interface {
	// fill puts packets into the batch. done says that nothing will follow.
	fill(ctx context.Context, b *batch) (done bool, err error)
	close() error
}

// parser takes the records of a format off the beginning of a buffer.
type parser interface {
	// parse appends packets to out until out is full, until stop bytes are used,
	// or until an error: errShort if the buffer ends within a record, a
	// corruption otherwise. used counts the bytes of whole records; it exceeds
	// len(buf) if the last record is to be skipped and ends beyond the buffer.
	parse(buf []byte, out []Packet, stop int) (packets []Packet, used int, err error)
	// summary is called at the end of the file.
	summary()
}

// corruption is why a file cannot be read on.
type corruption string

func (c corruption) Error() string { return string(c) }

// ahead touches two cache lines that will be parsed some packets later. Where
// the next header lies is only known when this one was read, so a reader of
// small packets mostly waits for memory; nothing waits for these loads. 1.5 KB
// ahead makes it 1.6 times as fast; half and twice the distance are no better.
func ahead(buf []byte, pos int) byte {
	const distance = 1536
	if a := pos + distance; a+64 < len(buf) {
		return buf[a] + buf[a+64]
	}
	return 0
}

const errShort = corruption("the data end within a record")

// Next implements Source.
func (s *source) Next(ctx context.Context) (*Batch, error) {
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if len(s.ahead) > 0 {
			b := s.ahead[0]
			s.ahead = s.ahead[1:]
			return &b.Batch, nil
		}
		if s.merge != nil {
			b, err := s.merge.next(ctx)
			if b != nil || err != nil {
				return b, err
			}
			s.cur, s.frame, s.merge = s.merge.left(), s.merge.frame, nil
			continue
		}
		if s.cur == nil {
			if len(s.files) == 0 {
				return nil, io.EOF
			}
			if s.cur = s.openNext(); s.cur == nil {
				continue
			}
		}
		before, r := s.frame, s.cur
		b, ended, err := s.fill(ctx, r)
		if ended {
			s.cur = nil
		}
		if b != nil {
			if len(s.files) > 0 && b.Packets[len(b.Packets)-1].Time >= s.files[0].at && s.overlaps(ctx, r, b, before, ended) {
				continue
			}
			return &b.Batch, nil // an error of a context comes again
		}
		if err != nil {
			return nil, err
		}
	}
}

// fill reads packets of a file, and closes it at its end; nil: there are none.
func (s *source) fill(ctx context.Context, r *reader) (b *batch, ended bool, err error) {
	b = s.pool.get()
	ended, err = r.in.fill(ctx, b)
	n := len(b.Packets)
	if r.count == 0 && n > 0 {
		r.first = b.Packets[0].Time
	}
	r.count += uint64(n)
	if ended || err != nil {
		ended = true
		if cerr := s.finish(r); err == nil {
			err = cerr
		}
	}
	if n == 0 {
		b.Release()
		b = nil
	}
	return b, ended, err
}

// openNext opens the next file; nil: it cannot be read any more.
func (s *source) openNext() *reader {
	name := s.files[0].path
	s.files = s.files[1:]
	r, err := s.open(name)
	if err != nil { // it could be read when the source was opened
		s.note(name, -1, fmt.Sprintf("skipped: %v", err))
		return nil
	}
	return r
}

// finish closes a file.
func (s *source) finish(r *reader) error {
	if r.count == 0 {
		s.note(r.name, -1, "holds no packets")
	}
	if err := r.in.close(); err != nil {
		return fmt.Errorf("close %s: %w", r.name, err)
	}
	return nil
}

// Interfaces implements Source.
func (s *source) Interfaces() []Interface {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.interfaces)
}

// Loss implements Source.
func (s *source) Loss() Loss {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tally.sum()
}

// Notes implements Source.
func (s *source) Notes() []Note {
	s.mu.Lock()
	defer s.mu.Unlock()
	notes := slices.Clone(s.notes)
	if s.unsaid > 0 {
		notes = append(notes, Note{Offset: -1, Text: fmt.Sprintf("%d more notes like these", s.unsaid)})
	}
	return notes
}

// Close implements Source. Batches that were not released stay valid.
func (s *source) Close() error {
	s.files = nil
	for _, b := range s.ahead {
		b.Release()
	}
	s.ahead = nil
	var err error
	if s.merge != nil {
		err, s.merge = s.merge.close(), nil
	}
	if s.cur != nil {
		err, s.cur = errors.Join(err, s.cur.in.close()), nil
	}
	return err
}

func (s *source) note(file string, offset int64, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.notes) == maxNotes {
		s.unsaid++
		return
	}
	s.notes = append(s.notes, Note{File: file, Offset: offset, Text: text})
}

// maxInterfaces bounds the interfaces of all files and sections.
const maxInterfaces = 1 << 16

// addInterface gives the number of an interface. ordinal is how many of its
// section have the same name and link type; ok is false when there are too many.
func (s *source) addInterface(i Interface, ordinal int) (number uint32, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	key := interfaceKey{s.lanes[i.File], i.Name, i.Link, ordinal}
	if n, known := s.numbers[key]; known {
		return n, true
	}
	if len(s.interfaces) == maxInterfaces {
		return 0, false
	}
	if s.numbers == nil {
		s.numbers, s.homes = map[interfaceKey]uint32{}, map[interfaceKey]uint32{}
	}
	number = uint32(len(s.interfaces))
	s.interfaces = append(s.interfaces, i)
	s.keys = append(s.keys, key)
	s.numbers[key] = number
	key.lane = 0
	if _, known := s.homes[key]; !known {
		s.homes[key] = number
	}
	return number, true
}

// home is the number of an interface whichever lane it is in: a capture is known
// again by when it began, also where its files overlap, or one is a copy.
func (s *source) home(n uint32) uint32 {
	key := s.keys[n]
	key.lane = 0
	return s.homes[key]
}

// tally adds up what interfaces say about drops.
type tally struct {
	stats   map[uint32][]interfaceStat // by the number of the interface
	between uint64                     // dropped before single packets
	known   bool
}

// maxStatistics bounds the sections and files in which one interface may tell
// what it dropped: as many files as a ring of captures has.
const maxStatistics = 1 << 12

type interfaceStat struct {
	section           int // counted within its file
	file              string
	number            uint32
	start             uint64 // when the capture began, raw; 0: not said
	received, dropped uint64
}

// set records the counters of an interface, which are cumulative since the
// start of a capture: those of a rotated file continue the ones of the file
// before, if both began at the same time.
func (t *tally) set(st interfaceStat) {
	t.known = true
	list := t.stats[st.number]
	for i := range list {
		o := &list[i]
		if o.section == st.section && o.file == st.file || st.start != 0 && o.start == st.start {
			*o = st
			return
		}
	}
	if t.stats == nil {
		t.stats = map[uint32][]interfaceStat{}
	}
	if len(list) < maxStatistics {
		t.stats[st.number] = append(list, st)
	}
}

func (t *tally) sum() Loss {
	l := Loss{Known: t.known}
	for _, list := range t.stats {
		for _, st := range list {
			l.Received += st.received
			l.Dropped += st.dropped
		}
	}
	l.Dropped = max(l.Dropped, t.between)
	return l
}
