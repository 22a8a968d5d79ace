package session

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"rtrail/internal/packet/bothsides"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
)

// Captures are packets that somebody captured, or a window of them.
type Captures struct {
	Packets Packets         // of files
	How     capture.Options // its Source and window are set here
	Window

	later time.Duration // than the files say the packets are taken to be
}

// Evidence reads all packets.
func (c *Captures) Evidence(ctx context.Context) (*Evidence, error) {
	c.How.Source = strings.Join(c.Packets.Files, ", ")
	var e Evidence
	if c.chosen() {
		held, err := c.span(ctx)
		if err != nil {
			return nil, err
		}
		if err := c.choose(&e, "capture", held); err != nil {
			return nil, err
		}
		c.How.From, c.How.To = e.From, e.To
		if e.To.Equal(held.To) {
			c.How.To = e.To.Add(1) // with the last packet
		}
	}
	e.Recording = recording.New(about(capture.Info()))
	all, err := c.read(ctx, e.Recording)
	switch {
	case err != nil:
		return nil, err
	case all.From.IsZero():
		return nil, fmt.Errorf("judging %s: there are no packets in it%s", c.How.Source, e.where())
	}
	e.Recording.UpdateManifest(func(m *recording.Manifest) { m.Started, m.Ended = all.From, all.To })
	if !c.chosen() {
		e.From, e.To = all.From, all.To
	}
	return &e, nil
}

// read reads the packets that How chooses into a recording, and says of which time they are; of
// none if there are none.
func (c *Captures) read(ctx context.Context, rec *recording.Recording) (all recording.Window, err error) {
	began := time.Now()
	src, err := c.Packets.Open(ctx)
	if err != nil {
		return all, err
	}
	defer src.Close()
	if c.later != 0 {
		src = shifted{src, c.later}
	}
	var run *capture.Result
	if _, err := capture.ReadIntervals(ctx, src, c.How, func(r *capture.Result) {
		if r.Report.Packets > 0 {
			all.Add(time.Unix(0, r.Report.First))
			all.Add(time.Unix(0, r.Report.Last))
		}
		w := recording.NewWriter(time.Unix(0, r.Report.First))
		r.Write(w)
		_ = rec.Commit(w) // memory takes all
		run = r
	}); err != nil || run == nil || all.From.IsZero() {
		return all, err
	}
	w := recording.NewWriter(all.From)
	run.Run(w, all.From, time.Since(began))
	return all, rec.Commit(w)
}

// shifted are packets whose times are taken to be later than the capture says.
type shifted struct {
	pcap.Source
	by time.Duration
}

// Next implements pcap.Source.
func (s shifted) Next(ctx context.Context) (*pcap.Batch, error) {
	b, err := s.Source.Next(ctx)
	if b != nil {
		for i := range b.Packets {
			b.Packets[i].Time += int64(s.by)
		}
	}
	return b, err
}

// span is when the packets were captured.
func (c *Captures) span(ctx context.Context) (held recording.Window, err error) {
	if slices.Contains(c.Packets.Files, "-") {
		return held, fmt.Errorf("choosing a window: standard input can be read only once; write the packets to a file first")
	}
	src, err := c.Packets.Open(ctx)
	if err != nil {
		return held, err
	}
	defer src.Close()
	for {
		b, err := src.Next(ctx)
		if b == nil {
			switch {
			case err != nil && !errors.Is(err, io.EOF):
				return held, err
			case held.From.IsZero():
				return held, fmt.Errorf("judging %s: there are no packets in it", c.How.Source)
			}
			return held, ctx.Err()
		}
		for i := range b.Packets {
			held.Add(time.Unix(0, b.Packets[i].Time))
		}
		if b.Release != nil {
			b.Release()
		}
	}
}

// BothSides are packets that were captured at the client and at the server.
type BothSides struct {
	Client, Server []string          // files; several of one side continue each other
	Ports          []uint16          // of servers, on either side; none: all
	DecodeAs       map[uint16]string // as in engine.Options

	Confine func() // as in Packets: called before a file is opened
}

// sides are the captures, each of which is opened as all packets are.
func (b *BothSides) sides() (out [2]bothsides.Capture) {
	if b.Confine != nil {
		b.Confine()
		b.Confine = nil
	}
	for i, files := range [2][]string{bothsides.AtClient: b.Client, bothsides.AtServer: b.Server} {
		out[i] = bothsides.Capture{Files: files, Open: func(ctx context.Context) (pcap.Source, error) { return (&Packets{Files: files}).Open(ctx) }}
	}
	return out
}

// Compare puts them together, request by request. What o lacks of them is set here.
func (b *BothSides) Compare(ctx context.Context, o bothsides.Options) (*bothsides.Result, error) {
	o.Sides, o.Ports, o.Engine.DecodeAs = b.sides(), b.Ports, b.DecodeAs
	return bothsides.Run(ctx, o)
}

// Evidence reads all packets and puts them together.
func (b *BothSides) Evidence(ctx context.Context) (*Evidence, error) {
	began := time.Now()
	result, err := capture.ReadPair(ctx, capture.PairOptions{Sides: b.sides(), Ports: b.Ports, DecodeAs: b.DecodeAs})
	if err != nil {
		return nil, err
	}
	first, last := time.Unix(0, result.Client.Report.First), time.Unix(0, result.Client.Report.Last)
	return of(capture.Info(), first, last, func(w *recording.Writer) {
		result.Write(w)
		result.Client.Run(w, first, time.Since(began))
	})
}
