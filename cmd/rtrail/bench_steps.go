package main

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/bench/report"
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
			evidence, err := recorded(ctx, run)
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				p.Document.Blocks = append(p.Document.Blocks, document.Prose{Label: "NOTE", Style: document.Warn, Words: fmt.Sprintf("%s: its recording cannot be read: %v", name, err)})
				continue
			}
			blocks, flames := meanwhile(evidence, "IN THE STEP "+name, ", "+name)
			p.Document.Blocks, p.Flames = append(p.Document.Blocks, blocks...), append(p.Flames, flames...)
		}
	}
	return nil
}

// recorded is the evidence of the seconds of a run that were measured.
func recorded(ctx context.Context, r *bench.Run) (*session.Evidence, error) {
	at := func(recording.Window) (time.Time, time.Time, string, error) { return r.Began, r.Ended, "", nil }
	return (&session.Replay{Path: filepath.Join(r.Folder, r.Recording), Window: session.Window{At: at}}).Evidence(ctx)
}
