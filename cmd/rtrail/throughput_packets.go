package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/throughput"
	"rtrail/internal/unit"
)

const (
	firstRate   = 1000 // packets a second
	longestStep = 30 * time.Second
)

// sendPackets sends small and large packets at growing rates.
func (j *throughputJob) sendPackets(ctx context.Context, out io.Writer) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var failed error
	tell := func(v any, format string, args ...any) {
		if failed == nil {
			if j.json {
				failed = document.JSONLine(out, v)
			} else {
				_, failed = fmt.Fprintf(out, format, args...)
			}
		}
		if failed != nil {
			stop() // nobody reads any more
		}
	}
	if !j.json {
		tell(nil, "%4s  %5s  %9s  %9s  %9s  %9s  %9s  %9s  %9s  %6s  %6s\n", "s", "bytes", "asked/s", "sent", "received", "lost", "overflow", "reordered", "jitter", "CPU", "peer")
	}
	test := throughput.PacketTest{PacketPlan: throughput.PacketPlan{Server: j.plan.Server, Length: j.length, Size: j.plan.Size, Rate: firstRate}, Most: j.most}
	small, large, err := test.Run(ctx, func(s *throughput.PacketSecond) {
		tell(s, "%4d  %5d  %9v  %9v  %9v  %9v  %9v  %9v  %9v  %6v  %6v\n", s.Second, s.Size, unit.Count(s.Asked), unit.Count(s.Sent), unit.Count(s.Received), unit.Count(s.Lost), unit.Count(s.Dropped),
			unit.Count(s.Reordered), unit.Duration(s.Jitter), unit.Share(s.CPU), unit.Share(s.PeerCPU))
	}, func(s *throughput.PacketStep) {
		if j.json {
			tell(struct {
				Step *throughput.PacketStep `json:"step"`
			}{s}, "")
		}
	})
	switch {
	case errors.Join(failed, err) != nil:
		return errors.Join(failed, err)
	case len(small) == 0:
		return errors.New("interrupted before the first step was over")
	}
	return j.conclude(out, throughput.JudgePackets(small, large))
}
