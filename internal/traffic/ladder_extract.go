package traffic

import (
	"context"
	"errors"
	"fmt"
	"io"

	"rtrail/internal/packet/decode"
	"rtrail/internal/packet/pcap"
)

// Extract copies the packets of connections as they are. It returns how many.
func Extract(ctx context.Context, src pcap.Source, to *pcap.Writer, wanted []Found) (uint64, error) {
	decoder := decode.NewWith(decode.Settings{})
	var f decode.Frame
	var n uint64
	for {
		b, err := src.Next(ctx)
		if b != nil {
			for i := range b.Packets {
				p := &b.Packets[i]
				if decoder.Decode(p, &f) != decode.OK || f.Proto != decode.TCP || !belongs(&f, wanted) {
					continue
				}
				if err := to.Write(p); err != nil {
					return n, err
				}
				n++
			}
			if b.Release != nil {
				b.Release()
			}
		}
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, fmt.Errorf("reading the capture: %w", err)
		}
	}
}

// belongs tells whether a packet is one of the connections'.
func belongs(f *decode.Frame, wanted []Found) bool {
	for i := range wanted {
		k := &wanted[i]
		if f.Frame >= k.ID && f.Frame <= k.Last && (f.Space == k.Space || f.Space == k.Across) && (f.Src == k.Client && f.Dst == k.Server || f.Src == k.Server && f.Dst == k.Client) {
			return true
		}
	}
	return false
}
