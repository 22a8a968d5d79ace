package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/infile"
	"rtrail/internal/outfile"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/summary"
	"rtrail/internal/page"
	"rtrail/internal/probe/capture"
	"rtrail/internal/prose"
	"rtrail/internal/report"
	"rtrail/internal/session"
	"rtrail/internal/shell"
	"rtrail/internal/traffic"
	"rtrail/internal/traffic/picture"
	"rtrail/internal/view"
)

// toParquet writes tables beside the view.
func (r *packetsRun) toParquet(ctx context.Context, v *packetsView) error {
	tables, err := traffic.NewParquet(ctx, r.parquet, r.workers, r.stop)
	if err != nil {
		return err
	}
	v.listeners = append(v.listeners, tables.Stream.Listener, tables.Listener)
	v.abandon = append(v.abandon, tables.Abandon)
	v.finish = append(v.finish, func(*engine.Report, *summary.Summary) error { return tables.Close() })
	return nil
}

// toHTML writes a page beside the view.
func (r *packetsRun) toHTML(ctx context.Context, v *packetsView) error {
	// A path that cannot be written is to be known before the capture was read.
	f, err := outfile.Create(ctx, r.html)
	if err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	drawn := &picture.Picture{Every: r.every, Cover: r.cover}
	v.seconds = append(v.seconds, drawn.Second)
	v.abandon = append(v.abandon, f.Abandon)
	v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
		err := page.Write(f, r.page(ctx, drawn, report, s))
		if err == nil {
			err = f.Commit()
		} else {
			f.Abandon()
		}
		if err != nil {
			return fmt.Errorf("writing the page: %w", err)
		}
		return nil
	})
	return nil
}

// page is the verdict on all packets, if they can be read once more, and their sums.
func (r *packetsRun) page(ctx context.Context, drawn *picture.Picture, told *engine.Report, s *summary.Summary) page.Page {
	o := r.overview(told, s)
	o.Top = max(o.Top, 20)
	sums := o.Sums()
	charts := &pageTraffic{Picture: drawn}
	var judged []document.Block
	var bands []chart.Band
	if why, command := r.unjudged(told); why != "" {
		judged = r.noVerdict(why, command)
	} else if e, err := r.evidence(ctx); err != nil {
		judged = r.noVerdict(err.Error(), shell.Command{})
	} else {
		v := e.Judge()
		judged, bands = report.Compose(v, true).Blocks, partsOf(e, v)
		sums = sums[1:] // what was read, which the verdict has told
		for i := range v.Findings {
			charts.finding(i+1, &v.Findings[i].Finding)
		}
	}
	p := page.Page{Document: document.Document{Title: "Packets of " + strings.Join(r.names(), ", ")}}
	var notes []document.Block
	if from, to := drawn.Span(); to.After(from) {
		p.Charts = chart.NewSet(from, to)
		p.Charts.Bands = append(p.Charts.Bands, bands...)
		notes = charts.draw(p.Charts)
	}
	p.Document.Blocks = slices.Concat(judged, sums, notes)
	return p
}

// evidence is all packets, which are read once more.
func (r *packetsRun) evidence(ctx context.Context) (*session.Evidence, error) {
	return (&session.Captures{Packets: session.Packets{Files: r.files}, How: capture.Options{Ports: r.only, Engine: engine.Options{DecodeAs: r.as}}}).Evidence(ctx)
}

// unjudged says why there is no verdict, and which command gives one; "": there is one.
func (r *packetsRun) unjudged(told *engine.Report) (why string, command shell.Command) {
	switch {
	case r.iface != "" && r.write != "":
		return "packets of an interface are gone when they were counted; they were written", shell.Line("rtrail diagnose %s", shell.Path(r.write))
	case r.iface != "":
		command = shell.Line("sudo rtrail diagnose -i %s --html %s", r.iface, shell.Path(r.html))
		if r.netns != "" {
			command = command.With("--netns %s", r.netns)
		}
		return "packets of an interface are gone when they were counted", command
	case !r.again() && r.write != "":
		return "a pipe can be read only once; its packets were written", shell.Line("rtrail diagnose %s", shell.Path(r.write))
	case !r.again():
		return "a pipe can be read only once: write the packets to a file", shell.Line("rtrail packets %s --html %s", view.SavedPackets, shell.Path(r.html))
	case r.filterGiven:
		return "--filter leaves requests out, and a verdict is on all of them", shell.Line("rtrail diagnose %s", shell.Paths(r.files))
	case told.Packets == 0:
		return "there are no packets", shell.Command{}
	}
	return "", shell.Command{}
}

// noVerdict says on the page and to who waits for it that there is no verdict.
func (r *packetsRun) noVerdict(why string, command shell.Command) []document.Block {
	words := "no verdict on this page: " + why
	line := "rtrail: " + words
	if !command.Empty() {
		line += ". Run: " + command.String()
	}
	fmt.Fprintln(r.stderr, prose.Wrap(line, lineWidth(r.stderr), 2))
	return []document.Block{document.List{Style: document.Warn, Items: []document.Item{{Words: words, Command: command.String()}}}}
}

// again says that all packets can be read once more: pipes cannot.
func (r *packetsRun) again() bool {
	return !r.streams() && !slices.ContainsFunc(r.files, func(f string) bool { return !infile.Regular(f) })
}

// names is where the packets come from.
func (r *packetsRun) names() []string {
	if r.iface != "" {
		return []string{r.iface}
	}
	var names []string
	for _, f := range r.files {
		if f == "-" {
			f = "standard input"
		}
		names = append(names, filepath.Base(f))
	}
	return names
}
