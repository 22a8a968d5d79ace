package prototest

import (
	"encoding/binary"
	"testing"

	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
)

// What the first byte of a piece says; see Torture.
const (
	fromServer = 1 << iota
	afterGap
	cutShort
	restKnown
)

// Torture feeds pieces of data in a way that data itself decides. A piece begins
// with a byte that says whose it is, whether something is missing before it, was
// cut off after it, or a result ends with it; then comes its length in two bytes.
// It fails if an exchange contradicts itself.
func Torture(tb testing.TB, p proto.Protocol, data []byte, midway bool) {
	check := checker{tb: tb}
	parser := p.New(&check, midway)
	var offset [2]uint64
	at := flow.Stamp{}
	how := len(data) % 5
	for len(data) >= 3 {
		head, size := data[0], int(binary.LittleEndian.Uint16(data[1:]))
		piece := data[3 : 3+min(size, len(data)-3)]
		data = data[3+len(piece):]
		at.At += 1000
		at.Frame++
		d := flow.Dir(head & fromServer)
		if head&afterGap != 0 {
			gap := int64(head) * 3
			parser.Gap(d, gap, at)
			offset[d] += uint64(gap)
		}
		c := flow.Chunk{Stamp: at, Dir: d, Offset: offset[d], Data: append([]byte(nil), piece...), Pushed: true}
		if head&cutShort != 0 {
			c.Cut = int(head)
		}
		if head&(cutShort|restKnown) == cutShort|restKnown {
			c.Rest = flow.Noted(head >> 2)
		}
		parser.Data(&c)
		offset[d] += uint64(c.Size())
		parser.Progress()
		if debtor, ok := parser.(proto.Debtor); ok {
			debtor.Owes()
		}
	}
	parser.End(at, flow.Ending(how))
}

// Tape writes packets down as Torture reads them.
func Tape(list ...Step) []byte {
	var b []byte
	for _, s := range list {
		head := byte(s.From) & fromServer
		if s.Gap > 0 {
			head |= afterGap
		}
		if s.Cut > 0 {
			head |= cutShort
		}
		b = append(b, head)
		b = binary.LittleEndian.AppendUint16(b, uint16(len(s.Data)))
		b = append(b, s.Data...)
	}
	return b
}

// numbers are what lengths and counts are replaced by: the least and the largest
// ones of each size, in both byte orders, and as text.
var numbers = func() (list []string) {
	for _, n := range []uint64{0, 1, 2, 3, 4, 5, 0x7f, 0x80, 0xfb, 0xfc, 0xfd, 0xfe, 0xff} {
		list = append(list, string([]byte{byte(n)}))
	}
	for _, n := range []uint64{0, 1, 2, 3, 4, 5, 1<<15 - 1, 1 << 15, 1<<16 - 1} {
		list = append(list, string(binary.BigEndian.AppendUint16(nil, uint16(n))), string(binary.LittleEndian.AppendUint16(nil, uint16(n))))
	}
	for _, n := range []uint64{0, 1, 2, 3, 4, 5, 1<<31 - 1, 1 << 31, 1<<32 - 1, 1<<32 - 4} {
		list = append(list, string(binary.BigEndian.AppendUint32(nil, uint32(n))), string(binary.LittleEndian.AppendUint32(nil, uint32(n))))
	}
	for _, n := range []uint64{1<<63 - 1, 1 << 63, 1<<64 - 1} {
		list = append(list, string(binary.BigEndian.AppendUint64(nil, n)), "\xfe"+string(binary.LittleEndian.AppendUint64(nil, n)))
	}
	return list
}()

var words = []string{"0", "-1", "-2", "?", "2147483648", "4294967295", "4294967296", "9223372036854775807", "9223372036854775808", "18446744073709551615", "99999999999999999999", "ffffffffffffffff", ""}

// Lengths replaces every number in the bytes of a conversation by those that a
// careless decoder trips over, one at a time, at every place: lengths and counts
// are where decoders go wrong. It fails if an exchange contradicts itself, and
// panics if the decoder does.
func Lengths(t *testing.T, p proto.Protocol, list []Event) {
	t.Helper()
	for i := range list {
		whole := list[i].Data
		try := func(from, to int, by string) {
			list[i].Data = append(append(append(make([]byte, 0, len(whole)+len(by)), whole[:from]...), by...), whole[to:]...)
			for _, midway := range []bool{false, true} {
				parser := p.New(&checker{tb: t}, midway)
				parser.End(feed(parser, list), flow.Reset)
			}
		}
		for at := range whole {
			for _, n := range numbers {
				if at+len(n) <= len(whole) {
					try(at, at+len(n), n)
				}
			}
			if end := digits(whole, at); end > at {
				for _, w := range words {
					try(at, end, w)
				}
			}
		}
		list[i].Data = whole
	}
}

// digits is where a number in text ends that begins at a place.
func digits(b []byte, at int) int {
	digit := func(c byte) bool { return c >= '0' && c <= '9' || c == '-' }
	if at > 0 && digit(b[at-1]) {
		return at
	}
	for at < len(b) && digit(b[at]) {
		at++
	}
	return at
}

type checker struct {
	tb testing.TB
}

func (k *checker) Exchange(e *proto.Exchange) {
	for _, s := range []*proto.Span{&e.Request, &e.Response} {
		if s.Bytes() < 0 || s.First.At > s.Last.At || s.Empty() != (s.First.Frame == 0) {
			k.tb.Fatalf("impossible span: %s", Line(e))
		}
	}
	switch {
	case e.Status == proto.Unpaired && !e.Request.Empty(),
		e.Status == proto.Answered && e.Response.Empty(),
		e.Status == proto.NoAnswer && !e.Response.Empty(),
		len(e.Text) > 1<<20, e.Rows < proto.RowsUnknown:
		k.tb.Fatalf("impossible exchange: %s", Line(e))
	}
}
