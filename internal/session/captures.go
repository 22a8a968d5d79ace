package session

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
)

// Captures are packets that somebody captured.
type Captures struct {
	Files []string // "-": Stdin
	Stdin io.Reader
	How   capture.Options // its Source is set here
}

// Evidence reads all packets.
func (c *Captures) Evidence(ctx context.Context) (*Evidence, error) {
	began := time.Now()
	src, err := pcap.Open(ctx, c.Files, c.Stdin)
	if err != nil {
		return nil, err
	}
	defer src.Close()
	c.How.Source = strings.Join(c.Files, ", ")
	result, err := capture.Read(ctx, src, c.How)
	if err != nil {
		return nil, err
	}
	if result.Report.Packets == 0 {
		return nil, fmt.Errorf("judging %s: there are no packets in it", c.How.Source)
	}
	first, last := time.Unix(0, result.Report.First), time.Unix(0, result.Report.Last)
	return of(capture.Info(), first, last, func(w *recording.Writer) {
		result.Write(w)
		result.Run(w, first, time.Since(began))
	})
}

// Close has nothing to give back: files are read at once.
func (c *Captures) Close() error { return nil }

// BothSides are packets that were captured at the client and at the server.
type BothSides struct{ How capture.PairOptions }

// Evidence reads all packets and puts them together.
func (b *BothSides) Evidence(ctx context.Context) (*Evidence, error) {
	began := time.Now()
	result, err := capture.ReadPair(ctx, b.How)
	if err != nil {
		return nil, err
	}
	first, last := time.Unix(0, result.Client.Report.First), time.Unix(0, result.Client.Report.Last)
	return of(capture.Info(), first, last, func(w *recording.Writer) {
		result.Write(w)
		result.Client.Run(w, first, time.Since(began))
	})
}

// Close has nothing to give back: files are read at once.
func (b *BothSides) Close() error { return nil }
