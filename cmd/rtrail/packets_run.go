package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strings"
	"time"

	"rtrail/internal/crash"
	"rtrail/internal/outfile"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/pcap"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/privilege"
	"rtrail/internal/prose"
	"rtrail/internal/session"
	"rtrail/internal/traffic"
	"rtrail/internal/traffic/filter"
	"rtrail/internal/unit"
)

// packetsView is what a run of the engine feeds.
type packetsView struct {
	listeners []func(worker int) traffic.Listener
	seconds   []func(*summary.Second)
	passed    []func(before int64)
	finish    []func(*engine.Report, *summary.Summary) error
	abandon   []func() // instead of finish, when the capture could not be read or the output not be written
	machine   bool     // standard output is for programs: doubts go to standard error
}

// packetsRun is a run of the engine.
type packetsRun struct {
	*packetsJob
	files   []string
	source  pcap.Source
	out     *outlet
	stderr  io.Writer
	tty     bool
	width   int // of lines; 0: any
	began   time.Time
	workers int
	stop    context.CancelCauseFunc
	cover   *traffic.Cover
}

// outlet is standard output; its first error ends the run.
type outlet struct {
	io.Writer
	stop context.CancelCauseFunc
	err  error
}

func (o *outlet) Write(b []byte) (int, error) {
	if o.err != nil {
		return 0, o.err
	}
	n, err := o.Writer.Write(b)
	if err != nil {
		o.err = err
		o.stop(err)
	}
	return n, err
}

func (p *packetsJob) run(ctx context.Context, files []string, stdin io.Reader, out, stderr io.Writer) (err error) {
	var chosen *filter.Filter
	if p.filterGiven {
		if chosen, err = filter.Compile(p.filter); err != nil {
			return usageError("--filter: %w", err)
		}
	}
	r := &packetsRun{packetsJob: p, files: files, stderr: stderr, workers: runtime.GOMAXPROCS(0), width: lineWidth(out), cover: &traffic.Cover{}}
	_, r.tty = terminalWidth(out)
	if p.iface == "" {
		collectBy(percentOf)
	} else {
		finishes(ctx)
		r.workers = liveWorkers
	}
	packets := session.Packets{
		Files: files, Stdin: stdin,
		Interface: p.iface, NetNS: p.netns, Ports: p.only, Whole: p.write != "" || p.rows, Tick: 200 * time.Millisecond, Length: p.length,
		Confine: func() {
			confine(stderr, privilege.Needs{Read: files, Write: []string{p.write, p.html}, Dirs: []string{p.parquet}})
		},
	}
	return packets.Read(ctx, func(ctx context.Context, src pcap.Source) error {
		ctx, r.stop = context.WithCancelCause(ctx)
		defer r.stop(nil)
		r.source, r.out, r.began = src, &outlet{Writer: out, stop: r.stop}, time.Now()
		return r.show(ctx, src, chosen)
	})
}

// show prints what packets say, and writes them if that is wanted.
func (r *packetsRun) show(ctx context.Context, src pcap.Source, chosen *filter.Filter) (failed error) {
	if r.write != "" {
		// Straight: what was captured counts also if the machine dies.
		f, err := outfile.Open(ctx, r.write)
		if err != nil {
			return fmt.Errorf("writing the capture: %w", err)
		}
		w := pcap.NewWriter(f, pcap.FormatOf(r.write), src.Interfaces)
		defer func(from pcap.Source) {
			if err := errors.Join(w.Close(from.Loss()), f.Commit()); err != nil && failed == nil {
				failed = fmt.Errorf("writing the capture: %w", err)
			}
		}(src)
		src = pcap.Tee(src, w)
	}
	if r.iface != "" {
		r.cover.Reach(r.began.UnixNano())
	}
	src = r.cover.Watch(src)
	view, err := r.view(ctx)
	if err != nil {
		return err
	}
	err = r.read(ctx, counting(src, r.files, r.stderr, r.iface == "" && !(r.tty && r.printsAtOnce())), view, chosen)
	if r.out.err != nil {
		return fmt.Errorf("writing the results: %w", r.out.err)
	}
	return err
}

// printsAtOnce says that results come while packets are read.
func (r *packetsRun) printsAtOnce() bool {
	return r.transactions || r.formatGiven || r.by == "second" && !r.histogram && !r.slowestGiven && !r.sumsFirst()
}

// read runs the engine and finishes the view.
func (r *packetsRun) read(ctx context.Context, src *watched, view *packetsView, chosen *filter.Filter) error {
	// What prints a second may panic while packets are read, or in Result.
	var crashed error
	guarded := func(f func()) {
		crashed = cmp.Or(crashed, crash.Guard(func() error { f(); return nil }))
	}
	collectors := summary.New(r.workers, summary.Options{
		Ports: r.only, Slowest: max(r.top, r.slowest), Connections: max(1000, r.top), Clients: max(10000, r.top), Statements: max(5000, r.top),
		Second: func(s *summary.Second) {
			for _, f := range view.seconds {
				guarded(func() { f(s) })
			}
		},
		Passed: func(before int64) {
			for _, f := range view.passed {
				guarded(func() { f(before) })
			}
		},
	})
	tap := &traffic.Tap{Summary: collectors, Ports: r.only, Listeners: view.listeners}
	if chosen != nil {
		tap.Keep = func() func(*rt.Transaction) bool { return chosen.Matcher() }
	}
	how := engine.Options{Workers: r.workers, Collector: tap.Collector, DecodeAs: r.as}
	how.Listen("", r.only...)
	report, err := engine.Run(ctx, src, how)
	if r.iface != "" {
		r.cover.Reach(time.Now().UnixNano())
	}
	result := collectors.Result()
	src.done()
	if r.out.err != nil {
		for _, f := range view.abandon {
			f()
		}
		return r.out.err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) && !errors.Is(cause, context.DeadlineExceeded) && err == nil {
		err = cause
	}
	for _, f := range view.finish {
		if cause := crash.Guard(func() error { return f(&report, result) }); cause != nil && err == nil {
			err = cause
		}
	}
	r.doubts(view, &report, result, chosen)
	return cmp.Or(err, crashed)
}

// doubts goes to standard error where the view itself cannot say it.
func (r *packetsRun) doubts(view *packetsView, report *engine.Report, s *summary.Summary, chosen *filter.Filter) {
	if view.machine {
		for _, line := range traffic.Doubts(report, s) {
			fmt.Fprintln(r.stderr, prose.Wrap("rtrail: "+line, lineWidth(r.stderr), 2))
		}
	}
	if len(r.only) > 0 && s.Seen == 0 && !hasRequests(s) {
		fmt.Fprintf(r.stderr, "rtrail: no connection to port %s%s\n", r.ports, elsewhere(s.LeftOut))
	}
	if (r.transactions || r.slowestGiven) && !hasRequests(s) {
		narrower := ""
		if chosen != nil || r.ports != "" {
			narrower = "; -p and --filter leave some out"
		}
		fmt.Fprintf(r.stderr, "rtrail: no request to list in %s%s\n", unit.Plural(report.Packets, "packet", "packets"), narrower)
	}
	if chosen != nil && chosen.Undecided() > 0 {
		fmt.Fprintf(r.stderr, "rtrail: the filter asks for what is not known of %s: left out\n", unit.Plural(chosen.Undecided(), "request", "requests"))
	}
}

// elsewhere names the ports that most connections go to.
func elsewhere(connections map[uint16]uint64) string {
	ports := slices.SortedFunc(maps.Keys(connections), func(a, b uint16) int {
		return cmp.Or(cmp.Compare(connections[b], connections[a]), cmp.Compare(a, b))
	})
	if len(ports) == 0 {
		return ""
	}
	var words []string
	for _, port := range ports[:min(len(ports), 5)] {
		words = append(words, fmt.Sprintf("%d (%s)", port, unit.Plural(connections[port], "connection", "connections")))
	}
	return "; there are others to " + strings.Join(words, ", ")
}

// hasRequests says whether a request was counted, whatever is known of it.
func hasRequests(s *summary.Summary) bool {
	for _, t := range s.Services {
		if t.Packets > 0 {
			return true
		}
	}
	return false
}

// drops tells what the kernel dropped of a live capture; nil for files.
func (r *packetsRun) drops() traffic.Drops {
	if r.iface == "" {
		return nil
	}
	return func() (uint64, bool) { l := r.source.Loss(); return l.Dropped, l.Known }
}

// buffered is standard output for much at once.
func (r *packetsRun) buffered() *bufio.Writer { return bufio.NewWriterSize(r.out, 256<<10) }

// atOnce says that somebody waits for each line.
func (r *packetsRun) atOnce() bool { return r.iface != "" || r.tty }
