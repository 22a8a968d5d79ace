package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/episode"
	"rtrail/internal/outfile"
	"rtrail/internal/page"
	"rtrail/internal/recording"
	"rtrail/internal/report"
	"rtrail/internal/rule"
	"rtrail/internal/session"
	"rtrail/internal/stack"
	"rtrail/internal/stack/flame"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// chartPatience bounds how long points of a recording are read.
const chartPatience = 30 * time.Second

// visible is the share of a flame graph that is about a pixel wide: what is smaller is
// told as one.
const visible = 1.0 / 1000

// pageFlag is a file for the answer as a page.
type pageFlag struct{ html string }

func (f *pageFlag) add(flags *pflag.FlagSet, what string) {
	flags.StringVar(&f.html, "html", "", "also write "+what+" as a page with charts to this file, for a browser")
}

// write writes the page.
func (f *pageFlag) write(ctx context.Context, p page.Page) error {
	if err := outfile.Write(ctx, f.html, func(w *outfile.File) error { return page.Write(w, p) }); err != nil {
		return fmt.Errorf("writing the page: %w", err)
	}
	return nil
}

// page is a verdict with the charts of its evidence.
func (d *diagnosis) page(ctx context.Context, v verdict.Verdict, files []string) (page.Page, error) {
	p, e := page.Page{Document: report.Compose(v, true)}, d.evidence
	from, to := v.Window.Start, v.Window.End
	if !to.After(from) {
		return p, nil
	}
	part := len(files) == 1 && isRecording(files[0]) && !e.From.IsZero()
	if part { // what was before and after tells what changed
		held, err := recording.Span(ctx, files[0])
		if err != nil {
			return p, err
		}
		around := to.Sub(from)
		from, to = later(from.Add(-around), held.From), earlier(to.Add(around), held.To)
	}
	draft := chart.NewDraft(from, to)
	if from.Before(v.Window.Start) || to.After(v.Window.End) {
		draft.Band(v.Window.Start, v.Window.End, "the window that was judged", document.Alarm, 0)
	}
	traffic := trafficOf(d.drawn, v.Window.Start, v.Window.End)
	for i, x := range v.Findings {
		draft.Judged(i+1, x, -1, recording.Window{From: v.Window.Start, To: v.Window.End})
		traffic.finding(i+1, &x.Finding)
	}
	if part {
		open := func(ctx context.Context, from, to time.Time, tables ...recording.Table) (*recording.Recording, error) {
			return recording.OpenRange(ctx, files[0], from, to, tables...)
		}
		until, err := draft.Record(ctx, traffic.Reading(open), from, to, chartPatience)
		if err != nil {
			return p, err
		}
		p.Document.Blocks = append(p.Document.Blocks, unread(until, to)...)
	} else {
		draft.Add(e.View())
		traffic.add(e.Recording)
	}
	draw(&p, draft)
	p.Document.Blocks = append(p.Document.Blocks, traffic.draw(p.Charts)...)
	p.Flames = flames(e.View(), "", 1)
	return p, nil
}

// draw gives a page its charts, with what is not drawn in words.
func draw(p *page.Page, d *chart.Draft) {
	p.Charts = d.Set()
	for _, words := range p.Charts.Notes {
		p.Document.Blocks = append(p.Document.Blocks, document.Prose{Label: "NOTE", Style: document.Quiet, Words: words})
	}
}

// flames are flame graphs of what ran and waited in a window, with words that tell it from others
// of a page, which shows so many windows.
func flames(v *view.View, which string, windows int) []page.Flame {
	list := flame.Graphs(stack.Recorded(v.Manifest().Host.Name, view.Rows[recording.OnCPUSample](v), v.OffCPURows()), visible, windows)
	for i := range list {
		list[i].Title += which
	}
	return list
}

// meanwhile is what processes did and waited for in a window: its blocks stand below a title, and
// the words go with the titles of its flame graphs; the page shows so many windows.
func meanwhile(e *session.Evidence, title, which string, windows int) ([]document.Block, []page.Flame) {
	blocks := report.Meanwhile(e.Judge())
	if len(blocks) > 0 {
		blocks = append([]document.Block{document.Heading{Words: title, Style: document.Strong}}, blocks...)
	}
	return blocks, flames(e.View(), which, windows)
}

// page is what a recording holds, with the charts of its faults' evidence.
func (r *replayed) page(ctx context.Context) (page.Page, error) {
	p := page.Page{}
	worst, err := r.whenWorst(ctx, &p)
	if err != nil {
		return p, err
	}
	p.Document = r.compose(append(r.overview.whole(), worst...))
	draft := chart.NewDraft(r.from, r.to)
	traffic := trafficOf(nil, r.from, r.to)
	for i, e := range r.overview.worst() {
		style := document.Warn
		if e.Finding.Confidence == rule.Certain {
			style = document.Alarm
		}
		band := draft.Band(e.From, e.To, e.Finding.Headline.String(), style, i+1)
		draft.Judged(i+1, e.Finding, band, e.Worst)
		traffic.finding(i+1, &e.Finding.Finding)
	}
	for _, piece := range r.pieces {
		open := func(ctx context.Context, from, to time.Time, tables ...recording.Table) (*recording.Recording, error) {
			return r.overview.source.OpenPiece(ctx, piece.Number, from, to, tables...)
		}
		to := earlier(piece.To, r.to)
		until, err := draft.Record(ctx, traffic.Reading(open), later(piece.From, r.from), to, chartPatience)
		if err != nil {
			return p, err
		}
		p.Document.Blocks = append(p.Document.Blocks, unread(until, to)...)
	}
	draw(&p, draft)
	p.Document.Blocks = append(p.Document.Blocks, traffic.draw(p.Charts)...)
	return p, nil
}

// whenWorst is what processes did and waited for while the fault cost most that weighs most; the
// page gets its flame graphs.
func (r *replayed) whenWorst(ctx context.Context, p *page.Page) (blocks []document.Block, err error) {
	list := r.overview.worst()
	n := episode.Heaviest(list)
	if n < 0 {
		return nil, nil
	}
	at := list[n].Worst
	e, err := r.overview.source.Evidence(ctx, at)
	if err != nil {
		return nil, err
	}
	which := fmt.Sprintf("%s to %s", at.From.Local().Format(clockLayout), unit.Clock(at.To))
	blocks, p.Flames = meanwhile(e, fmt.Sprintf("WHEN FAULT %d COST MOST, %s", n+1, which), ", "+which, 1)
	return blocks, nil
}

// unread says from when on charts lack points.
func unread(until, to time.Time) []document.Block {
	if !until.Before(to) {
		return nil
	}
	return []document.Block{document.Prose{Label: "NOTE", Style: document.Warn, Words: "reading the points of the charts took too long: they end at " + until.Local().Format(clockLayout) + "; --at and --for choose a part"}}
}
