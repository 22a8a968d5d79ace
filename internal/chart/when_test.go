package chart

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// overflowing is a host whose accept queue overflows, and whose disk is full of work, in seconds 20 to 40 of 60.
func overflowing(t *testing.T) *recording.Recording {
	t.Helper()
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
	for i := range 61 {
		w := recording.NewWriter(at(i))
		n := min(max(i-20, 0), 20)
		recording.Append(w, recording.ProtocolSample{At: at(i), NetNS: 1, Protocol: "TcpExt", Name: "ListenOverflows", Value: int64(30 * n)})
		recording.Append(w, recording.DiskSample{At: at(i), Device: "vda", Busy: time.Duration(i)*100*time.Millisecond + time.Duration(n)*800*time.Millisecond})
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	return rec
}

func TestBandIsWhereEvidenceIsBeyondItsLimit(t *testing.T) {
	v := view.New(overflowing(t), at(0), at(60))
	all := recording.Window{From: at(0), To: at(60)}
	busy := rule.Evidence{Metric: metric.DiskUtilisation, Value: 0.37, Limit: rule.Limit(0.3)}
	idle := rule.Evidence{Metric: metric.DiskUtilisation, Value: 0.37, Limit: rule.Limit(0.5)}
	over := rule.Evidence{Metric: metric.TCPListenOverflows, Value: 600, Limit: rule.Limit(60)}
	unlimited := rule.Evidence{Metric: metric.TCPListenOverflows, Value: 600}
	stranger := rule.Evidence{Metric: metric.DiskUtilisation, Value: 70, Limit: rule.Limit(0.3)}
	for name, c := range map[string]struct {
		evidence []rule.Evidence
		judged   recording.Window
		from, to int
		limit    float64 // 0: none
	}{
		"a gauge over its limit":              {[]rule.Evidence{busy}, all, 20, 40, 0.3},
		"below its limit":                     {[]rule.Evidence{idle}, all, 0, 60, 0.5},
		"a count, per second":                 {[]rule.Evidence{over}, all, 20, 40, 1},
		"a count that should be 0":            {[]rule.Evidence{unlimited}, all, 20, 40, 0},
		"a number of something else":          {[]rule.Evidence{stranger, over}, all, 20, 40, 0},
		"the time that was judged":            {[]rule.Evidence{busy}, recording.Window{From: at(25), To: at(50)}, 25, 40, 0.3},
		"nothing is drawn":                    {[]rule.Evidence{{Metric: metric.MySQLSpinSettings}}, all, 0, 60, 0},
		"another one that is drawn in place":  {[]rule.Evidence{{Metric: metric.DiskOfBaseline, Value: 0.9, Limit: rule.Limit(0.8)}}, all, 0, 60, 0},
		"all of the time that was judged too": {[]rule.Evidence{busy}, recording.Window{From: at(22), To: at(38)}, 22, 38, 0.3},
	} {
		d := NewDraft(at(0), at(60))
		d.Judged(1, finding(view.Entity{Kind: view.KindDevice, Name: "vda"}, c.evidence...), -1, c.judged)
		d.Add(v)
		s := d.Set()
		if len(s.Bands) != 1 || s.Bands[0].From != seconds(at(c.from)) || s.Bands[0].To != seconds(at(c.to)) || s.Bands[0].Finding != 1 {
			t.Errorf("%s: bands %+v, want %d to %d", name, s.Bands, c.from, c.to)
		}
		if cites := s.Findings[1]; len(cites) > 0 {
			switch got := cites[0].Limit; {
			case c.limit == 0 && got != nil, c.limit != 0 && (got == nil || *got != c.limit), cites[0].Band != 0:
				t.Errorf("%s: cites %+v, want limit %v", name, cites[0], c.limit)
			}
		}
		if said := strings.Join(s.Notes, "\n"); strings.Contains(said, "is not drawn") != (c.evidence[0].Value == 70) {
			t.Errorf("%s: notes %q", name, said)
		}
	}
}

// A time in which nothing was read is no part of a fault.
func TestBandLeavesHolesOut(t *testing.T) {
	for name, c := range map[string]struct {
		busy     func(second int) bool
		read     [][2]int // seconds
		from, to int
	}{
		"before it":      {func(s int) bool { return s >= 50 && s < 55 }, [][2]int{{0, 10}, {50, 60}}, 49, 54},
		"before the end": {func(s int) bool { return s >= 5 }, [][2]int{{0, 20}}, 4, 20},
		"at the begin":   {func(s int) bool { return s < 35 }, [][2]int{{30, 60}}, 29, 34},
		"none":           {func(s int) bool { return s >= 55 }, [][2]int{{0, 60}}, 54, 60},
	} {
		rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
		for _, span := range c.read {
			for i := span[0]; i < span[1]; i++ {
				w := recording.NewWriter(at(i))
				row := recording.SystemSample{At: at(i), Load1: 1}
				if c.busy(i) {
					row.Load1 = 9
				}
				recording.Append(w, row)
				if err := rec.Commit(w); err != nil {
					t.Fatal(err)
				}
			}
		}
		d := NewDraft(at(0), at(60))
		d.Finding(1, finding(view.Entity{Kind: view.KindHost}, rule.Evidence{Metric: metric.SchedLoad, Value: 6, Limit: rule.Limit(5)}), -1)
		d.Add(view.New(rec, at(0), at(60)))
		if b := d.Set().Bands; len(b) != 1 || b[0].From != seconds(at(c.from)) || b[0].To != seconds(at(c.to)) {
			t.Errorf("%s: bands %+v, want %d to %d", name, b, c.from, c.to)
		}
	}
}

// What a page has no room for, it says.
func TestChartsThatAreLeftOutAreTold(t *testing.T) {
	d := NewDraft(at(0), at(60))
	for i := range maxCharts + 5 {
		d.Finding(i+1, finding(view.Entity{Kind: view.KindProcess, PID: int32(100 + i)}, rule.Evidence{Metric: metric.ProcessRss}), -1)
	}
	d.Add(view.New(recorded(t, 61), at(0), at(60)))
	s := d.Set()
	left := 0
	for _, n := range s.Notes {
		if strings.Contains(n, "1 of its charts are left out") {
			left++
		}
	}
	if left != 5+d.host {
		t.Errorf("%d of findings say that they have no chart, want %d: %q", left, 5+d.host, s.Notes)
	}
}
