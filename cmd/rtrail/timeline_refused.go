package main

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"rtrail/internal/episode"
	"rtrail/internal/recording"
	"rtrail/internal/session"
	"rtrail/internal/timeline"
	"rtrail/internal/unit"
)

const (
	// refusedPatience bounds how long counters of refused work are read if all is bounded. A host with many network
	// namespaces has millions of rows of them.
	refusedPatience = 2 * time.Second
	// refusedSpan is of how much time they are read at once: a row each step of a window takes little memory.
	refusedSpan = 4 * time.Hour
	// refusedSteps is in how many steps of a window they are compared.
	refusedSteps = 4
)

// refusals finds when work was refused between two times of a piece of a recording, in most windows as exactly as
// they are judged. lines say where there are rows. notes are those of what was read, and say for what there was no time:
// the patience is used up, which counts if that of the survey does.
func refusals(ctx context.Context, src *session.Store, p recording.Piece, from, to time.Time, lines []timeline.Line, s *episode.Survey, patience time.Duration) (list []episode.Refusal, notes []string, err error) {
	if s.Part >= s.Every { // all is judged
		return nil, nil, nil
	}
	bounded := ctx
	if s.Patience > 0 {
		var cancel context.CancelFunc
		bounded, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	read := func(begin, end time.Time, step time.Duration) ([]episode.Refusal, error) {
		rec, err := src.OpenThinned(bounded, p.Number, begin, end, step, episode.RefusalTables...)
		if err != nil {
			return nil, err
		}
		notes = append(notes, rec.Manifest().Notes...)
		return episode.Refusals(rec, step), nil
	}
	late := func() bool { return bounded.Err() != nil && ctx.Err() == nil }
	step := max(s.Every/refusedSteps, s.Part)
	for i := 0; i < len(lines); {
		begin, until := lines[i].At, lines[i].At.Add(refusedSpan)
		if src.Imported() { // it is in memory
			until = to
		}
		found, err := read(begin, earlier(until.Add(step), to), step)
		switch {
		case late():
			notes = append(notes, fmt.Sprintf("counters of refused work were read up to %v only, for lack of time: faults later on that keep nothing busy are missed more easily", unit.Moment(begin)))
			return list, notes, nil
		case err != nil:
			return nil, nil, err
		}
		list = append(list, found...)
		for i++; i < len(lines) && lines[i].At.Before(until); i++ {
		}
	}
	if step == s.Part || src.Imported() {
		return list, notes, nil
	}
	for _, i := range worstOfWindows(list, from, s.Every) {
		r := &list[i]
		found, err := read(r.From, r.To.Add(s.Part), s.Part)
		if late() {
			break
		}
		if err != nil {
			return nil, nil, err
		}
		found = slices.DeleteFunc(found, func(f episode.Refusal) bool { return f.From.Before(r.From) || f.To.After(r.To) })
		if len(found) > 0 {
			worst := slices.MaxFunc(found, func(a, b episode.Refusal) int { return cmp.Compare(a.Rate, b.Rate) })
			r.From, r.To = worst.From, worst.To
		}
	}
	return list, notes, nil
}

// worstOfWindows are the places of the refusals with the highest rate of each window, the highest first. Windows
// begin at a time, one each so much time.
func worstOfWindows(list []episode.Refusal, from time.Time, every time.Duration) []int {
	worst := map[int64]int{}
	for i, r := range list {
		n := int64(r.From.Sub(from) / every)
		if j, known := worst[n]; !known || r.Rate > list[j].Rate {
			worst[n] = i
		}
	}
	return slices.SortedFunc(maps.Values(worst), func(a, b int) int { return cmp.Or(cmp.Compare(list[b].Rate, list[a].Rate), cmp.Compare(a, b)) })
}
