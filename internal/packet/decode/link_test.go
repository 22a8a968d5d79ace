package decode

import (
	"testing"

	"rtrail/internal/packet/pcap"
)

func TestKnows(t *testing.T) {
	var d Decoder
	for link := range 1 << 16 {
		var f Frame
		got := d.link(&f, pcap.LinkType(link), nil, 0)
		if known := Knows(pcap.LinkType(link)); known == (got == Foreign) {
			t.Errorf("link type %d: %v, known %v", link, got, known)
		}
	}
}
