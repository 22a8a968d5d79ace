package verdict

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/recording"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// What lies between samples that are far apart is said: how long, since when, and whether the
// host ran meanwhile. Pauses that are usual, and those of one probe, are none of it.
func TestGaps(t *testing.T) {
	const silent = -1 // no CPU times
	// each lists seconds from one to another.
	each := func(from, to, step int) (list []int) {
		for s := from; s <= to; s += step {
			list = append(list, s)
		}
		return list
	}
	around := append(each(0, 10, 1), each(460, 470, 1)...)
	moment := func(s int) string {
		return " from " + unit.Moment(t0.Add(time.Duration(s)*time.Second)).String() + " on"
	}
	for _, c := range []struct {
		name     string
		interval time.Duration
		host     []int   // seconds of its samples
		other    []int   // the same of another probe
		ran      float64 // of each gap of the host's samples, as its CPUs count; or silent
		what     []string
		why      string // of the first
	}{
		{"none", time.Second, each(0, 60, 1), nil, 1, nil, ""},
		{"read each four seconds", time.Second, each(0, 60, 4), nil, 1, nil, ""},
		{"a long interval", time.Minute, each(0, 600, 60), nil, 1, nil, ""},
		{"one that is not known", 0, around, nil, silent, []string{"7 min 30 s" + moment(10)}, "the host was suspended, rtrail was stopped, or the clock"},
		{"suspended", time.Second, around, nil, 0, []string{"7 min 30 s" + moment(10)}, "the CPUs counted 0 % of it: the host was suspended"},
		{"stopped", time.Second, around, each(0, 10, 1), 1, []string{"7 min 30 s" + moment(10)}, "the host ran on: rtrail was stopped"},
		{"stopped, a long interval", time.Minute, append(each(0, 120, 60), each(900, 960, 60)...), nil, 1, []string{"13 min" + moment(120)}, "the host ran on"},
		{"of one probe", time.Second, around, each(0, 470, 1), 1, nil, ""},
		{"another one reads seldom", time.Second, each(0, 60, 1), each(0, 120, 60), 1, nil, ""},
		{"several", time.Second, []int{0, 1, 21, 22, 72, 73, 83, 84, 114, 115, 123, 124}, nil, 1,
			[]string{"50 s" + moment(22), "30 s" + moment(84), "20 s" + moment(1), "2 shorter stretches"}, "the host ran on"},
	} {
		t.Run(c.name, func(t *testing.T) {
			rec := recording.New(recording.Manifest{Host: recording.Host{CPUs: 2}, Probes: []recording.ProbeInfo{
				{Name: "other", Fills: []recording.Table{recording.Disks}, Interval: time.Minute},
				{Name: "host", Fills: []recording.Table{recording.CPUs, recording.System}, Interval: c.interval}}})
			w := recording.NewWriter(t0)
			var counted time.Duration // by both CPUs
			for i, s := range c.host {
				at := t0.Add(time.Duration(s) * time.Second)
				recording.Append(w, recording.ProbeRun{At: at, Probe: "host", Rows: 1})
				if i > 0 {
					passed := time.Duration(s-c.host[i-1]) * time.Second
					if passed > c.interval {
						passed = time.Duration(c.ran * float64(passed))
					}
					counted += 2 * passed
				}
				if c.ran != silent {
					recording.Append(w, recording.CPUSample{At: at.Add(time.Millisecond), CPU: -1, User: counted / 4, Idle: counted - counted/4})
				}
			}
			for _, s := range c.other {
				recording.Append(w, recording.ProbeRun{At: t0.Add(time.Duration(s)*time.Second + 3*time.Millisecond), Probe: "other"})
			}
			if err := rec.Commit(w); err != nil {
				t.Fatal(err)
			}
			list := Judge(view.New(rec, t0, t0.Add(time.Hour)), nil).Unseen
			var what []string
			for _, u := range list {
				what = append(what, u.What)
				if u.Probe != "host" || u.Count != 1 || u.Why == "" {
					t.Errorf("%+v", u)
				}
			}
			if diff := cmp.Diff(c.what, what); diff != "" {
				t.Fatalf("gaps (-want +got):\n%s", diff)
			}
			if len(list) > 0 && !strings.Contains(list[0].Why, c.why) {
				t.Errorf("why: %s; want %q", list[0].Why, c.why)
			}
		})
	}
}
