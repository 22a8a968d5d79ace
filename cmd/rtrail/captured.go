package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/vishvananda/netns"

	"rtrail/internal/crash"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/pcap/live"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
	"rtrail/internal/rule/catalogue"
	"rtrail/internal/verdict"
	"rtrail/internal/version"
	"rtrail/internal/view"
)

// captured judges captures.
func (d *diagnosis) captured(ctx context.Context, files []string, stdin io.Reader) (verdict.Verdict, error) {
	ports, err := portList(d.ports)
	if err != nil {
		return verdict.Verdict{}, err
	}
	began := time.Now()
	src, err := pcap.Open(ctx, files, stdin)
	if err != nil {
		return verdict.Verdict{}, err
	}
	defer src.Close()
	result, err := capture.Read(ctx, src, capture.Options{Source: strings.Join(files, ", "), Ports: ports, Engine: engine.Options{DecodeAs: d.as}})
	if err != nil {
		return verdict.Verdict{}, err
	}
	if result.Report.Packets == 0 {
		return verdict.Verdict{}, fmt.Errorf("judging %s: there are no packets in it", strings.Join(files, ", "))
	}
	first, last := time.Unix(0, result.Report.First), time.Unix(0, result.Report.Last)
	rec := recording.New(recording.Manifest{
		Format: recording.FormatVersion, Tool: "rtrail " + version.String(), Started: first, Ended: last,
		Probes: []recording.ProbeInfo{capture.Info()},
	})
	if err := commit(rec, result, first, time.Since(began)); err != nil {
		return verdict.Verdict{}, err
	}
	v := verdict.Judge(view.New(rec, first, last), catalogue.For(rec.Manifest()))
	if slices.Contains(files, "-") && len(v.Findings) > 0 {
		v.Notes = append(v.Notes, view.SavedPackets+" in commands stands for where you save these packets: ... | tee "+view.SavedPackets+" | rtrail diagnose -")
	}
	return v, nil
}

func commit(rec *recording.Recording, result *capture.Result, at time.Time, took time.Duration) error {
	w := recording.NewWriter(at)
	result.Write(w)
	result.Run(w, at, took)
	return rec.Commit(w)
}

// liveWorkers is how many goroutines go through the packets of an interface. One
// takes a million packets a second, more than hosts that wait for something
// have; a second one would wake another CPU for each batch, and spread the same
// work over two caches that the host's programs need.
const liveWorkers = 1

// liveCapture is a capture that runs beside the probes.
type liveCapture struct {
	stop   context.CancelFunc
	began  time.Time
	done   chan struct{}
	result *capture.Result
	err    error
}

// capture begins to capture packets. mysql are ports at which servers speak
// MySQL's protocol.
func (d *diagnosis) capture(ctx context.Context, mysql []uint16) (*liveCapture, error) {
	ports, err := portList(d.ports)
	if err != nil {
		return nil, err
	}
	src, err := openLive(live.Options{Interface: d.iface, Ports: ports}, d.netns)
	if err != nil {
		return nil, err
	}
	how := besideServers(mysql)
	how.Workers, how.DecodeAs = liveWorkers, d.as
	ctx, stop := context.WithCancel(ctx)
	c := &liveCapture{stop: stop, began: time.Now(), done: make(chan struct{})}
	go func() {
		defer close(c.done)
		defer src.Close()
		c.err = crash.Guard(func() (err error) {
			c.result, err = capture.Read(ctx, src, capture.Options{Source: d.iface, NetNS: d.netns, Ports: ports, Live: true, Engine: how})
			return err
		})
	}()
	return c, nil
}

// finish ends the capture and adds what it saw to the evidence.
func (c *liveCapture) finish(rec *recording.Recording) error {
	c.stop()
	<-c.done
	if c.err != nil {
		return c.err
	}
	return commit(rec, c.result, c.began, time.Since(c.began))
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
