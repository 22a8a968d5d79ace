package mysql

import (
	"bytes"
	"testing"

	"golang.org/x/net/bpf"

	"rtrail/internal/packet/flow"
)

// rowsOf is a result of n rows without the packet that ends it, and that one's
// number.
func rowsOf(first string, n int) (b string, number byte) {
	b = pkt(1, first)
	for i := range n {
		b += pkt(byte(2+i), string(bytes.Repeat([]byte("x"), 100)))
	}
	return b, byte(2 + n)
}

// The filter of live captures knows whole results, and the number of their last
// packet.
func TestTrim(t *testing.T) {
	result, last := rowsOf("\x01", 300)
	cached, _ := rowsOf("\x01\x00", 300)
	short, lastShort := rowsOf("\x01", 10)
	const (
		eof      = "\xfe\x00\x00\x22\x00"
		warned   = "\xfe\x08\x08\x02\x00"
		okay     = "\xfe\x00\x00\x22\x00\x00\x00"
		moreEOF  = "\xfe\x00\x00\x0a\x00"
		moreOkay = "\xfe\x00\x00\x0a\x00\x00\x00"
		whole    = 1 << 30
	)
	vm, err := bpf.NewVM(append(Protocol.Trim.Filter(), bpf.RetConstant{Val: whole}))
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name    string
		payload string
		words   int // of the TCP header
		want    flow.Rest
	}{
		{"EOF", result + pkt(last, eof), 8, flow.Noted(last)},
		{"EOF, no options", result + pkt(last, eof), 5, flow.Noted(last)},
		{"EOF, most options, warnings", result + pkt(last, warned), 15, flow.Noted(last)},
		{"OK", result + pkt(last, okay), 8, flow.Noted(last)},
		{"definitions known", cached + pkt(last, eof), 8, flow.Noted(last)},
		{"the last number", result + pkt(255, eof), 8, flow.Noted(255)},
		{"more results follow", result + pkt(last, moreEOF), 8, 0},
		{"more results follow OK", result + pkt(last, moreOkay), 8, 0},
		{"not the end", result, 8, 0},
		{"an error ends it", result + pkt(last, "\xff\x25\x05#70100interrupted"), 8, 0},
		{"not the beginning", result[5:] + pkt(last, eof), 8, 0},
		{"short", short + pkt(lastShort, eof), 8, 0},
		{"nothing after TCP's header", "", 8, 0},
	} {
		head := make([]byte, flow.TrimTCP+4*tt.words)
		head[flow.TrimTCP+12] = byte(tt.words) << 4
		n, err := vm.Run(append(head, tt.payload...))
		_, rest := flow.Trimmed(uint32(n))
		if err != nil || rest != tt.want || rest == 0 && n != whole {
			t.Errorf("%s: %d bytes, noted %d, want %d, %v", tt.name, n, rest, tt.want, err)
		}
	}
}
