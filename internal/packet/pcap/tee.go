package pcap

import (
	"context"
	"fmt"
)

// Tee is a source that writes every packet it gives to a capture file as well.
// The writer is the caller's to close.
func Tee(from Source, to *Writer) Source { return &tee{from, to} }

type tee struct {
	Source
	to *Writer
}

// Next writes the packets before it gives them out. When the file cannot be
// written any more, the error comes with the packets.
func (t *tee) Next(ctx context.Context) (*Batch, error) {
	b, err := t.Source.Next(ctx)
	if b == nil {
		return nil, err
	}
	for i := range b.Packets {
		if cause := t.to.Write(&b.Packets[i]); cause != nil {
			return b, fmt.Errorf("writing the capture: %w", cause)
		}
	}
	return b, err
}
