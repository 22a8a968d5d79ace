package pcap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkRead reads a file of 256 MB that is in the page cache: through the
// mapping, and as a stream of blocks. Every packet's first byte is looked at.
func BenchmarkRead(b *testing.B) {
	for _, format := range []Format{PCAP, PCAPNG} {
		for _, size := range []int{100, 1500, 64 << 10} {
			path := filepath.Join(b.TempDir(), "a")
			f, err := os.Create(path)
			if err != nil {
				b.Fatal(err)
			}
			w := NewWriter(f, format, nil)
			data := bytes.Repeat([]byte("x"), size)
			n := 256 << 20 / (size + 16)
			for i := range n {
				if err := w.Write(&Packet{Time: int64(i), Data: data, Link: LinkEthernet}); err != nil {
					b.Fatal(err)
				}
			}
			if err := w.Close(Loss{}); err != nil {
				b.Fatal(err)
			}
			if err := f.Close(); err != nil {
				b.Fatal(err)
			}
			name := map[Format]string{PCAP: "pcap", PCAPNG: "pcapng"}[format]
			b.Run(fmt.Sprintf("%s/%d/mapped", name, size), func(b *testing.B) {
				measure(b, n, func() (Source, error) { return OpenFile(path) })
			})
			b.Run(fmt.Sprintf("%s/%d/stream", name, size), func(b *testing.B) {
				measure(b, n, func() (Source, error) {
					f, err := os.Open(path)
					if err != nil {
						return nil, err
					}
					s := &source{}
					s.cur, err = s.openStream(path, f, false, f.Close)
					return s, err
				})
			})
			_ = os.Remove(path)
		}
	}
}

func measure(b *testing.B, want int, open func() (Source, error)) {
	b.ReportAllocs()
	var sum byte
	for b.Loop() {
		src, err := open()
		if err != nil {
			b.Fatal(err)
		}
		n, size := 0, 0
		for {
			batch, err := src.Next(context.Background())
			if err == io.EOF {
				break
			}
			if err != nil {
				b.Fatal(err)
			}
			for i := range batch.Packets {
				p := &batch.Packets[i]
				sum += p.Data[0]
				size += len(p.Data)
			}
			n += len(batch.Packets)
			batch.Release()
		}
		_ = src.Close()
		if n != want {
			b.Fatalf("%d packets, want %d", n, want)
		}
		b.SetBytes(int64(size))
	}
	b.ReportMetric(float64(want)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mpackets/s")
	_ = sum
}
