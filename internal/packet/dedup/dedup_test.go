package dedup

import (
	"io"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket/pcapgo"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/pcap"
)

func TestBridge(t *testing.T) {
	file, err := os.Open("testdata/bridge.pcap")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	r, err := pcapgo.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	d, filter := decode.New(), New()
	places := map[uint16]map[uint32]int{}
	for {
		data, info, err := r.ReadPacketData()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		var f decode.Frame
		p := pcap.Packet{Time: info.Timestamp.UnixNano(), Data: data, Wire: uint32(info.Length), Link: pcap.LinkLinuxSLL2}
		if r := d.Decode(&p, &f); r != decode.OK {
			t.Fatalf("result %d", r)
		}
		if filter.Copy(&f) {
			continue
		}
		side := min(f.Src.Port, 8001) // 8000: the server
		if places[side] == nil {
			places[side] = map[uint32]int{}
		}
		if f.Way != pcap.Inbound {
			t.Errorf("kept a packet where it left the bridge")
		}
		places[side][f.IfIndex]++
	}
	if diff := cmp.Diff(Counts{Copies: 16}, filter.Counts()); diff != "" {
		t.Error(diff)
	}
	for side, at := range places {
		if len(at) != 1 {
			t.Errorf("packets of side %d were kept in %d places", side, len(at))
		}
	}
}

// step is a TCP segment at one place of a capture, at some microsecond.
type step struct {
	us       int64
	place    uint32
	id       uint16
	seq, ack uint32
	size     int
	flags    uint8 // 0: ACK
	ttl      uint8 // 0: 64
	way      pcap.Way
	space    flow.Space
	ts       uint32
	sum      uint16
	back     bool // from the server
	copy     bool // what the filter shall say
}

func TestCopies(t *testing.T) {
	for _, c := range []struct {
		name string
		in   []step
		want Counts
	}{
		{"one interface, sent again", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 50, id: 2, seq: 100, size: 10}, {us: 300_000, id: 3, seq: 100, size: 10},
		}, Counts{}},
		{"both sides of a bridge by one interface", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 7000, id: 1, seq: 100, size: 10, copy: true},
			{us: 9000, id: 5, seq: 9, ack: 110, size: 20, back: true}, {us: 14000, id: 5, seq: 9, ack: 110, size: 20, back: true, copy: true},
			{us: 20000, id: 2, seq: 110, size: 10}, {us: 20100, id: 3, seq: 120, size: 10},
			{us: 26000, id: 2, seq: 110, size: 10, copy: true}, {us: 26100, id: 3, seq: 120, size: 10, copy: true},
			{us: 300_000, id: 4, seq: 120, size: 10}, {us: 306_000, id: 4, seq: 120, size: 10, copy: true},
		}, Counts{Copies: 5}},
		{"a sender that gives all packets one IP ID repeats soon", []step{
			{us: 0, id: 1, seq: 90, size: 10}, {us: 50, id: 1, seq: 90, size: 10, ttl: 63, copy: true},
			{us: 100, id: 1, seq: 100, size: 10}, {us: 50_000, id: 1, seq: 100, size: 10},
		}, Counts{Copies: 1}},
		{"one IP ID, other contents", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 7, id: 1, seq: 100, size: 10, copy: true}, {us: 50, id: 1, seq: 100, size: 10, sum: 9},
		}, Counts{Copies: 1}},
		{"without IP ID nobody can tell", []step{
			{us: 0, seq: 100, size: 10}, {us: 50, seq: 100, size: 10},
		}, Counts{}},
		{"the number came round", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 10, id: 1, seq: 100, size: 10, copy: true}, {us: 300_000, id: 1, seq: 100, size: 10},
		}, Counts{Copies: 1}},
		{"loopback, out and in", []step{
			{us: 0, id: 1, seq: 100, size: 10, way: pcap.Outbound}, {us: 2, id: 1, seq: 100, size: 10, way: pcap.Inbound, copy: true},
			{us: 9, id: 7, seq: 5, ack: 110, back: true, way: pcap.Outbound}, {us: 10, id: 7, seq: 5, ack: 110, back: true, way: pcap.Inbound, copy: true},
		}, Counts{Copies: 2}},
		{"the copy of the very first packet", []step{
			{us: 0, id: 1, seq: 100, flags: decode.SYN}, {us: 2, id: 1, seq: 100, flags: decode.SYN, place: 1, copy: true},
		}, Counts{Copies: 1}},
		{"sent again and seen in two places, both times", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 2, place: 1, id: 1, seq: 100, size: 10, copy: true},
			{us: 210_000, id: 2, seq: 100, size: 10}, {us: 210_002, place: 1, id: 2, seq: 100, size: 10, copy: true},
		}, Counts{Copies: 2}},
		{"the same without IP-ID and soon", []step{
			{us: 0, seq: 100, size: 10}, {us: 2, place: 1, seq: 100, size: 10, copy: true},
			{us: 20_000, seq: 100, size: 10}, {us: 20_002, place: 1, seq: 100, size: 10, copy: true},
		}, Counts{Copies: 2}},
		{"sent again over the other port of a bond", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 20_000, id: 2, place: 1, seq: 100, size: 10},
			{us: 500_000, id: 2, seq: 100, size: 10},
		}, Counts{}},
		{"without IP-ID, over the other port, told by the time stamp", []step{
			{us: 0, seq: 100, size: 10, ts: 7}, {us: 20_000, place: 1, seq: 100, size: 10, ts: 27},
		}, Counts{}},
		{"through a router and back by the same interface", []step{
			{us: 0, id: 9, seq: 100, size: 10}, {us: 2, id: 9, seq: 100, size: 10, ttl: 63, copy: true},
		}, Counts{Copies: 1}},
		{"tagged and untagged", []step{
			{us: 0, id: 9, seq: 100, size: 10}, {us: 2, id: 9, seq: 100, size: 10, space: 3, copy: true},
		}, Counts{Copies: 1}},
		{"too many hops", []step{
			{us: 0, id: 9, seq: 100, size: 10}, {us: 2, id: 9, seq: 100, size: 10, ttl: 30, place: 1},
		}, Counts{}},
		{"a giant, cut before the second place", []step{
			{us: 0, id: 1, seq: 99, flags: decode.SYN}, {us: 1, place: 1, id: 1, seq: 99, flags: decode.SYN, copy: true},
			{us: 5, id: 2, seq: 100, size: 3000},
			{us: 7, place: 1, id: 2, seq: 100, size: 1500, copy: true}, {us: 8, place: 1, id: 3, seq: 1600, size: 1500, copy: true},
		}, Counts{Copies: 1, Covered: 2}},
		{"delayed by a queue", []step{
			{us: 0, id: 1, seq: 99, flags: decode.SYN}, {us: 1, place: 1, id: 1, seq: 99, flags: decode.SYN, copy: true},
			{us: 5, id: 2, seq: 100, size: 10}, {us: 900_000, place: 1, id: 2, seq: 100, size: 10, copy: true},
		}, Counts{Copies: 1, Covered: 1}},
		{"missed in the first place", []step{
			{us: 0, id: 1, seq: 99, flags: decode.SYN}, {us: 1, place: 1, id: 1, seq: 99, flags: decode.SYN, copy: true},
			{us: 5, id: 3, seq: 110, size: 10}, {us: 6, place: 1, id: 2, seq: 100, size: 10}, {us: 7, place: 1, id: 3, seq: 110, size: 10, copy: true},
			{us: 9, place: 1, id: 4, seq: 120, size: 10},
		}, Counts{Copies: 2}},
		{"a reset that only the second place saw", []step{
			{us: 0, id: 1, seq: 99, flags: decode.SYN}, {us: 1, place: 1, id: 1, seq: 99, flags: decode.SYN, copy: true},
			{us: 9, place: 1, id: 4, seq: 100, flags: decode.RST},
		}, Counts{Copies: 1}},
		{"captured in the wrong order", []step{
			{us: 0, id: 1, seq: 100, size: 10}, {us: 1, place: 1, id: 1, seq: 100, size: 10, ttl: 63, copy: true},
			{us: 5, place: 1, id: 2, seq: 110, size: 10, ttl: 63}, {us: 4, id: 2, seq: 110, size: 10, copy: true},
		}, Counts{Copies: 2}},
		{"sequence numbers wrap", []step{
			{us: 0, id: 1, seq: 0xfffffff0, flags: decode.SYN}, {us: 1, place: 1, id: 1, seq: 0xfffffff0, flags: decode.SYN, copy: true},
			{us: 5, id: 2, seq: 0xfffffff1, size: 100}, {us: 6, place: 1, id: 2, seq: 0xfffffff1, size: 50, copy: true},
			{us: 7, place: 1, id: 3, seq: 0x23, size: 50, copy: true}, {us: 8, place: 1, id: 4, seq: 0x55, size: 50},
		}, Counts{Copies: 1, Covered: 2}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New()
			for i, s := range c.in {
				f := s.frame()
				if got := d.Copy(f); got != s.copy {
					t.Errorf("packet %d: copy: %t, want %t", i, got, s.copy)
				}
			}
			if diff := cmp.Diff(c.want, d.Counts()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func (s step) frame() *decode.Frame {
	f := &decode.Frame{
		Stamp: flow.Stamp{At: 1e18 + s.us*1000},
		Src:   flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 1}), Port: 4000},
		Dst:   flow.Endpoint{Addr: flow.V4([4]byte{10, 0, 0, 2}), Port: 80},
		Hash:  77, Proto: decode.TCP, TTL: 64, IPID: s.id, Interface: s.place, Way: s.way, Space: s.space,
		Seq: s.seq, Ack: s.ack, Flags: decode.ACK, Size: s.size, Checksum: s.sum,
	}
	f.Options.TSVal = s.ts
	if s.back {
		f.Src, f.Dst = f.Dst, f.Src
	}
	if s.flags != 0 {
		f.Flags = s.flags
	}
	if s.ttl != 0 {
		f.TTL = s.ttl
	}
	return f
}

// TestQuestionsOverUDP sends the same datagram again and again, as clients of
// DNS do: only what was seen elsewhere is a copy.
func TestQuestionsOverUDP(t *testing.T) {
	d := New()
	for i := range int64(4) {
		f := step{us: i * 1000}.frame()
		f.Proto, f.Flags, f.Payload, f.Size = decode.UDP, 0, []byte("who is example.org"), 18
		f.Way = pcap.Outbound
		first := d.Copy(f)
		f.Interface = 1
		if second := d.Copy(f); first || !second {
			t.Errorf("question %d: copies: %t, %t", i, first, second)
		}
	}
}

func TestAsleepWithoutMemory(t *testing.T) {
	d := New()
	f := step{size: 10}.frame()
	f.Payload = make([]byte, 10)
	d.Copy(f)
	if n := testing.AllocsPerRun(100, func() { d.Copy(f) }); n != 0 || d.packets != nil {
		t.Errorf("%.1f allocations per packet of one interface", n)
	}
}

// FuzzCopy asks what must hold for any packets: those of one place are never
// copies if their sender numbers them.
func FuzzCopy(f *testing.F) {
	f.Add([]byte{1, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 4, 5, 6, 7, 8})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 9, 9, 9, 0, 2})
	f.Fuzz(func(t *testing.T, in []byte) {
		d := New()
		for id := uint16(1); len(in) >= 8; in, id = in[8:], id+1 {
			s := step{us: int64(in[0]), id: id, seq: uint32(int8(in[2])), ack: uint32(in[3]), size: int(in[4]), flags: in[5], back: in[6]&1 != 0, way: pcap.Outbound}
			if d.Copy(s.frame()) {
				t.Fatalf("%+v is no copy", s)
			}
		}
	})
}

func BenchmarkCopy(b *testing.B) {
	run := func(way pcap.Way) func(*testing.B) {
		return func(b *testing.B) {
			d := New()
			f := step{way: way, size: 20}.frame()
			f.Payload = make([]byte, 20)
			for b.Loop() {
				f.Seq += 20
				f.At += 1000
				d.Copy(f)
			}
		}
	}
	b.Run("one interface", run(pcap.WayUnknown))
	b.Run("several places", run(pcap.Outbound))
}
