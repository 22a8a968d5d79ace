package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
	"rtrail/internal/unit"
)

const (
	// maxSorted bounds the requests that are held to be sorted, at half a kilobyte
	// each.
	maxSorted = 100_000
	// lookahead is how many requests a list waits for one that began earlier.
	lookahead = 50_000
)

// view makes what was asked for.
func (r *packetsRun) view(ctx context.Context) (*packetsView, error) {
	v := &packetsView{}
	var err error
	switch {
	case r.formatGiven:
		err = r.formatted(v)
	case r.transactions:
		r.listed(v)
	case r.slowestGiven:
		r.best(v, "rt", r.slowest, true)
	case r.json && r.iface != "" && r.by == "second" && !r.histogram:
		r.liveJSON(v)
	case r.json:
		r.document(v)
	case r.histogram:
		v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
			return r.answer(r.overview(report, s).Histograms())
		})
	case r.by != "second":
		v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
			return r.answer(r.overview(report, s).By(r.by))
		})
	case r.sumsFirst():
		r.overTime(v)
	default:
		r.perSecond(v)
	}
	if err == nil && r.parquet != "" {
		err = r.toParquet(ctx, v)
	}
	if err == nil && r.html != "" {
		err = r.toHTML(ctx, v)
	}
	if err != nil {
		for _, f := range v.abandon {
			f()
		}
		return nil, err
	}
	return v, nil
}

func (r *packetsRun) overview(report *engine.Report, s *summary.Summary) traffic.Overview {
	return traffic.Overview{Report: report, Summary: s, Top: r.top, Width: cmp.Or(r.width, pipeWidth), Filtered: r.filterGiven}
}

// answer prints what is known when all packets were read. In a pipe tables fit a mail,
// and sentences are not broken.
func (r *packetsRun) answer(blocks []document.Block) error {
	return r.print(blocks, cmp.Or(r.width, pipeWidth))
}

func (r *packetsRun) print(blocks []document.Block, width int) error {
	d := document.Document{Title: "Packets of " + strings.Join(r.names(), ", "), Blocks: blocks}
	if r.markdown {
		return document.Markdown(r.out, d)
	}
	return document.Terminal(r.out, d, document.TerminalOptions{Width: width, Words: cmp.Or(r.width, document.AnyWidth)})
}

// sumsFirst says that what passes is told at the end, below the sums: files that
// are there, and no wish for intervals. Markdown is not printed line by line.
func (r *packetsRun) sumsFirst() bool {
	return r.markdown || !r.byGiven && !r.everyGiven && !r.streams()
}

// streams says that packets come as they are captured.
func (r *packetsRun) streams() bool { return r.iface != "" || slices.Contains(r.files, "-") }

// overTime is the default of files: sums, and among them how they came about.
func (r *packetsRun) overTime(v *packetsView) {
	table := &traffic.OverTime{Cover: r.cover}
	v.seconds = append(v.seconds, table.Second)
	v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
		o := r.overview(report, s)
		o.OverTime = table
		return r.answer(o.Sums())
	})
}

// perSecond is the default of what is captured now: a line per second and port,
// then a summary.
func (r *packetsRun) perSecond(v *packetsView) {
	lines := &traffic.Seconds{Out: r.out, Every: r.every, Width: r.width, Drops: r.drops(), Start: r.began, Cover: r.cover}
	v.seconds = append(v.seconds, lines.Second)
	v.passed = append(v.passed, lines.Passed)
	v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
		if err := lines.Close(); err != nil {
			return err
		}
		if lines.Printed() {
			fmt.Fprintln(r.out)
		}
		return r.answer(r.overview(report, s).Sums())
	})
}

func (r *packetsRun) formatted(v *packetsView) error {
	format, err := traffic.ParseFormat(r.format)
	if err != nil {
		return err
	}
	lines := &traffic.Formatted{Out: r.out, Format: format, Every: r.every}
	if r.iface != "" {
		lines.Start = r.began
	}
	v.machine = true
	v.seconds = append(v.seconds, lines.Second)
	v.passed = append(v.passed, lines.Passed)
	v.finish = append(v.finish, func(*engine.Report, *summary.Summary) error { return lines.Close() })
	return nil
}

func (r *packetsRun) liveJSON(v *packetsView) {
	lines := &traffic.LiveJSON{Out: r.out, Every: r.every, Start: r.began, Drops: r.drops(), Cover: r.cover}
	v.machine = true
	v.seconds = append(v.seconds, lines.Second)
	v.passed = append(v.passed, lines.Passed)
	v.finish = append(v.finish, func(*engine.Report, *summary.Summary) error { return lines.Close() })
}

func (r *packetsRun) document(v *packetsView) {
	d := &traffic.Document{Out: r.out, Every: r.every, Top: r.top, View: r.by, Cover: r.cover}
	if r.histogram {
		d.View = "histogram"
	}
	v.seconds = append(v.seconds, d.Second)
	v.finish = append(v.finish, d.Close)
}

// listed is a list of requests.
func (r *packetsRun) listed(v *packetsView) {
	v.machine = true
	stream := r.order == traffic.Unsorted || r.json && !r.orderGiven && !r.topGiven || r.iface != ""
	switch {
	case r.markdown && !r.topGiven:
		r.best(v, r.order, maxSorted, false)
	case stream && r.json:
		r.streamJSON(v)
	case stream:
		r.streamText(v, nil)
	case r.order == "start" && !r.topGiven:
		r.streamText(v, &traffic.Reorder{Window: lookahead})
	case r.topGiven:
		r.best(v, r.order, r.top, false)
	default:
		r.best(v, r.order, maxSorted, false)
	}
}

// streamJSON prints requests as they complete.
func (r *packetsRun) streamJSON(v *packetsView) {
	out := r.buffered()
	stream := &traffic.Stream{
		Encode: func(int) func([]byte, *rt.Transaction) []byte { return new(traffic.JSON).Transaction },
		Text:   func(_ *traffic.Place, b []byte) error { _, err := out.Write(b); return err },
		Failed: r.stop,
	}
	if r.atOnce() {
		stream.Flush = out.Flush
	}
	stream.Start(r.workers)
	v.listeners = append(v.listeners, stream.Listener)
	v.finish = append(v.finish, func(*engine.Report, *summary.Summary) error { return out.Flush() })
}

// streamText prints requests as they complete, or in the order of their
// beginnings.
func (r *packetsRun) streamText(v *packetsView, sort *traffic.Reorder) {
	out := r.buffered()
	lines := &traffic.Lines{Out: out, Width: r.width}
	stream := &traffic.Stream{Encode: lines.Encode, Text: lines.Text, Failed: r.stop}
	if r.atOnce() {
		stream.Flush = out.Flush
	}
	if sort != nil {
		sort.Give, stream.Text = lines.Text, sort.Text
	}
	stream.Start(r.workers)
	v.listeners = append(v.listeners, stream.Listener)
	v.finish = append(v.finish, func(*engine.Report, *summary.Summary) error {
		if sort != nil {
			if err := sort.Close(); err != nil {
				return err
			}
			if sort.Late > 0 {
				fmt.Fprintf(r.stderr, "rtrail: %s took too long to be put in order: listed after later ones\n", unit.Plural(sort.Late, "request", "requests"))
			}
		}
		return out.Flush()
	})
}

// best prints the first requests of an order.
func (r *packetsRun) best(v *packetsView, order string, limit int, usable bool) {
	v.machine = true
	by, _ := traffic.OrderNamed(order) // was checked
	best := &traffic.Best{Order: by, Limit: limit, Usable: usable}
	v.listeners = append(v.listeners, best.Listener)
	v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
		list, seen := best.List()
		if int(seen) > len(list) && !r.topGiven && !usable {
			fmt.Fprintf(r.stderr, "rtrail: sorted the first %s of %s, which is the limit; --sort none lists all\n", unit.Count(len(list)), unit.Plural(seen, "request", "requests"))
		}
		if r.json {
			out := r.buffered()
			var j traffic.JSON
			var b []byte
			for i := range list {
				b = j.Transaction(b[:0], &list[i])
				if _, err := out.Write(b); err != nil {
					return err
				}
			}
			return out.Flush()
		}
		title := fmt.Sprintf("REQUESTS by %s", order)
		if usable {
			title = "SLOWEST REQUESTS"
		}
		o := r.overview(report, s)
		return r.print(traffic.Filled(o.Transactions(title+", "+o.When(), list)), cmp.Or(r.width, document.AnyWidth))
	})
}
