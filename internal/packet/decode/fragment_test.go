package decode

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/gopacket/gopacket"
	"github.com/gopacket/gopacket/ip4defrag"
	"github.com/gopacket/gopacket/layers"

	"rtrail/internal/packet/pcap"
)

// pieces4 cuts an IPv4 packet into fragments of at most n bytes.
func pieces4(b []byte, n int) [][]byte {
	var out [][]byte
	body := b[34:]
	for at := 0; at < len(body); at += n {
		end := min(at+n, len(body))
		p := append(bytes.Clone(b[:34]), body[at:end]...)
		binary.BigEndian.PutUint16(p[16:], uint16(20+end-at))
		place := uint16(at / 8)
		if end < len(body) {
			place |= 0x2000
		}
		binary.BigEndian.PutUint16(p[20:], place)
		out = append(out, p)
	}
	return out
}

func big(t testing.TB) []byte {
	body := make([]byte, 5000)
	for i := range body {
		body[i] = byte(i * 7)
	}
	return build(t, eth(layers.EthernetTypeIPv4), ip4(layers.IPProtocolUDP), &layers.UDP{SrcPort: 1000, DstPort: 2000}, gopacket.Payload(body))
}

func TestFragmentsAgainstGopacket(t *testing.T) {
	whole := big(t)
	var plain Frame
	d := New()
	d.Decode(packet(whole), &plain)
	r := rand.New(rand.NewPCG(1, 2))
	for round := range 50 {
		judge := ip4defrag.NewIPv4Defragmenter()
		ps := pieces4(whole, 8*(20+r.IntN(160)))
		r.Shuffle(len(ps), func(i, j int) { ps[i], ps[j] = ps[j], ps[i] })
		if round%2 == 0 { // a copy of one that came is no contradiction
			ps = append(ps[:len(ps)-1], ps[0], ps[len(ps)-1])
		}
		for i, b := range ps {
			var f Frame
			got := d.Decode(packet(b), &f)
			if i < len(ps)-1 {
				if got != Fragment {
					t.Fatalf("fragment %d of %d: result %d", i, len(ps), got)
				}
				if round%2 == 0 {
					continue // gopacket does not take copies
				}
			}
			if i == len(ps)-1 {
				if got != OK || !f.Pieces || f.Hash != plain.Hash || f.Size != plain.Size || !bytes.Equal(f.Payload, plain.Payload) {
					t.Fatalf("round %d: the whole: result %d, %d bytes", round, got, f.Size)
				}
			}
			if round%2 != 0 {
				ip := gopacket.NewPacket(b, layers.LayerTypeEthernet, gopacket.Default).Layer(layers.LayerTypeIPv4).(*layers.IPv4)
				out, err := judge.DefragIPv4(ip)
				if err != nil {
					t.Fatal(err)
				}
				if (out != nil) != (got == OK) {
					t.Fatalf("round %d, fragment %d: gopacket says whole: %t", round, i, out != nil)
				}
				if out != nil && !bytes.Equal(out.Payload[8:], f.Payload) {
					t.Fatal("other bytes than gopacket's")
				}
			}
		}
	}
	if diff := cmp.Diff(FragmentCounts{Complete: 50}, d.Fragments()); diff != "" {
		t.Error(diff)
	}
	if d.pieces.bytes != 0 || len(d.pieces.waiting) != 0 {
		t.Errorf("%d bytes, %d packets left", d.pieces.bytes, len(d.pieces.waiting))
	}
}

func TestFragmentsThatDoNotFit(t *testing.T) {
	ps := pieces4(big(t), 1480)
	other := changed(ps[1], 100, ps[1][100]+1)
	shifted := bytes.Clone(ps[1])
	binary.BigEndian.PutUint16(shifted[20:], 0x2000|184)
	for _, c := range []struct {
		name string
		in   [][]byte
		want FragmentCounts
	}{
		{"same place, other bytes", [][]byte{ps[0], ps[1], other, ps[2], ps[3]}, FragmentCounts{Overlapping: 1}},
		{"overlap", [][]byte{ps[0], shifted, ps[1], ps[2], ps[3]}, FragmentCounts{Overlapping: 1}},
		{"two ends", [][]byte{ps[3], ps[0], changed(ps[2], 20, 0)}, FragmentCounts{Overlapping: 1}},
		{"beyond the end", [][]byte{changed(ps[1], 20, 0), ps[2]}, FragmentCounts{Overlapping: 1}},
		{"one is missing", [][]byte{ps[0], ps[1], ps[3]}, FragmentCounts{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d := New()
			var f Frame
			for _, b := range c.in {
				if r := d.Decode(packet(b), &f); r != Fragment {
					t.Errorf("result %d", r)
				}
			}
			if diff := cmp.Diff(c.want, d.Fragments()); diff != "" {
				t.Error(diff)
			}
			late := packet(changed(ps[0], 18, 1, 1))
			late.Time = int64(DefaultFragmentAge) + 2
			d.Decode(late, &f)
			if len(d.pieces.waiting) != 1 {
				t.Errorf("%d packets wait after their time", len(d.pieces.waiting))
			}
		})
	}
}

func TestFragmentsAreBounded(t *testing.T) {
	const limit = 64 << 10
	d := NewWith(Settings{FragmentBytes: limit, FragmentAge: time.Hour})
	first := pieces4(big(t), 1480)[0]
	var f Frame
	for i := range 10000 {
		binary.BigEndian.PutUint16(first[18:], uint16(i))
		d.Decode(packet(first), &f)
		if d.pieces.bytes > limit {
			t.Fatalf("%d bytes", d.pieces.bytes)
		}
	}
	if n := uint64(len(d.pieces.waiting)); n == 0 || d.Fragments().Evicted != 10000-n {
		t.Errorf("%d wait, %+v", n, d.Fragments())
	}
}

func TestFragmentsCutShort(t *testing.T) {
	d := New()
	var f Frame
	var r Result
	for _, b := range pieces4(big(t), 1480) {
		p := packet(b)
		p.Data = b[:96]
		r = d.Decode(p, &f)
	}
	// The first fragment's bytes up to the cut: 96 less 14, 20 and 8 of headers.
	if r != OK || f.Size != 5000 || len(f.Payload) != 54 {
		t.Errorf("result %d, size %d, payload %d", r, f.Size, len(f.Payload))
	}
}

// A copy of a part that lies behind what was captured of the piece that came
// first has nothing to compare it with.
func TestFragmentBehindCut(t *testing.T) {
	d := New()
	var f Frame
	first := pieces4(big(t), 4800)[0]
	cut := packet(first)
	cut.Data = first[:60]
	again := bytes.Clone(first[:34+80])
	binary.BigEndian.PutUint16(again[16:], 20+80)
	binary.BigEndian.PutUint16(again[20:], 0x2000|4000/8)
	for _, p := range []*pcap.Packet{cut, packet(again)} {
		if r := d.Decode(p, &f); r != Fragment {
			t.Errorf("result %d", r)
		}
	}
	if diff := cmp.Diff(FragmentCounts{}, d.Fragments()); diff != "" {
		t.Error(diff)
	}
}

// FuzzFragments puts pieces of one packet together, whatever they are and however
// little was captured of them: five bytes say where one begins (in units of 8
// bytes), how long it is and how much of it was captured. What comes out whole has
// the packet's own bytes, and the sum of the memory is right.
func FuzzFragments(f *testing.F) {
	whole := make([]byte, maxDatagram)
	for i := range whole {
		whole[i] = byte(i * 7 >> 3)
	}
	f.Add([]byte{0, 0, 185, 255, 1, 0, 185, 185, 255, 0})
	f.Add([]byte{0, 0, 255, 40, 1, 0, 100, 10, 255, 1, 0, 255, 10, 255, 0})
	f.Fuzz(func(t *testing.T, pieces []byte) {
		s := newPieces(DefaultFragmentBytes, DefaultFragmentAge)
		key := pieceKey{id: 1}
		w := s.add(key, 0)
		for ; len(pieces) >= 5; pieces = pieces[5:] {
			g := fragment{offset: 8 * (int(pieces[0])<<8&0x1f00 | int(pieces[1])), size: 8 * int(pieces[2]), more: pieces[4]&1 > 0}
			if !g.more {
				g.size += int(pieces[4] >> 5)
			}
			if g.size == 0 || g.offset+g.size > maxDatagram {
				continue
			}
			g.data = whole[g.offset:][:g.size*int(pieces[3])/255]
			if !s.put(w, &g) {
				s.spoil(w)
				return
			}
			if s.bytes != datagramCost+cap(w.data) {
				t.Fatalf("%d bytes are counted, %d are kept", s.bytes, datagramCost+cap(w.data))
			}
			for i, r := range w.runs {
				if r.from >= r.to || i > 0 && r.from <= w.runs[i-1].to || w.end >= 0 && r.to > w.end {
					t.Fatalf("runs %v of %d", w.runs, w.end)
				}
			}
			if w.end >= 0 && len(w.runs) == 1 && w.runs[0] == (run{0, w.end}) && !bytes.HasPrefix(whole, w.data[:min(w.captured, w.end)]) {
				t.Fatal("other bytes than the packet's")
			}
		}
	})
}

func TestIPv6Fragments(t *testing.T) {
	d := New()
	var plain, f Frame
	whole := build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolTCP), tcpSegment(stamps()...), gopacket.Payload(make([]byte, 300)))
	d.Decode(packet(whole), &plain)
	frag := func(from, to int, place byte, more byte) []byte {
		at := byte(from / 8)
		return build(t, eth(layers.EthernetTypeIPv6), ip6(layers.IPProtocolIPv6Fragment),
			raw(6, 0, at>>5, at<<3|more, 0, 0, 0x12, place), gopacket.Payload(whole[54+from:54+to]))
	}
	n := len(whole) - 54
	if r := d.Decode(packet(frag(160, n, 1, 0)), &f); r != Fragment {
		t.Fatalf("result %d", r)
	}
	if r := d.Decode(packet(frag(0, 160, 1, 1)), &f); r != OK || f.Hash != plain.Hash || f.Size != 300 || f.Options != plain.Options || f.IPID != 0x1201 {
		t.Fatalf("result %d: %+v", r, f)
	}
	if r := d.Decode(packet(frag(0, n, 2, 0)), &f); r != OK || f.Pieces || f.Size != 300 {
		t.Fatalf("the only fragment: result %d", r)
	}
}
