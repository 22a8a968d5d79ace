package generate

import (
	"bytes"
	"context"
	"crypto/sha256"
	"hash"
	"io"
	"testing"

	"rtrail/internal/packet/pcap"
)

// small is a load of which only the beginning is kept.
type small struct {
	buf  bytes.Buffer
	left int
	sum  hash.Hash
}

func (s *small) Write(b []byte) (int, error) {
	s.sum.Write(b)
	n := min(len(b), s.left)
	s.buf.Write(b[:n])
	s.left -= n
	if s.left == 0 {
		return n, io.ErrShortWrite
	}
	return len(b), nil
}

// The beginning of every load is a capture in time order, and the same each time.
func TestLoads(t *testing.T) {
	for _, l := range Loads() {
		t.Run(l.Name, func(t *testing.T) {
			var sums [2][]byte
			var w *small
			for i := range sums {
				w = &small{left: 4 << 20, sum: sha256.New()}
				if _, err := l.Write(w, 1, 7); err == nil {
					t.Fatal("an error of the writer is not reported")
				}
				sums[i] = w.sum.Sum(nil)
			}
			if !bytes.Equal(sums[0], sums[1]) {
				t.Error("not the same twice")
			}
			src, err := pcap.Open(context.Background(), []string{"-"}, &w.buf)
			if err != nil {
				t.Fatal(err)
			}
			defer src.Close()
			last := int64(0)
			for {
				b, err := src.Next(context.Background())
				if err == io.EOF {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				for _, p := range b.Packets {
					if p.Time < last {
						t.Fatalf("frame %d goes back in time", p.Frame)
					}
					last = p.Time
				}
				b.Release()
			}
		})
	}
}

func TestTotals(t *testing.T) {
	if testing.Short() {
		t.Skip("writes 3 million packets")
	}
	l, err := LoadNamed("B")
	if err != nil {
		t.Fatal(err)
	}
	got, err := l.Write(io.Discard, 1, 1)
	if err != nil {
		t.Fatal(err)
	}
	if got.Packets != 3_000_000 || got.Connections != 400_000 || got.Transactions != 200_000 {
		t.Errorf("%+v", got)
	}
}
