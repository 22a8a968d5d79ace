package main

import (
	"slices"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/document"
	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/session"
	"rtrail/internal/traffic"
	"rtrail/internal/traffic/picture"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// maxBeside bounds the services of which charts stand beside a finding.
const maxBeside = 2

// pageTraffic is what packets show on a page: charts of services, also beside findings about
// them.
type pageTraffic struct {
	*picture.Picture
	read     bool // as packets were read, not from tables
	findings []trafficFinding
}

type trafficFinding struct {
	*rule.Finding
	number int
}

// trafficOf begins with what was seen as packets of a time were read, or with nothing.
func trafficOf(drawn *picture.Picture, from, to time.Time) *pageTraffic {
	if drawn == nil {
		return &pageTraffic{Picture: &picture.Picture{}}
	}
	drawn.Cover = &traffic.Cover{}
	drawn.Cover.Reach(from.UnixNano())
	drawn.Cover.Reach(to.UnixNano())
	return &pageTraffic{Picture: drawn, read: true}
}

// finding notes one that charts may stand beside.
func (t *pageTraffic) finding(number int, f *rule.Finding) {
	t.findings = append(t.findings, trafficFinding{f, number})
}

// add takes what tables hold, if nothing was seen before.
func (t *pageTraffic) add(rec *recording.Recording) {
	if !t.read {
		t.Rows(rec, time.Time{}, time.Time{})
	}
}

// draw adds the charts to those of a page, and says what they show.
func (t *pageTraffic) draw(set *chart.Set) (notes []document.Block) {
	drawn, told := t.Draw(set)
	for _, f := range t.findings {
		beside, band := 0, slices.IndexFunc(set.Bands, func(b chart.Band) bool { return b.Finding == f.number })
		for _, d := range drawn {
			if beside >= maxBeside || !concerns(f.Finding, d.Service) {
				continue
			}
			beside++
			if d.Times >= 0 {
				set.Findings[f.number] = append(set.Findings[f.number], chart.Cite{Chart: d.Times, Limit: timeLimit(f.Finding), Band: band})
			}
			if d.Rates >= 0 {
				set.Findings[f.number] = append(set.Findings[f.number], chart.Cite{Chart: d.Rates, Band: band})
			}
		}
	}
	if told != "" {
		notes = append(notes, document.Prose{Label: "NOTE", Words: told})
	}
	return notes
}

// concerns says whether a finding is about a service, or about somebody who has to do with it.
func concerns(f *rule.Finding, s picture.Service) bool {
	is := func(e view.Entity) bool {
		if e.Kind == view.KindPeer {
			return s.Server != "" && e.Name == s.Server
		}
		return e.Port == s.Port && (s.Server == "" || e.Address == "" || e.Address == s.Server)
	}
	return is(f.Subject) || slices.ContainsFunc(f.Affects, is)
}

// timeLimit is what response times are compared with, if they are.
func timeLimit(f *rule.Finding) *float64 {
	for _, e := range f.Evidence {
		if (e.Metric == metric.RTBackend || e.Metric == metric.RTQuantiles) && e.Limit != nil && view.Known(*e.Limit) {
			return e.Limit
		}
	}
	return nil
}

// partsOf are the times in which findings of a capture were there, of those whose evidence tells that it
// was a part of the capture. The others were there all the time, or it is not known when.
func partsOf(e *session.Evidence, v verdict.Verdict) []chart.Band {
	judged := recording.Window{From: v.Window.Start, To: v.Window.End}
	if !judged.To.After(judged.From) {
		return nil
	}
	draft := chart.NewDraft(judged.From, judged.To)
	for i, f := range v.Findings {
		draft.Judged(i+1, f, -1, judged)
	}
	draft.Add(e.View())
	set := draft.Set()
	return slices.DeleteFunc(set.Bands, func(b chart.Band) bool { return b.From <= set.From && b.To >= set.To })
}
