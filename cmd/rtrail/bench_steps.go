package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/report"
	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/page"
	"rtrail/internal/recording"
	"rtrail/internal/session"
)

// maxSteps bounds the recordings that are read for a page: each is judged once more.
const maxSteps = 8

// limitingSteps adds to a page, of each ladder, what processes did and waited for in the step that
// shows what limits it, if that was recorded below the folder that was given.
func limitingSteps(ctx context.Context, r *report.Report, p *page.Page) error {
	shown := 0
	for i := range r.Environments {
		e := &r.Environments[i]
		for n := range e.Ladders {
			run := e.Limiting(&e.Ladders[n])
			if run == nil || run.Folder == "" || !filepath.IsLocal(run.Recording) {
				continue
			}
			name := report.Name(run)
			if e.Name != "" {
				name = e.Name + ", " + name
			}
			if shown++; shown > maxSteps {
				p.Document.Blocks = append(p.Document.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: fmt.Sprintf("what processes did is shown of %d ladders: rtrail diagnose judges any recording", maxSteps)})
				return nil
			}
			var step page.Step
			evidence, err := recorded(ctx, run)
			if err == nil {
				step, err = stepCharts(ctx, run, evidence)
			}
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				p.Document.Blocks = append(p.Document.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: fmt.Sprintf("%s: its recording cannot be read: %v", name, err)})
				continue
			}
			step.Title = "The host in the step " + name
			p.Steps = append(p.Steps, step)
			blocks, flames := meanwhile(evidence, "IN THE STEP "+name, ", "+name, maxSteps)
			p.Document.Blocks, p.Flames = append(p.Document.Blocks, blocks...), append(p.Flames, flames...)
		}
	}
	return nil
}

const (
	// maxStepFindings bounds the findings of a step of which charts are drawn.
	maxStepFindings = 3
	// stepPatience bounds how long points of a step are read.
	stepPatience = chartPatience / maxSteps
)

// stepCharts are those of the host in a step, with what was shortly before and after it, and of what
// is found in it.
func stepCharts(ctx context.Context, r *bench.Run, e *session.Evidence) (step page.Step, err error) {
	path := filepath.Join(r.Folder, r.Recording)
	held, err := recording.Span(ctx, path)
	if err != nil {
		return step, err
	}
	around := r.Ended.Sub(r.Began) / 4
	from, to := later(r.Began.Add(-around), held.From), earlier(r.Ended.Add(around), held.To)
	draft := chart.NewDraft(from, to)
	draft.Share(maxSteps)
	draft.Band(r.Began, r.Ended, "the step", document.Plain, 0)
	found := e.Judge().Findings
	for i, f := range found[:min(len(found), maxStepFindings)] {
		draft.Judged(i+1, f, -1, recording.Window{From: r.Began, To: r.Ended})
		step.Found = append(step.Found, f.Headline.String())
	}
	open := func(ctx context.Context, from, to time.Time, tables ...recording.Table) (*recording.Recording, error) {
		return recording.OpenRange(ctx, path, from, to, tables...)
	}
	_, err = draft.Record(ctx, open, from, to, stepPatience)
	step.Charts = draft.Set()
	return step, err
}

// recorded is the evidence of the seconds of a run that were measured.
func recorded(ctx context.Context, r *bench.Run) (*session.Evidence, error) {
	at := func(recording.Window) (time.Time, time.Time, string, error) { return r.Began, r.Ended, "", nil }
	return (&session.Replay{Path: filepath.Join(r.Folder, r.Recording), Window: session.Window{At: at}}).Evidence(ctx)
}
