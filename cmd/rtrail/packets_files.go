package main

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"

	"rtrail/internal/escape"
	"rtrail/internal/outfile"
	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/summary"
	"rtrail/internal/traffic"
	"rtrail/internal/traffic/page"
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
	p := &page.Page{Title: strings.Join(r.names(), ", "), Every: r.every, Top: max(r.top, 20)}
	v.seconds = append(v.seconds, p.Second)
	v.abandon = append(v.abandon, f.Abandon)
	v.finish = append(v.finish, func(report *engine.Report, s *summary.Summary) error {
		err := p.Write(escape.NewWriter(f), report, s)
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
