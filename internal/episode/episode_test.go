package episode

import (
	"fmt"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

var noon = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func finding(id, name string, c rule.Confidence, share float64) verdict.Finding {
	return verdict.Finding{Key: view.Key{Kind: view.KindProcess, Name: name}, Finding: rule.Finding{Rule: id, Subject: view.Entity{Kind: view.KindProcess, Name: name}, Confidence: c, Impact: rule.Impact{Share: share}}}
}

func TestEpisodes(t *testing.T) {
	w := Windows{Every: time.Minute}
	for _, x := range []struct {
		minute int
		f      verdict.Finding
	}{
		{0, finding("cpu/saturated", "java", rule.Likely, .2)},
		{1, finding("cpu/saturated", "java", rule.Certain, .1)},
		{1, finding("disk/full", "/var", rule.Certain, .3)},
		{2, finding("cpu/saturated", "mysqld", rule.Likely, .2)}, // another one
		{3, finding("cpu/saturated", "java", rule.Likely, .9)},   // a minute was left out
		{6, finding("cpu/saturated", "java", rule.Likely, .3)},   // three were: another episode
	} {
		from := noon.Add(time.Duration(x.minute) * time.Minute)
		w.take(part{from: from, to: from.Add(time.Minute), begin: from, end: from.Add(time.Minute), findings: []verdict.Finding{x.f}})
	}
	var got []string
	for _, e := range w.Episodes() {
		got = append(got, fmt.Sprintf("%s-%s %s %s %v %v", e.From.Format("04"), e.To.Format("04"), e.Finding.Rule, e.Finding.Subject.Name, e.Finding.Confidence, e.Finding.Impact.Share))
	}
	want := []string{"00-04 cpu/saturated java certain 0.1", "01-02 disk/full /var certain 0.3", "02-03 cpu/saturated mysqld likely 0.2", "06-07 cpu/saturated java likely 0.3"}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if e := w.Episodes()[Heaviest(w.Episodes())]; e.Finding.Rule != "disk/full" || !e.Worst.From.Equal(noon.Add(time.Minute)) || Heaviest(nil) != -1 {
		t.Errorf("the heaviest is %+v", e)
	}
	if e := w.Episodes()[0]; !e.Worst.From.Equal(noon.Add(time.Minute)) || !e.Worst.To.Equal(noon.Add(2*time.Minute)) {
		t.Errorf("that of java cost most at %v", e.Worst)
	}
	if worst := Worst(w.Episodes(), 2); len(worst) != 2 || worst[0].Finding.Subject.Name != "java" || worst[1].Finding.Subject.Name != "/var" {
		t.Errorf("the worst two are %v", worst)
	}
}

// What is possible at most is no fault, and is not lost: what would cost most comes first, once, and not
// what is surer in another window.
func TestHints(t *testing.T) {
	w := Windows{Every: time.Minute}
	for minute, list := range [][]verdict.Finding{
		{finding("net/packet-loss", "eth0", rule.Possible, .1), finding("disk/saturated", "sda", rule.Possible, .2)},
		{finding("net/packet-loss", "eth0", rule.Possible, .4), finding("cpu/saturated", "java", rule.Possible, .9)},
		{finding("net/packet-loss", "eth0", rule.Possible, .3)},
	} {
		p := part{from: noon.Add(time.Duration(minute) * time.Minute), hints: list}
		p.to, p.begin, p.end = p.from.Add(time.Minute), p.from, p.from.Add(10*time.Second)
		if minute == 2 {
			p.findings = append(p.findings, finding("cpu/saturated", "java", rule.Likely, .2))
		}
		w.take(p)
	}
	var got []string
	for _, h := range w.Hints() {
		got = append(got, fmt.Sprintf("%s %v %s-%s", h.Finding.Rule, h.Finding.Impact.Share, h.Worst.From.Format("04:05"), h.Worst.To.Format("04:05")))
	}
	if want := []string{"net/packet-loss 0.4 01:00-01:10", "disk/saturated 0.2 00:00-00:10"}; fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
	if n := len(w.Episodes()); n != 1 {
		t.Errorf("%d episodes, want one", n)
	}
}

// A PID that is used again is another process, and CPU time adds up over windows.
func TestTop(t *testing.T) {
	rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}})
	for i := range 40 {
		at := noon.Add(time.Duration(i) * time.Second)
		w := recording.NewWriter(at)
		recording.Append(w, recording.SystemSample{At: at})
		a := recording.ProcessSample{At: at, PID: 7, Started: noon.Add(-time.Hour), Comm: "first", User: time.Duration(i) * time.Second / 2, RSS: int64(i) << 20, Full: true}
		if i >= 20 {
			a.Started, a.Comm, a.User = noon.Add(20*time.Second), "second", time.Duration(i-20)*time.Second/4
		}
		recording.Append(w, a)
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
	}
	w := Windows{Every: 10 * time.Second}
	for i := range 4 {
		from := noon.Add(time.Duration(i) * 10 * time.Second)
		w.Add(from, from.Add(10*time.Second), view.New(rec, from, from.Add(10*time.Second)), nil)
	}
	top := w.Top(5)
	if len(top) != 2 || top[0].Name != "first" || top[1].Name != "second" {
		t.Fatalf("top processes: %+v", top)
	}
	if c := top[0].CPUSeconds; c < 9 || c > 10.5 {
		t.Errorf("the first used %v s, want about 9.5", c)
	}
	if top[0].MostCPU < .45 || top[0].MostCPU > .6 || top[1].MostRSS != 39<<20 {
		t.Errorf("%+v", top)
	}
}
