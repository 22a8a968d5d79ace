package beside

import (
	"context"
	"fmt"
	"time"

	"rtrail/internal/bench"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// Source is what recorded a host while it was loaded: a recording of rtrail, or reports of
// other tools.
type Source struct {
	path string               // of a recording; "": reports
	all  *recording.Recording // of reports
	held recording.Window
}

// Recording opens a recording of rtrail.
func Recording(ctx context.Context, path string) (*Source, error) {
	held, err := recording.Span(ctx, path)
	return &Source{path: path, held: held}, err
}

// Reports reads reports of other tools, which tell of one host.
func Reports(ctx context.Context, files []string) (*Source, error) {
	e, err := (&session.Imported{Files: files}).Evidence(ctx)
	if err != nil {
		return nil, err
	}
	return &Source{all: e.Recording, held: recording.Window{From: e.From, To: e.To}}, nil
}

// at is the evidence of some seconds.
func (s *Source) at(ctx context.Context, from, to time.Time) (*session.Evidence, error) {
	e := &session.Evidence{Recording: s.all, From: from, To: to}
	if s.path != "" {
		var err error
		if e.Recording, err = recording.OpenRange(ctx, s.path, from, to); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// busy is what the CPUs did, sample by sample.
func (s *Source) busy(ctx context.Context) ([]Busy, error) {
	rec := s.all
	if s.path != "" {
		var err error
		if rec, err = recording.OpenRange(ctx, s.path, s.held.From, s.held.To, recording.CPUs); err != nil {
			return nil, err
		}
	}
	var list []Busy
	used := map[time.Time][2]time.Duration{} // busy and all time of all CPUs, by sample
	last := map[int32]recording.CPUSample{}
	for _, c := range recording.Rows[recording.CPUSample](rec) {
		before, known := last[c.CPU]
		last[c.CPU] = c
		if !known {
			continue
		}
		idle := c.Idle + c.IOWait - before.Idle - before.IOWait
		all := idle + c.User + c.Nice + c.System + c.IRQ + c.SoftIRQ + c.Steal - before.User - before.Nice - before.System - before.IRQ - before.SoftIRQ - before.Steal
		if all <= 0 || idle < 0 || idle > all {
			continue
		}
		at := c.At.Round(time.Second / 2)
		sum := used[at]
		used[at] = [2]time.Duration{sum[0] + all - idle, sum[1] + all}
	}
	for at, sum := range used {
		list = append(list, Busy{at, float64(sum[0]) / float64(sum[1])})
	}
	return list, nil
}

// Behind is by how much the clock of the source is behind that of the runs, where that is
// clear; ok is false where it is not.
func (s *Source) Behind(ctx context.Context, runs []bench.Run) (behind time.Duration, ok bool, err error) {
	samples, err := s.busy(ctx)
	if err != nil {
		return 0, false, err
	}
	var spans []Span
	for _, r := range runs {
		if r.Ended.After(r.Began) {
			spans = append(spans, Span{r.Began, r.Ended})
		}
	}
	behind, ok = Offset(spans, samples)
	return behind, ok, nil
}

// covered is the share of a run's seconds that samples must cover.
const covered = 0.8

// Fill gives runs the numbers of the host in exactly their seconds, by the clock of the source,
// which is behind, and what these saturate. Runs that it does not cover stay as they are,
// with a note; it is an error if it covers none.
func (s *Source) Fill(ctx context.Context, runs []bench.Run, behind time.Duration) error {
	filled := 0
	for i := range runs {
		r := &runs[i]
		if !r.Ended.After(r.Began) {
			r.Notes = append(r.Notes, "when it ran is not known: the host's samples are not used")
			continue
		}
		e, err := s.at(ctx, r.Began.Add(-behind), r.Ended.Add(-behind))
		if err != nil {
			return fmt.Errorf("reading what the host did from %v to %v: %w", unit.Moment(r.Began), unit.Moment(r.Ended), err)
		}
		v := e.View()
		seconds, readings := sampled(v)
		if seconds < covered*r.Seconds() {
			r.Notes = append(r.Notes, fmt.Sprintf("the host's samples cover %.0f of its %.0f seconds: they are not used", seconds, r.Seconds()))
			continue
		}
		Host(r, v)
		r.Host.Samples = readings
		r.Saturated = Saturated(v, e.Judge())
		filled++
	}
	if filled == 0 {
		return fmt.Errorf("no run lies within the host's samples, which are of %v to %v: is the clock or the time zone another one?", unit.Moment(s.held.From), unit.Moment(s.held.To))
	}
	return nil
}

// sampled is how much of a window lies between two samples of the CPUs, and how many there are.
func sampled(v *view.View) (seconds float64, readings int) {
	var first, last time.Time
	for _, c := range view.Rows[recording.CPUSample](v) {
		switch {
		case first.IsZero():
			first, last, readings = c.At, c.At, 1
		case c.At.Sub(last) >= time.Second/4: // those of all CPUs are read together
			last = c.At
			readings++
		}
	}
	return last.Sub(first).Seconds(), readings
}
