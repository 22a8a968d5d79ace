package main

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"rtrail/internal/probe"
	live "rtrail/internal/probe/stack"
	"rtrail/internal/stack"
)

// watch samples a live process.
func (s *stacksJob) watch(ctx context.Context, stderr io.Writer, threads map[int32]float64) (*stack.Profile, []string, error) {
	finishes(ctx)
	watches(stderr, true)
	progress := startProgress(stderr, fmt.Sprintf("watching process %d", s.pid), s.length)
	p, notes, err := live.Watch(ctx, live.Options{PID: s.pid, Length: s.length, Hz: s.hz})
	progress.stop()
	if err != nil {
		if how := probe.Remedy(err); how != "" {
			err = fmt.Errorf("%w; %s", err, how)
		}
		return nil, nil, err
	}
	if s.pause && ctx.Err() == nil {
		fmt.Fprintf(stderr, "rtrail: stopping process %d for one dump\n", s.pid)
		dumped, took, err := live.Pause(ctx, s.pid)
		if err != nil {
			notes = append(notes, strings.TrimSpace(fmt.Sprintf("no dump was taken: %v; %s", err, probe.Remedy(err))))
		} else {
			notes = append(notes, fmt.Sprintf("the process stood still for up to %v while eu-stack took a dump", took.Round(time.Millisecond)))
			p.Join(dumped)
		}
	}
	p.Heat(threads)
	return p, notes, nil
}
