package main

import (
	"context"
	"fmt"
	"io"
	"slices"

	"rtrail/internal/escape"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/unit"
	"rtrail/internal/verdict"
)

// notedWaits is how many waits a verdict on stacks names beside its findings.
const notedWaits = 3

// fromStacks judges dumps of stacks.
func (d *diagnosis) fromStacks(ctx context.Context, files []string, stdin io.Reader) (verdict.Verdict, error) {
	e, err := (&session.Stacks{Files: files, Stdin: stdin}).Evidence(ctx)
	if err != nil {
		return verdict.Verdict{}, err
	}
	d.evidence = e
	v := e.Judge()
	noteWaits(&v, e)
	v.Notes = append(v.Notes, "judged on stacks alone: rtrail stacks shows all of them")
	return v, nil
}

// fromReports judges reports of other tools, with stacks and captures beside them.
func (d *diagnosis) fromReports(ctx context.Context, files []string, window session.Window) (verdict.Verdict, error) {
	p := parted(files)
	if len(d.as) > 0 && len(p.captures) == 0 {
		return verdict.Verdict{}, errDecodeAs
	}
	v, err := d.judged(ctx, &session.Imported{
		Files: slices.Concat(p.unknown, p.reports), // the error names what is none
		Dumps: p.dumps, Captures: p.captures, How: d.howCaptures(), Window: window,
	})
	if err == nil && len(p.dumps) > 0 {
		noteWaits(&v, d.evidence)
	}
	return v, err
}

// noteWaits names what most threads wait for.
func noteWaits(v *verdict.Verdict, e *session.Evidence) {
	waits := e.View().StackWaits()
	for _, s := range waits[:min(len(waits), notedWaits)] {
		if s.ID == "" || s.Share == 0 {
			continue
		}
		what := "busy threads"
		if s.Evidence == recording.StackOnCPU {
			what = "samples of running threads"
		}
		note := fmt.Sprintf("%s: %d of %d %s (%s): %s", s.Source, s.Threads, s.BusyThreads, what, unit.Share(s.Share), s.Title)
		if s.Object != "" {
			note += ", " + escape.Text(s.Object)
		}
		v.Notes = append(v.Notes, note)
	}
}
