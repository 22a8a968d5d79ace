package pcap

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"golang.org/x/sys/unix"

	"rtrail/internal/infile"
)

// Open opens captures as one source: files in the pcap or pcapng format, plain
// or compressed with gzip or zstd, or "-" for stdin, which must then be the
// only one. Several files are read in the order of their first packets, each
// once; the packets of files that overlap in time, in the order of their times.
//
// Plain files are mapped into memory; a process that decodes their packets in
// several goroutines and wants to survive that somebody truncates a file at
// that very moment calls debug.SetPanicOnFault in them. The source itself
// survives it and notes it.
//
// An error says that there is nothing to read: no such file, not a capture, or
// that ctx ended while a FIFO or stdin was waited for. What goes wrong later is a
// note.
func Open(ctx context.Context, paths []string, stdin io.Reader) (Source, error) {
	s := &source{ctx: ctx}
	switch {
	case len(paths) == 0:
		return nil, errors.New("no capture given")
	case slices.Contains(paths, "-"):
		if len(paths) > 1 {
			return nil, errors.New("standard input (-) cannot be put in time order with other captures: give it alone")
		}
		if stdin == nil {
			return nil, errors.New("there is no standard input")
		}
		r, err := s.openStream("standard input", stdin, true, nil)
		if err != nil {
			return nil, err
		}
		s.cur = r
		return s, nil
	case len(paths) == 1:
		r, err := s.open(paths[0])
		if err != nil {
			return nil, err
		}
		s.cur = r
		return s, nil
	}
	files, err := s.sort(paths)
	if err != nil {
		return nil, err
	}
	s.files = files
	return s, nil
}

// OpenFile opens one file.
func OpenFile(path string) (Source, error) { return Open(context.Background(), []string{path}, nil) }

// Is says that a regular file begins like a capture, plain or compressed.
func Is(path string) bool {
	return infile.Begins(path, func(in io.Reader) bool {
		head := make([]byte, classicHeader)
		n, _ := io.ReadFull(in, head)
		_, _, err := (&source{}).format(path, head[:n])
		return err == nil
	})
}

// errEmpty is an empty file: the one a rotating capture has just begun.
var errEmpty = errors.New("an empty file, not a capture")

// sort puts files in the order of their first packets; those without packets
// come last.
func (s *source) sort(paths []string) ([]queued, error) {
	files := make([]queued, 0, len(paths))
	var seen []os.FileInfo // of files
	for _, path := range paths {
		if st, err := os.Stat(path); err == nil {
			if !st.Mode().IsRegular() && !st.IsDir() {
				s.note(path, -1, "cannot be read twice: the captures are read in the order given, not by time")
				return unsorted(paths), nil
			}
			// Read twice, each of its packets would look sent again.
			if slices.ContainsFunc(seen, func(other os.FileInfo) bool { return os.SameFile(st, other) }) {
				s.note(path, -1, "given more than once, read once")
				continue
			}
			seen = append(seen, st)
		}
		at, err := firstTime(path)
		switch {
		case errors.Is(err, errEmpty):
			s.note(path, -1, errEmpty.Error())
			continue
		case err != nil && !errors.Is(err, io.EOF):
			return nil, err
		}
		if err != nil {
			at = never
		}
		files = append(files, queued{path, at})
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s and the other captures: %w", paths[0], errEmpty)
	}
	slices.SortStableFunc(files, func(a, b queued) int { return cmp.Compare(a.at, b.at) })
	return files, nil
}

// unsorted are files to be read as they were given.
func unsorted(paths []string) []queued {
	files := make([]queued, len(paths))
	for i, path := range paths {
		files[i] = queued{path, never}
	}
	return files
}

// firstTime is the time of a file's first packet; io.EOF: there is none.
func firstTime(path string) (int64, error) {
	src, err := OpenFile(path)
	if err != nil {
		return 0, err
	}
	defer src.Close()
	b, err := src.Next(context.Background())
	if err != nil {
		return 0, err
	}
	defer b.Release()
	return b.Packets[0].Time, nil
}

// open opens a file of any kind.
func (s *source) open(path string) (*reader, error) {
	f, err := infile.Open(s.ctx, path)
	if err != nil {
		return nil, fmt.Errorf("open capture %s: %w", path, cause(err))
	}
	r, err := s.openFile(f)
	if err != nil {
		f.Close()
		return nil, err
	}
	return r, nil
}

func (s *source) openFile(f *infile.File) (*reader, error) {
	name := f.Name()
	st, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("open capture %s: %w", name, cause(err))
	case st.IsDir():
		return nil, fmt.Errorf("%s: a directory, not a capture: name the files in it", name)
	case !st.Mode().IsRegular():
		return s.openStream(name, f, true, f.Close)
	case st.Size() == 0:
		return nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	head := make([]byte, peekSize)
	n, err := f.ReadAt(head, 0)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if compression(head[:n]) != "" {
		return s.openStream(name, f, false, f.Close)
	}
	p, skip, err := s.format(name, head[:n])
	if err != nil {
		return nil, err
	}
	m, err := mapFile(f.File, st.Size())
	if err != nil {
		return nil, err
	}
	return &reader{name: name, in: &mapped{m: m, s: s, name: name, parse: p, off: skip}}, nil
}

// cause is an error without the name of the file and of the system call, for
// sentences that say both.
func cause(err error) error {
	var at *fs.PathError
	if errors.As(err, &at) {
		return at.Err
	}
	return err
}

// peekSize is enough to know every format and to show what a foreign file
// begins with.
const peekSize = 64

// openStream opens what can only be read once.
func (s *source) openStream(name string, from io.Reader, eager bool, closer func() error) (*reader, error) {
	if f, ok := from.(syscall.Conn); ok && eager {
		widen(f)
	}
	br := bufio.NewReaderSize(from, 64<<10)
	head, err := br.Peek(4)
	if len(head) == 0 {
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return nil, fmt.Errorf("%s: %w", name, errEmpty)
	}
	in := plain{eager: eager, close: closer}
	if in.Reader, in.unpack, err = decompress(br, compression(head)); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	r, err := s.startStream(name, in)
	if err != nil && in.unpack != nil {
		in.unpack()
	}
	return r, err
}

// widen makes a pipe hold as much as a block, if it is one: whoever writes need
// not wait while packets are looked at, and there is more in each read.
func widen(f syscall.Conn) {
	if raw, err := f.SyscallConn(); err == nil {
		_ = raw.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, blockSize) })
	}
}

// startStream finds the format of an unpacked stream and begins to read it.
func (s *source) startStream(name string, in plain) (*reader, error) {
	// The peeking may wait for a header that comes slowly, but not for packets.
	start := make([]byte, classicHeader)
	n, err := io.ReadFull(in, start)
	if n == 0 || err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("%s: cannot be unpacked, or holds nothing: %w", name, err)
	}
	p, skip, err := s.format(name, start[:n])
	if err != nil {
		return nil, err
	}
	return &reader{name: name, in: newStream(s, name, start[skip:n], in, p)}, nil
}

// compression names the one that a file begins with; "" if none.
func compression(head []byte) string {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}),
		len(head) >= 4 && head[0]&0xf0 == 0x50 && bytes.Equal(head[1:4], []byte{0x2a, 0x4d, 0x18}): // a skippable frame
		return "zstd"
	}
	return ""
}

func decompress(r *bufio.Reader, how string) (plain io.Reader, done func(), err error) {
	switch how {
	case "gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, nil, fmt.Errorf("unpack gzip: %w", err)
		}
		return z, nil, nil
	case "zstd":
		z, err := zstd.NewReader(r, zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return nil, nil, fmt.Errorf("unpack zstd: %w", err)
		}
		return z, z.Close, nil
	}
	return r, nil, nil
}

// format finds the parser for a file that begins with head, and how many bytes
// it has dealt with.
func (s *source) format(name string, head []byte) (p parser, skip int, err error) {
	if len(head) >= 4 && bytes.Equal(head[:4], []byte{0x0a, 0x0d, 0x0d, 0x0a}) {
		return &ng{s: s, name: name}, 0, nil
	}
	c, ok := newClassic(s, name, head)
	switch {
	case ok && len(head) < classicHeader:
		return nil, 0, fmt.Errorf("%s: a pcap file of %d bytes: it ends within its header, so nothing can be read", name, len(head))
	case ok:
		return c, classicHeader, nil
	}
	e := &ForeignError{Name: name, Begins: describe(head)}
	if h := hint(head); h != "" {
		return nil, 0, errors.New(e.Error() + h)
	}
	return nil, 0, e
}

// ForeignError says that a file is no capture, nor what people take for one.
type ForeignError struct {
	Name   string
	Begins string // its first bytes, in quotes if they are text
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s: not a capture: begins with %s; expected pcap or pcapng, plain or compressed with gzip or zstd", e.Name, e.Begins)
}

// describe shows the first bytes as text if they are, else as numbers.
func describe(head []byte) string {
	head = head[:min(len(head), 8)]
	for _, c := range head {
		if (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' {
			return fmt.Sprintf("% x", head)
		}
	}
	return fmt.Sprintf("%q", head)
}

// isReport is what to do with a report that comes through a pipe, which can be looked at once.
const isReport = "this is a report of another tool: save it in a file, and give that to rtrail diagnose"

// foreign are files that people take for captures, and what to do with them.
var foreign = []struct{ magic, hint string }{
	{"snoop\x00\x00\x00", "this is a snoop capture: convert it with editcap"},
	{"GMBU", "this is a Microsoft Network Monitor capture: convert it with editcap"},
	{"RTSS", "this is a Microsoft Network Monitor capture: convert it with editcap"},
	{"\xfd7zXZ\x00", "unpack it: xz -dc FILE | rtrail packets -"},
	{"BZh", "unpack it: bzip2 -dc FILE | rtrail packets -"},
	{"\x04\x22\x4d\x18", "unpack it: lz4 -dc FILE | rtrail packets -"},
	{"PK\x03\x04", "this is a zip archive: unpack it"},
	{"\x7fELF", "this is a program"},
	{"procs --", isReport},
	{"Linux ", isReport},
	{"top - ", isReport},
}

func hint(head []byte) string {
	for _, f := range foreign {
		if strings.HasPrefix(string(head), f.magic) {
			return "; " + f.hint
		}
	}
	return ""
}
