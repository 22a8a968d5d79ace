package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/vishvananda/netns"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/pcap/live"
	"rtrail/internal/probe/capture"
	"rtrail/internal/session"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// captured judges captures.
func (d *diagnosis) captured(ctx context.Context, files []string, stdin io.Reader, window session.Window) (verdict.Verdict, error) {
	ports, err := portList(d.ports)
	if err != nil {
		return verdict.Verdict{}, err
	}
	if window.Length > 0 {
		for _, f := range files {
			if err := readTwice(f); err != nil {
				return verdict.Verdict{}, err
			}
		}
	}
	v, err := judged(ctx, &session.Captures{Files: files, Stdin: stdin, Window: window, How: capture.Options{Ports: ports, Engine: engine.Options{DecodeAs: d.as}}})
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
func (d *diagnosis) capture(mysql []uint16, unopened *error) (*capture.Probe, error) {
	ports, err := portList(d.ports)
	if err != nil {
		return nil, err
	}
	how := besideServers(mysql)
	how.Workers, how.DecodeAs = liveWorkers, d.as
	return capture.NewProbe(func() (src pcap.Source, err error) {
		if src, err = openLive(live.Options{Interface: d.iface, Ports: ports, Trim: engine.Trims()}, d.netns); err != nil {
			*unopened = err
			return nil, err // not a nil *live.Source
		}
		return src, nil
	}, 0, capture.Options{Source: d.iface, NetNS: d.netns, Ports: ports, Engine: how}), nil
}

// openLive opens a live capture, in another network namespace if one is named.
// The socket stays in the namespace in which it was made.
func openLive(o live.Options, namespace string) (*live.Source, error) {
	if namespace == "" {
		return live.Open(o)
	}
	there, err := findNetNS(namespace)
	if err != nil {
		return nil, fmt.Errorf("entering network namespace %s: %w (ip netns list shows names; a PID or a path is taken too)", namespace, err)
	}
	defer there.Close()
	runtime.LockOSThread()
	home, err := netns.Get()
	if err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("entering network namespace %s: %w", namespace, err)
	}
	defer home.Close()
	if err := netns.Set(there); err != nil {
		runtime.UnlockOSThread()
		return nil, fmt.Errorf("entering network namespace %s: %w; run as root", namespace, err)
	}
	src, err := live.Open(o)
	// A thread that cannot go home must not serve others: it ends with its
	// goroutine if it stays locked.
	if netns.Set(home) == nil {
		runtime.UnlockOSThread()
	}
	return src, err
}

func findNetNS(name string) (netns.NsHandle, error) {
	if pid, err := strconv.Atoi(name); err == nil {
		return netns.GetFromPid(pid)
	}
	if strings.Contains(name, "/") {
		return netns.GetFromPath(name)
	}
	return netns.GetFromName(name)
}
