package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"testing"
)

// same reads b as a stream and as a file in memory, which must agree, and
// checks what a source promises.
func same(t *testing.T, b []byte) {
	read := func(src Source) (n uint64, bytes int) {
		defer src.Close()
		var last uint64
		for {
			batch, err := src.Next(context.Background())
			if err == io.EOF {
				return n, bytes
			}
			if err != nil {
				t.Fatal(err)
			}
			interfaces := uint32(len(src.Interfaces()))
			for _, p := range batch.Packets {
				if p.Frame <= last || int64(len(p.Data)) > int64(p.Wire) || p.Interface >= interfaces || len(p.Data) > maxPacket {
					t.Fatalf("%+v", p)
				}
				last = p.Frame
				n++
				bytes += len(p.Data)
			}
			if len(batch.Packets) == 0 {
				t.Fatal("an empty batch")
			}
			batch.Release()
		}
	}
	src, err := Open(context.Background(), []string{"-"}, bytes.NewReader(b))
	if err != nil {
		return
	}
	n, size := read(src)
	if len(b) == 0 || compression(b) != "" {
		return
	}
	// The same without streams, to see that joining blocks loses nothing.
	s := &source{}
	p, pos, err := s.format("x", b)
	if err != nil {
		t.Fatal(err)
	}
	var m uint64
	var all int
	out := make([]Packet, 0, 16)
	for pos < len(b) {
		var used int
		out, used, err = p.parse(b[pos:], out[:0], batchBytes)
		for _, x := range out {
			m++
			all += len(x.Data)
		}
		pos += used
		if err != nil {
			break
		}
	}
	if n != m || size != all {
		t.Fatalf("stream: %d packets, %d bytes; file: %d packets, %d bytes", n, size, m, all)
	}
}

func FuzzClassic(f *testing.F) {
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		for _, magic := range []uint32{magicMicro, magicNano, magicKuznetzov} {
			f.Add((&file{order: order}).classic(magic, 1).record(1, 2, 5, "hello").record(2, 3, 1500, "cut, and long enough").b)
		}
	}
	f.Fuzz(same)
}

func FuzzNG(f *testing.F) {
	f.Add(ngCapture())
	for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
		g := &file{order: order}
		f.Add(g.section().describe(276, 0, g.option(9, []byte{0x8a})).packet(0, 1<<40, 9, "hello", g.option(2, []byte{1, 2, 3, 4}), g.option(4, g.u64bytes(9))).b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) > 4 {
			copy(b, []byte{0x0a, 0x0d, 0x0d, 0x0a}) // stay with this format
		}
		same(t, b)
	})
}
