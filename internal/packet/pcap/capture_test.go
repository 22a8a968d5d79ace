package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// got is a packet with its own copy of the data.
type got struct {
	Time      int64
	Frame     uint64
	Data      string
	Wire      uint32
	Interface uint32
	Link      LinkType
	Way       Way
}

func readAll(t testing.TB, src Source) []got {
	t.Helper()
	var all []got
	for {
		b, err := src.Next(context.Background())
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		if len(b.Packets) == 0 {
			t.Fatal("a batch without packets")
		}
		for _, p := range b.Packets {
			all = append(all, got{p.Time, p.Frame, string(p.Data), p.Wire, p.Interface, p.Link, p.Way})
		}
		b.Release()
	}
}

func notes(src Source) string {
	var all []string
	for _, n := range src.Notes() {
		all = append(all, n.Text)
	}
	return strings.Join(all, "\n")
}

// file is a capture that is put together by hand.
type file struct {
	order binary.AppendByteOrder
	b     []byte
}

func (f *file) u16(vs ...uint16) *file {
	for _, v := range vs {
		f.b = f.order.AppendUint16(f.b, v)
	}
	return f
}

func (f *file) u32(vs ...uint32) *file {
	for _, v := range vs {
		f.b = f.order.AppendUint32(f.b, v)
	}
	return f
}

func (f *file) classic(magic, link uint32) *file {
	return f.u32(magic).u16(2, 4).u32(0, 0, 65535, link)
}

func (f *file) record(sec, frac, wire uint32, data string) *file {
	f.u32(sec, frac, uint32(len(data)), wire)
	f.b = append(f.b, data...)
	return f
}

// block appends a pcapng block round what body appends.
func (f *file) block(kind uint32, body func()) *file {
	start := len(f.b)
	f.u32(kind, 0)
	body()
	for len(f.b)%4 != start%4 {
		f.b = append(f.b, 0)
	}
	n := uint32(len(f.b) - start + 4)
	f.u32(n)
	copy(f.b[start+4:], f.order.AppendUint32(nil, n))
	return f
}

func (f *file) section() *file {
	return f.block(blockSection, func() { f.u32(orderMagic).u16(1, 0).u32(0xffffffff, 0xffffffff) })
}

func (f *file) describe(link uint16, snap uint32, options ...func()) *file {
	return f.block(blockInterface, func() {
		f.u16(link, 0).u32(snap)
		for _, o := range options {
			o()
		}
	})
}

// option gives what appends an option.
func (f *file) option(code uint16, value []byte) func() {
	return func() {
		f.u16(code, uint16(len(value)))
		f.b = append(f.b, value...)
		f.b = append(f.b, make([]byte, -len(value)&3)...)
	}
}

func (f *file) u64bytes(v uint64) []byte { return f.order.AppendUint64(nil, v) }

func (f *file) packet(id uint32, raw uint64, wire uint32, data string, options ...func()) *file {
	return f.block(blockPacket, func() {
		f.u32(id, uint32(raw>>32), uint32(raw), uint32(len(data)), wire)
		f.b = append(f.b, data...)
		f.b = append(f.b, make([]byte, -len(data)&3)...)
		for _, o := range options {
			o()
		}
	})
}

func write(t testing.TB, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// ways reads the same bytes from a file, as a stream, and compressed.
func ways(t *testing.T, b []byte, check func(t *testing.T, src Source)) {
	t.Helper()
	pack := map[string]func(w io.Writer) io.WriteCloser{
		"gzip": func(w io.Writer) io.WriteCloser { return gzip.NewWriter(w) },
		"zstd": func(w io.Writer) io.WriteCloser { z, _ := zstd.NewWriter(w); return z },
	}
	run := func(name string, open func() (Source, error)) {
		t.Run(name, func(t *testing.T) {
			src, err := open()
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			check(t, src)
		})
	}
	path := write(t, "a.pcap", b)
	run("mapped", func() (Source, error) { return OpenFile(path) })
	run("stream", func() (Source, error) { return Open(context.Background(), []string{"-"}, bytes.NewReader(b)) })
	run("single bytes", func() (Source, error) { return Open(context.Background(), []string{"-"}, oneByOne{bytes.NewReader(b)}) })
	for name, wrap := range pack {
		var z bytes.Buffer
		w := wrap(&z)
		_, _ = w.Write(b)
		_ = w.Close()
		run(name, func() (Source, error) { return OpenFile(write(t, "a.pcap.z", z.Bytes())) })
	}
}

type oneByOne struct{ r io.Reader }

func (o oneByOne) Read(b []byte) (int, error) { return o.r.Read(b[:min(len(b), 1)]) }
