package pcap

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/gzip"
)

func TestClassic(t *testing.T) {
	for name, tc := range map[string]struct {
		order binary.AppendByteOrder
		magic uint32
		unit  int64
	}{
		"micro little": {binary.LittleEndian, magicMicro, 1000},
		"micro big":    {binary.BigEndian, magicMicro, 1000},
		"nano little":  {binary.LittleEndian, magicNano, 1},
		"nano big":     {binary.BigEndian, magicNano, 1},
	} {
		t.Run(name, func(t *testing.T) {
			f := (&file{order: tc.order}).classic(tc.magic, 0x10000000|276)
			f.record(1700000000, 123456, 1500, "cut").record(1700000001, 5, 2, "whole").record(1700000000, 0, 4, "back")
			ways(t, f.b, func(t *testing.T, src Source) {
				want := []got{
					{1700000000e9 + 123456*tc.unit, 1, "cut", 1500, 0, LinkLinuxSLL2, WayUnknown},
					{1700000001e9 + 5*tc.unit, 2, "whole", 5, 0, LinkLinuxSLL2, WayUnknown},
					{1700000000e9, 3, "back", 4, 0, LinkLinuxSLL2, WayUnknown},
				}
				if d := cmp.Diff(want, readAll(t, src)); d != "" {
					t.Error(d)
				}
				if n := notes(src); n != "" {
					t.Error("note:", n)
				}
				if i := src.Interfaces(); len(i) != 1 || i[0].Link != LinkLinuxSLL2 || i[0].SnapLength != 65535 {
					t.Error(i)
				}
			})
		})
	}
}

func TestKuznetzov(t *testing.T) {
	f := (&file{order: binary.LittleEndian}).classic(magicKuznetzov, 1)
	for _, kind := range []byte{0, 4} {
		f.u32(7, 8, 3, 3, 2).u16(0x800)
		f.b = append(f.b, kind, 0, 'a', 'b', 'c')
	}
	src, err := OpenFile(write(t, "k.pcap", f.b))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	want := []got{
		{7000008000, 1, "abc", 3, 0, LinkEthernet, Inbound},
		{7000008000, 2, "abc", 3, 0, LinkEthernet, Outbound},
	}
	if d := cmp.Diff(want, readAll(t, src)); d != "" {
		t.Error(d)
	}
}

// ngCapture has two sections of different byte orders, interfaces with their
// own clocks, and every kind of block.
func ngCapture() []byte {
	f := &file{order: binary.LittleEndian}
	f.section()
	f.describe(1, 96, f.option(2, []byte("eth0")), f.option(9, []byte{9}))
	f.describe(113, 0, f.option(2, []byte("any")), f.option(9, []byte{0x80 | 10}), f.option(14, f.u64bytes(100)))
	f.packet(0, 1700000000_000000001, 1500, "one", f.option(2, []byte{2, 0, 0, 0}))
	f.block(0x0bad, func() { f.u32(1, 2, 3) })
	f.packet(1, 5<<10|512, 5, "seven")
	f.block(blockSimple, func() { f.u32(3); f.b = append(f.b, "spb"...) })
	f.packet(7, 1, 1, "x") // not described
	f.block(blockOldPacket, func() { f.u16(0, 3).u32(0, 9, 2, 2); f.b = append(f.b, "pb"...) })
	f.block(blockStatistics, func() {
		f.u32(0, 0, 0)
		f.option(4, f.u64bytes(1000))()
		f.option(5, f.u64bytes(20))()
		f.option(7, f.u64bytes(3))()
	})
	g := &file{order: binary.BigEndian, b: f.b}
	g.section()
	g.describe(1, 0, g.option(2, []byte("eth0"))) // the same as above, in microseconds
	g.describe(101, 0)
	g.packet(0, 1700000000_000002, 3, "big", g.option(2, []byte{0, 0, 0, 1}))
	g.packet(1, 1700000000_000003, 3, "raw")
	return g.b
}

func TestNG(t *testing.T) {
	ways(t, ngCapture(), func(t *testing.T, src Source) {
		want := []got{
			{1700000000_000000001, 1, "one", 1500, 0, LinkEthernet, Outbound},
			{105_500000000, 2, "seven", 5, 1, LinkLinuxSLL, WayUnknown},
			{105_500000000, 3, "spb", 3, 0, LinkEthernet, WayUnknown},
			{9, 5, "pb", 2, 0, LinkEthernet, WayUnknown},
			{1700000000_000002000, 6, "big", 3, 0, LinkEthernet, Inbound},
			{1700000000_000003000, 7, "raw", 3, 2, LinkRaw, WayUnknown},
		}
		if d := cmp.Diff(want, readAll(t, src)); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(Loss{Received: 1000, Dropped: 23, Known: true}, src.Loss()); d != "" {
			t.Error(d)
		}
		var names []string
		for _, i := range src.Interfaces() {
			names = append(names, i.Name)
		}
		if d := cmp.Diff([]string{"eth0", "any", ""}, names); d != "" {
			t.Error(d)
		}
		for _, part := range []string{"1 packets carry no time", "1 packets of interfaces"} {
			if !strings.Contains(notes(src), part) {
				t.Errorf("no note %q in %q", part, notes(src))
			}
		}
	})
}

func TestClock(t *testing.T) {
	for _, tc := range []struct {
		resolution byte
		offset     int64
		raw        uint64
		want       int64
	}{
		{6, 0, 1700000000_123456, 1700000000_123456000},
		{9, 0, 1700000000_123456789, 1700000000_123456789},
		{0, 0, 1700000000, 1700000000_000000000},
		{12, 0, 1700000_123456789_999, 1700000_123456789},
		{127, 0, 1 << 63, 0},
		{0x80, 0, 17, 17e9},
		{0x80 | 32, 0, 1700000000<<32 | 1<<31, 1700000000_500000000},
		{0x80 | 63, 0, 1 << 62, 500000000},
		{0x80 | 64, 0, 1 << 63, 500000000},
		{0x80 | 127, 0, 1 << 63, 0},
		{6, -3600, 1700000000_000000, 1699996400_000000000},
		{6, 3600, 1700000000_000000, 1700003600_000000000},
		{0, 0, 1<<62 + 1, MaxTime},
		{9, 0, 1<<64 - 1, MaxTime},
		{9, 0, MaxTime + 1, MaxTime},
		{9, 0, MaxTime, MaxTime},
		{0x80, 0, 1<<64 - 1, MaxTime},
		{9, 1 << 62, 5, MaxTime},
		{9, 1 << 62, 1 << 63, MaxTime},
		{9, -1 << 63, 1<<63 - 1, 854775807},
		{9, -1, 999_999_999, 0},
		{6, -1 << 62, 0, 0},
	} {
		c := newClock(tc.resolution, tc.offset)
		got, ok := c.nanoseconds(tc.raw)
		if outside := tc.want == MaxTime && tc.raw != MaxTime || tc.want == 0 && tc.raw < 1e9; got != tc.want || ok == outside {
			t.Errorf("resolution %#x, offset %d, raw %d: %d %v, want %d", tc.resolution, tc.offset, tc.raw, got, ok, tc.want)
		}
	}
}

// Every capture that breaks off gives the packets before the break and says so.
func TestTornTail(t *testing.T) {
	classic := (&file{order: binary.LittleEndian}).classic(magicNano, 1)
	for range 3 {
		classic.record(1, 2, 5, "hello")
	}
	ng := &file{order: binary.BigEndian}
	ng.section().describe(1, 0)
	start := len(ng.b)
	for range 3 {
		ng.packet(0, 1, 5, "hello")
	}
	for _, tc := range []struct {
		b             []byte
		start, record int
	}{{classic.b, classicHeader, 21}, {ng.b, start, 40}} {
		for cut := tc.start; cut <= len(tc.b); cut++ {
			whole, torn := (cut-tc.start)/tc.record, (cut-tc.start)%tc.record
			for _, paths := range [][]string{{"-"}, {write(t, "cut", tc.b[:cut])}} {
				src, err := Open(context.Background(), paths, bytes.NewReader(tc.b[:cut]))
				if err != nil {
					t.Fatal(err)
				}
				if n := len(readAll(t, src)); n != whole {
					t.Errorf("%v cut at %d: %d packets, want %d", paths, cut, n, whole)
				}
				if said := strings.Contains(notes(src), "breaks off"); said != (torn > 0) {
					t.Errorf("%v cut at %d: notes %q", paths, cut, notes(src))
				}
				if said := strings.Contains(notes(src), "no packets"); said != (whole == 0) {
					t.Errorf("%v cut at %d: notes %q", paths, cut, notes(src))
				}
				_ = src.Close()
			}
		}
	}
}

func TestTornGzip(t *testing.T) {
	f := (&file{order: binary.LittleEndian}).classic(magicNano, 1)
	for i := range uint32(5000) {
		f.record(i+1, i*7919, 5, "hello")
	}
	var z bytes.Buffer
	w := gzip.NewWriter(&z)
	_, _ = w.Write(f.b)
	_ = w.Close()
	src, err := OpenFile(write(t, "a.gz", z.Bytes()[:z.Len()/2]))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if n := len(readAll(t, src)); n < 100 || n >= 5000 {
		t.Errorf("%d packets", n)
	}
	if !strings.Contains(notes(src), "cannot be read on") {
		t.Error(notes(src))
	}
}

func TestCorrupt(t *testing.T) {
	f := (&file{order: binary.LittleEndian}).classic(magicNano, 1)
	f.record(1, 2, 5, "hello").u32(1, 2, 0x7fffffff, 5)
	f.b = append(f.b, make([]byte, 100)...)
	z := (&file{order: binary.LittleEndian}).classic(magicNano, 1)
	z.record(1, 2, 5, "hello")
	z.b = append(z.b, make([]byte, 4096)...)
	g := &file{order: binary.LittleEndian}
	g.section().describe(1, 0).packet(0, 1, 5, "hello").packet(0, 1, 5, "hello")
	g.b[len(g.b)-1] = 7 // the second length
	for name, tc := range map[string]struct {
		b    []byte
		note string
	}{
		"length": {f.b, "longer than any packet"},
		"zeros":  {z.b, "zeros"},
		"ng":     {g.b, "two lengths differ"},
	} {
		t.Run(name, func(t *testing.T) {
			ways(t, tc.b, func(t *testing.T, src Source) {
				if n := len(readAll(t, src)); n != 1 {
					t.Errorf("%d packets", n)
				}
				if !strings.Contains(notes(src), tc.note) {
					t.Error(notes(src))
				}
			})
		})
	}
}

func TestNotACapture(t *testing.T) {
	dir := t.TempDir()
	for name, tc := range map[string]struct {
		b    string
		want string
	}{
		"text":   {"hello, world\n", `not a capture: begins with "hello, w", expected`},
		"binary": {"\x01\x02\x03\x04\xff", "not a capture: begins with 01 02 03 04 ff; expected pcap or pcapng"},
		"empty":  {"", "an empty file, not a capture"},
		"header": {"\xd4\xc3\xb2\xa1\x02\x00", "a pcap file of 6 bytes: it ends within its header"},
		"snoop":  {"snoop\x00\x00\x00\x00\x00\x00\x02", "convert it with editcap"},
		"gzip":   {"\x1f\x8b\x08\x00garbage", "unpack"},
		"xz":     {"\xfd7zXZ\x00\x00\x04", "xz -dc"},
		"vmstat": {"procs -----------memory----------", "save it in a file"},
	} {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(tc.b), 0o600); err != nil {
			t.Fatal(err)
		}
		for _, paths := range [][]string{{path}, {"-"}} {
			_, err := Open(context.Background(), paths, strings.NewReader(tc.b))
			if err == nil || !strings.Contains(strings.Replace(err.Error(), `"hello, w";`, `"hello, w",`, 1), tc.want) {
				t.Errorf("%s %v: %v", name, paths, err)
			}
		}
	}
	for _, tc := range []struct {
		paths []string
		want  string
	}{
		{[]string{dir}, "a directory"},
		{[]string{filepath.Join(dir, "none")}, "no such file"},
		{[]string{"-", filepath.Join(dir, "text")}, "give it alone"},
		{nil, "no capture"},
	} {
		if _, err := Open(context.Background(), tc.paths, strings.NewReader("")); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%v: %v", tc.paths, err)
		}
	}
}

// A file that is given more than once, whatever its names, is read once.
func TestSameFile(t *testing.T) {
	dir := t.TempDir()
	f := &file{order: binary.LittleEndian}
	path, link := filepath.Join(dir, "a.pcap"), filepath.Join(dir, "b.pcap")
	if err := os.WriteFile(path, f.classic(magicMicro, 1).record(1, 2, 5, "hello").b, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(path, link); err != nil {
		t.Fatal(err)
	}
	src, err := Open(context.Background(), []string{path, link, path}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	if n := len(readAll(t, src)); n != 1 {
		t.Errorf("%d packets", n)
	}
	if got := strings.Count(notes(src), "given more than once, read once"); got != 2 {
		t.Errorf("%d notes: %s", got, notes(src))
	}
}

func TestRotated(t *testing.T) {
	dir := t.TempDir()
	var paths []string
	put := func(name string, b []byte) {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	for _, at := range []uint32{30, 10, 20} {
		f := (&file{order: binary.LittleEndian}).classic(magicMicro, 1)
		f.record(at, 0, 1, "a").record(at+1, 0, 1, "b")
		put(string(rune('A'+at)), f.b)
	}
	put("empty", nil)
	put("header", (&file{order: binary.LittleEndian}).classic(magicMicro, 1).b)
	src, err := Open(context.Background(), paths, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	var times []int64
	for i, p := range readAll(t, src) {
		times = append(times, p.Time/1e9)
		if p.Frame != uint64(i+1) || p.Interface != 0 {
			t.Errorf("%+v", p)
		}
	}
	if d := cmp.Diff([]int64{10, 11, 20, 21, 30, 31}, times); d != "" {
		t.Error(d)
	}
	if n := notes(src); !strings.Contains(n, "empty file") || !strings.Contains(n, "no packets") {
		t.Error(n)
	}
}

// A file that shrinks while it is read must not kill the process.
func TestTruncatedWhileMapped(t *testing.T) {
	f := (&file{order: binary.LittleEndian}).classic(magicMicro, 1)
	data := strings.Repeat("x", 1000)
	for len(f.b) < 8<<20 {
		f.record(1, 2, 1000, data)
	}
	path := write(t, "a.pcap", f.b)
	src, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	b, err := src.Next(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	b.Release()
	if err := os.Truncate(path, 3<<20); err != nil {
		t.Fatal(err)
	}
	n := len(b.Packets) + len(readAll(t, src))
	if n == 0 || n > 3<<20/1000 || !strings.Contains(notes(src), "truncated while it was read") {
		t.Errorf("%d packets, notes %q", n, notes(src))
	}
}

// The same if it happens after the size was asked for.
func TestFaultWhileParsing(t *testing.T) {
	f := (&file{order: binary.LittleEndian}).classic(magicMicro, 1)
	for len(f.b) < 64<<10 {
		f.record(1, 2, 4, "data")
	}
	path := write(t, "a.pcap", f.b)
	src, err := OpenFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	m := src.(*source).cur.in.(*mapped)
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	if _, err := m.guarded(len(m.m.data), m.s.pool.get()); err == nil {
		t.Error("no error")
	}
}

func TestStopWaiting(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go func() {
		_, _ = w.Write((&file{order: binary.LittleEndian}).classic(magicMicro, 1).record(1, 2, 3, "abc").b)
	}()
	src, err := Open(context.Background(), []string{"-"}, r)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	b, err := src.Next(ctx) // comes although the stream does not end
	if err != nil || len(b.Packets) != 1 {
		t.Fatal(b, err)
	}
	b.Release()
	cancel()
	if _, err := src.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_ = src.Close()
}

// Packets that are longer than what blocks leave free join blocks.
func TestLongPackets(t *testing.T) {
	f := (&file{order: binary.LittleEndian}).classic(magicNano, 1)
	var want []string
	for i := range 40 {
		data := strings.Repeat(string(rune('a'+i%26)), 1+(i*i*1733)%maxPacket)
		want = append(want, data)
		f.record(1, uint32(i), uint32(len(data)), data)
	}
	src, err := Open(context.Background(), []string{"-"}, bytes.NewReader(f.b))
	if err != nil {
		t.Fatal(err)
	}
	defer src.Close()
	all := readAll(t, src)
	if len(all) != len(want) {
		t.Fatal(len(all), notes(src))
	}
	for i := range all {
		if all[i].Data != want[i] {
			t.Errorf("packet %d differs", i)
		}
	}
}
