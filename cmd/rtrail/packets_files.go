package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"rtrail/internal/document"
	"rtrail/internal/infile"
	"rtrail/internal/outfile"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/summary"
	"rtrail/internal/page"
	"rtrail/internal/probe/capture"
	"rtrail/internal/report"
	"rtrail/internal/session"
	"rtrail/internal/traffic"
	"rtrail/internal/traffic/picture"
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
	var verdict, notes []document.Block
	if r.again() && !r.filterGiven && told.Packets > 0 {
		e, err := (&session.Captures{Packets: session.Packets{Files: r.files}, How: capture.Options{Ports: r.only, Engine: engine.Options{DecodeAs: r.as}}}).Evidence(ctx)
		if err == nil {
			verdict = report.Compose(e.Judge(), true).Blocks
		} else {
			notes = append(notes, document.Prose{Label: "NOTE", Style: document.Warn, Words: "not judged: " + err.Error()})
		}
	}
	o := r.overview(told, s)
	o.Top = max(o.Top, 20)
	sums := o.Sums()
	if verdict != nil {
		sums = sums[1:] // what was read, which the verdict has told
	}
	charts, scale := drawn.Set(s)
	if scale != "" {
		notes = append(notes, document.Prose{Words: scale})
	}
	title := "Packets of " + strings.Join(r.names(), ", ")
	return page.Page{Document: document.Document{Title: title, Blocks: slices.Concat(verdict, sums, notes)}, Charts: charts}
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
