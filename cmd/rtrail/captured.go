package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/summary"
	"rtrail/internal/probe/capture"
	"rtrail/internal/session"
	"rtrail/internal/traffic/picture"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// captured judges captures.
func (d *diagnosis) captured(ctx context.Context, files []string, stdin io.Reader, window session.Window) (verdict.Verdict, error) {
	if window.Length > 0 {
		if err := readTwice(files...); err != nil {
			return verdict.Verdict{}, err
		}
	}
	how := d.howCaptures()
	how.Second = d.draws()
	v, err := d.judged(ctx, &session.Captures{Packets: session.Packets{Files: files, Stdin: stdin}, Window: window, How: how})
	var foreign *pcap.ForeignError
	switch {
	case errors.As(err, &foreign) && !slices.Contains(files, "-"):
		return verdict.Verdict{}, fmt.Errorf("%s: of no kind that rtrail diagnose reads: it begins with %s, and is neither a capture (pcap, pcapng) nor a recording, stacks, a slow query log or a report of another tool that is known; rtrail diagnose --help lists them", foreign.Name, foreign.Begins)
	case err != nil:
		return verdict.Verdict{}, err
	}
	if slices.Contains(files, "-") && len(v.Findings) > 0 {
		v.Notes = append(v.Notes, view.SavedPackets+" in commands stands for where you save these packets: ... | tee "+view.SavedPackets+" | rtrail diagnose -")
	}
	return v, nil
}

// draws takes seconds of packets as they are read, for a page; nil: none is wanted.
func (d *diagnosis) draws() func(*summary.Second) {
	if d.html == "" {
		return nil
	}
	d.drawn = &picture.Picture{}
	return d.drawn.Second
}

// howCaptures is how captures are read.
func (d *diagnosis) howCaptures() capture.Options {
	return capture.Options{Ports: d.only, Engine: engine.Options{DecodeAs: d.as}}
}
