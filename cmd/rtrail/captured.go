package main

import (
	"context"
	"io"
	"slices"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/probe/capture"
	"rtrail/internal/session"
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
	v, err := d.judged(ctx, &session.Captures{Packets: session.Packets{Files: files, Stdin: stdin}, Window: window, How: capture.Options{Ports: d.only, Engine: engine.Options{DecodeAs: d.as}}})
	if err != nil {
		return verdict.Verdict{}, err
	}
	if slices.Contains(files, "-") && len(v.Findings) > 0 {
		v.Notes = append(v.Notes, view.SavedPackets+" in commands stands for where you save these packets: ... | tee "+view.SavedPackets+" | rtrail diagnose -")
	}
	return v, nil
}

// liveWorkers is how many goroutines go through the packets of an interface. One
// takes a million packets a second, more than hosts that wait for something
// have; a second one would wake another CPU for each batch, and spread the same
// work over two caches that the host's programs need.
const liveWorkers = 1

// capture is the probe that captures packets; unopened is why it could not. mysql
// are ports at which servers speak MySQL's protocol.
func (d *diagnosis) capture(mysql []uint16, unopened *error) *capture.Probe {
	how := besideServers(mysql)
	how.Workers, how.DecodeAs = liveWorkers, d.as
	packets := session.Packets{Interface: d.iface, NetNS: d.netns, Ports: d.only}
	return capture.NewProbe(func() (src pcap.Source, err error) {
		src, *unopened = packets.Open(context.Background())
		return src, *unopened
	}, 0, capture.Options{Source: d.iface, NetNS: d.netns, Ports: d.only, Engine: how})
}
