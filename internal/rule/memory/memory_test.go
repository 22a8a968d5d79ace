package memory

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

const mib, gib = 1 << 20, 1 << 30

type situation struct {
	name      string
	host      func() *ruletest.Host
	want      rule.Confidence // 0: no finding
	kind      string
	subject   string
	low, high float64 // bounds of the impact
	says      string  // part of the headline
}

func check(t *testing.T, r rule.Rule, list []situation) {
	t.Helper()
	for _, s := range list {
		t.Run(s.name, func(t *testing.T) {
			found := s.host().Detect(t, r)
			if s.want == 0 {
				for _, f := range found {
					t.Errorf("found %s: %s", f.Confidence, f.Headline)
				}
				return
			}
			if len(found) != 1 {
				t.Fatalf("%d findings, want 1: %+v", len(found), found)
			}
			f := found[0]
			ruletest.Checked(t, f)
			if f.Confidence != s.want || f.Subject.Kind != s.kind || f.Subject.Name != s.subject {
				t.Errorf("%s about %s %q, want %s about %s %q", f.Confidence, f.Subject.Kind, f.Subject.Name, s.want, s.kind, s.subject)
			}
			if w := max(f.Impact.TimeLost, f.Impact.Share); w < s.low || w > s.high {
				t.Errorf("impact %.4f, want %.4f to %.4f", w, s.low, s.high)
			}
			if !strings.Contains(f.Headline.String(), s.says) {
				t.Errorf("headline %q lacks %q", f.Headline, s.says)
			}
		})
	}
}

func TestSwapping(t *testing.T) {
	hog := ruletest.Process{PID: 9, Comm: "java", CPU: 0.5, RSS: 900 * mib, Anon: 890 * mib, SwapUsed: 600 * mib, Major: 900, MemCgroup: "/app"}
	victim := ruletest.Process{PID: 10, Comm: "mysqld", CPU: 0.1, RSS: 300 * mib, Anon: 290 * mib, Major: 40}
	thrash := ruletest.VMStat{SwapIn: 5000, SwapOut: 5200, MajorFaults: 1000, Faults: 20000}
	host := func(m ruletest.VMStat, stalled float64) *ruletest.Host {
		h := ruletest.New(2, 10).VMStat(m).Memory(2*gib, 50*mib, 0).Swap("/dev/zram0", 2*gib, gib, 0).Process(hog).Process(victim)
		if stalled >= 0 {
			h.Pressure("memory", stalled, stalled/2)
		}
		return h
	}
	check(t, swapping, []situation{
		{name: "working set does not fit", host: func() *ruletest.Host { return host(thrash, 0.4) },
			want: rule.Certain, kind: rule.KindProcess, subject: "java", low: 0.39, high: 0.41, says: "the host is short of memory: 20.3 MiB/s go to swap"},
		{name: "in its group only", host: func() *ruletest.Host {
			return host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: 600 * mib, EventsMax: 50})
		}, want: rule.Certain, kind: rule.KindProcess, subject: "java", low: 0.19, high: 0.21, says: "/app, limited to 1 GiB, is short of memory"},
		{name: "a group full of file cache is not the one that is short", host: func() *ruletest.Host {
			h := host(thrash, 0.2).Cgroup(ruletest.Cgroup{Path: "/copy", Memory: 1000 * mib, MemoryMax: gib, SwapUsed: mib,
				Change: func(_ float64, r *recording.CgroupSample) { r.Anon = 10 * mib }})
			return h.Process(ruletest.Process{Comm: "cp", Anon: mib, MemCgroup: "/copy"})
		}, want: rule.Certain, kind: rule.KindProcess, subject: "java", low: 0.19, high: 0.21, says: "the host is short"},
		{name: "coming home after a shortage", host: func() *ruletest.Host {
			return host(ruletest.VMStat{SwapIn: 800, MajorFaults: 300}, 0.02)
		}, want: rule.Possible, kind: rule.KindProcess, subject: "java", low: 0.01, high: 0.1},
		{name: "cold memory lies in swap", host: func() *ruletest.Host { return host(ruletest.VMStat{SwapIn: 1}, 0) }},
		{name: "a trickle of cold pages out", host: func() *ruletest.Host { return host(ruletest.VMStat{SwapOut: 40}, 0) }},
		{name: "compressed swap that nobody feels", host: func() *ruletest.Host { return host(ruletest.VMStat{SwapIn: 200, SwapOut: 200}, 0.002) },
			want: rule.Possible, kind: rule.KindProcess, subject: "java", low: 0.001, high: 0.01},
	})
}

func TestSwappingWithoutPressureOrDelays(t *testing.T) {
	h := ruletest.New(4, 5).VMStat(ruletest.VMStat{SwapIn: 5000, SwapOut: 5000}).Memory(2*gib, 50*mib, 0)
	h.Process(ruletest.Process{Comm: "java", Anon: gib, Change: func(_ float64, r *recording.ProcessSample) { r.SwapDelay = recording.Unknown }})
	f := h.Detect(t, swapping)[0]
	ruletest.Checked(t, f)
	if f.Confidence != rule.Likely {
		t.Errorf("%s, want likely: nobody measured the waiting", f.Confidence)
	}
	ruletest.New(2, 0).VMStat(ruletest.VMStat{}).Abstains(t, swapping)
}

func TestLeak(t *testing.T) {
	host := func(seconds float64, p ruletest.Process, available int64) *ruletest.Host {
		p.PID, p.Comm, p.CPU = 33, "app", 0.01
		return ruletest.New(2, seconds).Memory(8*gib, available, -p.AnonGrowth).Process(p).
			Process(ruletest.Process{PID: 34, Comm: "noise", Anon: 100 * mib, Change: func(s float64, r *recording.ProcessSample) {
				r.Anon += int64(s) % 3 * 5 * mib
			}})
	}
	leaky := func(perSecond float64) ruletest.Process {
		return ruletest.Process{Anon: 50 * mib, AnonGrowth: perSecond, MemCgroup: "/app"}
	}
	check(t, leak, []situation{
		{name: "8 KB/s beside noise", host: func() *ruletest.Host { return host(10, leaky(8192), 6*gib) },
			want: rule.Possible, kind: rule.KindProcess, subject: "app", low: 0.0009, high: 0.01, says: "app (33) takes 8 KiB more memory every second"},
		{name: "8 KB/s in five seconds", host: func() *ruletest.Host { return host(5, leaky(8192), 6*gib) },
			want: rule.Possible, kind: rule.KindProcess, subject: "app", low: 0.0009, high: 0.01},
		{name: "8 KB/s below 4 MiB that come and go", host: func() *ruletest.Host {
			p := leaky(8192)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if n := int(s); n == 3 || n == 4 || n == 9 || n == 16 {
					r.Anon += 4 * mib
				}
			}
			return host(20, p, 6*gib)
		}, want: rule.Possible, kind: rule.KindProcess, subject: "app", low: 0.0009, high: 0.01, says: "8 KiB more"},
		{name: "4 MiB that come and go, no leak", host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if n := int(s); n == 3 || n == 4 || n == 9 || n == 16 {
					r.Anon += 4 * mib
				}
			}
			return host(20, p, 6*gib)
		}},
		{name: "5 MB/s with room for hours", host: func() *ruletest.Host { return host(10, leaky(5*mib), 40*gib) },
			want: rule.Possible, kind: rule.KindProcess, subject: "app", low: 0.001, high: 0.01},
		{name: "5 MB/s into a limit", host: func() *ruletest.Host {
			return host(10, leaky(5*mib), 40*gib).Cgroup(ruletest.Cgroup{Path: "/app", Memory: 100 * mib, MemoryMax: 400 * mib})
		}, want: rule.Likely, kind: rule.KindProcess, subject: "app", low: 0.1, high: 0.3},
		{name: "host full in a minute", host: func() *ruletest.Host { return host(10, leaky(50*mib), 3*gib) },
			want: rule.Likely, kind: rule.KindProcess, subject: "app", low: 0.1, high: 0.3},
		{name: "a young process warms up", host: func() *ruletest.Host {
			p := leaky(50 * mib)
			p.Started = ruletest.Start.Add(-5 * time.Second)
			return host(10, p, 3*gib)
		}, want: rule.Possible, kind: rule.KindProcess, subject: "app", low: 0.01, high: 0.3},
		{name: "a quarter of an hour without a pause", host: func() *ruletest.Host { return host(900, leaky(8192), 40*gib) },
			want: rule.Likely, kind: rule.KindProcess, subject: "app", low: 0.0001, high: 0.01},
		{name: "swapped out while it grows", host: func() *ruletest.Host {
			p := leaky(0)
			p.AnonGrowth, p.SwapGrowth = -mib, 2*mib
			return host(10, p, 40*gib)
		}, want: rule.Possible, kind: rule.KindProcess, subject: "app", low: 0.0001, high: 0.01},
		{name: "one large allocation", host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if s >= 4 {
					r.Anon += 500 * mib
				}
			}
			return host(10, p, 6*gib)
		}},
		{name: "sawtooth of a garbage collector", host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) { r.Anon += int64(s) % 4 * 20 * mib }
			return host(10, p, 6*gib)
		}},
		{name: "file pages grow, not its own", host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) { r.RSS += int64(s) * 10 * mib }
			return host(10, p, 6*gib)
		}},
		{name: "counter moves in batches of 64 pages", host: func() *ruletest.Host {
			p := leaky(0)
			p.Change = func(s float64, r *recording.ProcessSample) {
				if s >= 7 {
					r.Anon += 64 * 4096
				}
			}
			return host(10, p, 6*gib)
		}},
	})
	host(3, leaky(8192), gib).Abstains(t, leak)
}
