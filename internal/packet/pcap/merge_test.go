package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

// at makes a capture of packets at times in milliseconds, named by their number.
func at(name string, ms ...uint32) []byte {
	f := (&file{order: binary.LittleEndian}).classic(magicMicro, 1)
	for i, t := range ms {
		data := fmt.Sprint(name, i)
		f.record(1000+t/1000, t%1000*1000, uint32(len(data)), data)
	}
	return f.b
}

// openAll opens files, in the order given, until the test ends.
func openAll(t *testing.T, files ...[]byte) Source {
	t.Helper()
	dir := t.TempDir()
	var paths []string
	for i, b := range files {
		paths = append(paths, filepath.Join(dir, fmt.Sprint(i)))
		writeFile(t, paths[i], b)
	}
	src, err := Open(context.Background(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = src.Close() })
	return src
}

// Files that overlap are put together by the times of their packets, as captures
// of two places, and it is said; those that follow one another are one capture.
func TestOverlap(t *testing.T) {
	const merged = "the packets of files that overlap are put in order of time"
	for _, tc := range []struct {
		name  string
		files [][]byte
		want  string // name and interface
		note  bool
	}{
		{"rotated", [][]byte{at("a", 0, 1000), at("b", 2000, 3000)}, "a0/0 a1/0 b0/0 b1/0", false},
		{"given the wrong way round", [][]byte{at("b", 2000, 3000), at("a", 0, 1000)}, "a0/0 a1/0 b0/0 b1/0", false},
		{"rotated, and a little out of order", [][]byte{at("a", 0, 1000, 2010), at("b", 2000, 3000)}, "a0/0 a1/0 a2/0 b0/0 b1/0", false},
		{"interleaved", [][]byte{at("a", 0, 1000, 2000), at("b", 500, 1500, 2500)}, "a0/0 b0/1 a1/0 b1/1 a2/0 b2/1", true},
		{"one within the other", [][]byte{at("a", 0, 1000, 2000, 3000), at("b", 1100, 1200)}, "a0/0 a1/0 b0/1 b1/1 a2/0 a3/0", true},
		{"a copy", [][]byte{at("a", 0, 1000), at("b", 0, 1000)}, "a0/0 b0/1 a1/0 b1/1", true},
		{"a copy of less than what is out of order", [][]byte{at("a", 0, 10), at("b", 0, 10)}, "a0/0 b0/1 a1/0 b1/1", true},
		{"the order within a file stays", [][]byte{at("a", 0, 3000, 1000, 4000), at("b", 2000, 2500)}, "a0/0 b0/1 b1/1 a1/0 a2/0 a3/0", true},
		{"two that are both rotated", [][]byte{at("a", 0, 1000), at("c", 2000, 3000), at("b", 500, 1500), at("d", 2500, 3500)},
			"a0/0 b0/1 a1/0 b1/1 c0/0 d0/1 c1/0 d1/1", true},
		{"apart, then together", [][]byte{at("a", 0, 1000), at("b", 2000, 3000, 4000), at("c", 3500)}, "a0/0 a1/0 b0/0 b1/0 c0/1 b2/0", true},
		{"together, then apart", [][]byte{at("a", 0, 1000), at("b", 500), at("c", 2000, 2500), nil}, "a0/0 b0/1 a1/0 c0/0 c1/0", true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := openAll(t, tc.files...)
			var order []string
			for i, p := range readAll(t, src) {
				order = append(order, fmt.Sprintf("%s/%d", p.Data, p.Interface))
				if p.Frame != uint64(i+1) {
					t.Errorf("packet %d has number %d", i+1, p.Frame)
				}
			}
			if d := cmp.Diff(tc.want, strings.Join(order, " ")); d != "" {
				t.Error(d)
			}
			want := 0
			if tc.note {
				want = 1
			}
			if got := strings.Count(notes(src), merged); got != want {
				t.Errorf("%d notes, want %d: %q", got, want, notes(src))
			}
		})
	}
}

// What is out of order may reach over the last two batches of a file.
func TestOutOfOrderOverBatches(t *testing.T) {
	var a []uint32
	for i := range uint32(batchPackets + 100) {
		a = append(a, i)
	}
	src := openAll(t, at("a", a...), at("b", batchPackets-1, batchPackets+200))
	list := readAll(t, src)
	if len(list) != len(a)+2 || notes(src) != "" {
		t.Fatalf("%d packets, want %d; notes %q", len(list), len(a)+2, notes(src))
	}
	for i, p := range list {
		want := fmt.Sprint("a", i)
		if i >= len(a) {
			want = fmt.Sprint("b", i-len(a))
		}
		if p.Data != want || p.Interface != 0 || p.Frame != uint64(i+1) {
			t.Fatalf("packet %d is %+v, want %s", i+1, p, want)
		}
	}
}

// Whatever the files, their sizes and formats: what comes is what sorting all
// their packets by time gives.
func TestMergeIsSorting(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for round := range 20 {
		dir := t.TempDir()
		type packet struct {
			Time int64
			Data string
		}
		var paths []string
		var files [][]packet
		for n := range 2 + random.IntN(5) {
			now := int64(1000e9) + random.Int64N(20e9)
			var list []packet
			var b bytes.Buffer
			w := NewWriter(&b, Format(random.IntN(2)), nil)
			for i := range 1 + random.IntN(3*batchPackets) {
				now += random.Int64N(4) * 2e6
				list = append(list, packet{now, fmt.Sprint(n, "-", i)})
				if err := w.Write(&Packet{Time: now, Data: []byte(list[i].Data), Wire: 100, Link: LinkEthernet}); err != nil {
					t.Fatal(err)
				}
			}
			if err := w.Close(Loss{}); err != nil {
				t.Fatal(err)
			}
			if random.IntN(3) == 0 {
				var packed bytes.Buffer
				z := gzip.NewWriter(&packed)
				if _, err := z.Write(b.Bytes()); err != nil {
					t.Fatal(err)
				}
				if err := z.Close(); err != nil {
					t.Fatal(err)
				}
				b = packed
			}
			paths = append(paths, filepath.Join(dir, fmt.Sprint(n)))
			writeFile(t, paths[n], b.Bytes())
			files = append(files, list)
		}
		slices.SortStableFunc(files, func(a, b []packet) int { return int(a[0].Time - b[0].Time) })
		want := slices.Concat(files...)
		slices.SortStableFunc(want, func(a, b packet) int { return int(a.Time - b.Time) })
		src, err := Open(context.Background(), paths, nil)
		if err != nil {
			t.Fatal(err)
		}
		var got []packet
		for i, p := range readAll(t, src) {
			got = append(got, packet{p.Time, p.Data})
			if p.Frame != uint64(i+1) {
				t.Fatalf("round %d: packet %d has number %d", round, i+1, p.Frame)
			}
		}
		if err := src.Close(); err != nil {
			t.Error(err)
		}
		if !slices.Equal(want, got) {
			t.Fatalf("round %d: %d packets, want %d in order of time", round, len(got), len(want))
		}
	}
}

// Who stops in the middle gets no more, and what was given out stays valid.
func TestMergeIsLeft(t *testing.T) {
	var a, b []uint32
	for i := range uint32(3 * batchPackets) {
		a, b = append(a, 2*i), append(b, 2*i+1)
	}
	dir := t.TempDir()
	paths := []string{filepath.Join(dir, "a"), filepath.Join(dir, "b")}
	writeFile(t, paths[0], at("a", a...))
	writeFile(t, paths[1], at("b", b...))
	src, err := Open(context.Background(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	batch, err := src.Next(ctx)
	if err != nil {
		t.Fatal(err)
	}
	stop()
	if _, err := src.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want that it was cancelled", err)
	}
	if err := src.Close(); err != nil {
		t.Error(err)
	}
	if first, second := string(batch.Packets[0].Data), string(batch.Packets[1].Data); first != "a0" || second != "b0" {
		t.Errorf("%q, %q", first, second)
	}
	batch.Release()
	if _, err := src.Next(context.Background()); err != io.EOF {
		t.Errorf("after Close: %v", err)
	}
}

func writeFile(t *testing.T, path string, b []byte) {
	t.Helper()
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
}

// What a capture says it dropped counts once, also if the files overlap in which it
// says so, and that of other captures counts too.
func TestOverlappingDrops(t *testing.T) {
	capture := func(began uint64, at ...uint64) []byte {
		f := &file{order: binary.LittleEndian}
		f.section()
		f.describe(1, 96, f.option(2, []byte("eth0")), f.option(9, []byte{9}))
		for _, ns := range at {
			f.packet(0, ns, 3, "abc")
		}
		f.block(blockStatistics, func() {
			f.u32(0, 0, 0)
			f.option(2, binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, uint32(began>>32)), uint32(began)))()
			f.option(4, f.u64bytes(100))()
			f.option(5, f.u64bytes(20))()
		})
		return f.b
	}
	for _, tc := range []struct {
		name  string
		files [][]byte
		want  Loss
	}{
		{"a copy", [][]byte{capture(7, 1e18, 2e18), capture(7, 1e18, 2e18)}, Loss{Received: 100, Dropped: 20, Known: true}},
		{"two captures", [][]byte{capture(7, 1e18, 2e18), capture(8, 1e18, 2e18)}, Loss{Received: 200, Dropped: 40, Known: true}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			src := openAll(t, tc.files...)
			var places []uint32
			for _, p := range readAll(t, src) {
				places = append(places, p.Interface)
			}
			if d := cmp.Diff([]uint32{0, 1, 0, 1}, places); d != "" {
				t.Error(d)
			}
			if d := cmp.Diff(tc.want, src.Loss()); d != "" {
				t.Error(d)
			}
		})
	}
}
