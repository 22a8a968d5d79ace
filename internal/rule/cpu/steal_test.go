package cpu

import (
	"math"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestSteal(t *testing.T) {
	with := func(c ruletest.CPU) func() *ruletest.Host {
		return func() *ruletest.Host { return ruletest.New(2, 10).AllCPUs(c) }
	}
	ruletest.Check(t, steal, []ruletest.Situation{
		{Name: "a quarter of the time", Host: with(ruletest.CPU{User: 0.4, System: 0.05, Steal: 0.25}), Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.45, High: 0.55},
		{Name: "much, beside programs that want little", Host: with(ruletest.CPU{User: 0.06, Steal: 0.06}), Want: rule.Possible, Kind: view.KindHost, Subject: "db1", Low: 0.1, High: 0.14},
		{Name: "a tenth beside full CPUs", Host: with(ruletest.CPU{User: 0.9, Steal: 0.1}), Want: rule.Possible, Kind: view.KindHost, Subject: "db1", Low: 0.19, High: 0.21},
		{Name: "as on quiet shared hardware", Host: with(ruletest.CPU{User: 0.5, Steal: 0.02})},
		{Name: "one hiccup in a short window", Host: func() *ruletest.Host { return ruletest.New(2, 1).AllCPUs(ruletest.CPU{User: 0.5, Steal: 0.1}) }},
		{Name: "none", Host: with(ruletest.CPU{User: 1})},
	})
}

// Reports with sums alone do not tell how many CPUs lost that time.
func TestStealOfUnknownCPUs(t *testing.T) {
	for _, tt := range []struct {
		cpus        int // 0: nobody told
		lost, share float64
		words       string
	}{
		{0, 0, 0.3, "30 % of all CPU time lost: what takes 100 ms takes 160 ms"},
		{8, 2.4, 0, "2.4 s of CPU time lost per second: what takes 100 ms takes 160 ms"},
	} {
		h := ruletest.Every(ruletest.New(tt.cpus, 10), func(at time.Time, s float64) recording.CPUSample {
			d := func(share float64) time.Duration { return time.Duration(share * s * float64(time.Second)) }
			return recording.CPUSample{At: at, CPU: -1, User: d(0.5), Steal: d(0.3), Idle: d(0.2)}
		})
		i := ruletest.Judge(t, h, steal, rule.Certain)[0].Impact
		if math.Abs(i.TimeLost-tt.lost) > 0.01 || math.Abs(i.Share-tt.share) > 0.01 || i.Text.String() != tt.words {
			t.Errorf("%d CPUs: %v s, %v: %s; want %v s, %v: %s", tt.cpus, i.TimeLost, i.Share, i.Text, tt.lost, tt.share, tt.words)
		}
	}
}

// One CPU of many that loses much matters to what runs there, whatever the mean is.
func TestStealOfOneCPU(t *testing.T) {
	host := func(hit ruletest.CPU) *ruletest.Host {
		return ruletest.New(16, 10).CPUs(append([]ruletest.CPU{{User: 0.3}, {User: 0.3}, {User: 0.3}, hit}, make([]ruletest.CPU, 12)...)...)
	}
	// bound adds a thread of nginx to a host that was on one CPU in all of so many samples, and then on another.
	bound := func(h *ruletest.Host, samples int, cores float64) *ruletest.Host {
		h.Process(ruletest.Process{PID: 80, Comm: "nginx", CPU: cores})
		n := 0
		return ruletest.Every(h, func(at time.Time, s float64) recording.ThreadSample {
			row := recording.ThreadSample{At: at, PID: 80, TID: 80, Comm: "nginx", State: "R", CPUTime: time.Duration(cores * s * float64(time.Second)), Syscall: -1, Processor: 3}
			if n++; n > samples {
				row.Processor = 7
			}
			return row
		})
	}
	hit := ruletest.CPU{User: 0.45, System: 0.05, Steal: 0.4}
	ruletest.Check(t, steal, []ruletest.Situation{
		{Name: "a thread stays there", Host: func() *ruletest.Host { return bound(host(hit), 11, 0.5) }, Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41,
			Says: "took 44 % of the time that programs were due on CPU 3, where nginx (80) runs all the time", Proof: "was on CPU 3 in all 11 samples"},
		{Name: "the thread also runs elsewhere", Host: func() *ruletest.Host { return bound(host(hit), 8, 0.5) }, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41},
		{Name: "the thread does next to nothing", Host: func() *ruletest.Host { return bound(host(hit), 11, 0.02) }, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41},
		{Name: "it serves the interrupts", Host: func() *ruletest.Host { return host(ruletest.CPU{User: 0.1, SoftIRQ: 0.3, Steal: 0.3}) }, Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 0.29, High: 0.31,
			Says: "which serves most interrupts"},
		{Name: "it has work of any kind", Host: func() *ruletest.Host { return host(hit) }, Want: rule.Likely, Kind: view.KindHost, Subject: "db1", Low: 0.39, High: 0.41},
		{Name: "a tenth of one CPU", Host: func() *ruletest.Host { return bound(host(ruletest.CPU{User: 0.5, Steal: 0.1}), 11, 0.5) }},
		{Name: "one hiccup in a short window", Host: func() *ruletest.Host {
			return ruletest.New(2, 1).CPUs(ruletest.CPU{User: 0.5, Steal: 0.2}, ruletest.CPU{})
		}},
		{Name: "all CPUs alike", Host: func() *ruletest.Host { return ruletest.New(16, 10).AllCPUs(hit) }, Want: rule.Certain, Kind: view.KindHost, Subject: "db1", Low: 6.3, High: 6.5, Says: "of the CPU time that programs here were due"},
	})
}

// A host whose CPUs are full because half of their time is stolen has one fault.
func TestStealExplainsFullCPUs(t *testing.T) {
	for stolen, all := range map[float64]bool{0.6: true, 0.3: false} {
		f := ruletest.Judge(t, ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 1 - stolen, Steal: stolen}), steal, rule.Certain)[0]
		if f.AffectsAll != all {
			t.Errorf("%v stolen: explains everything: %v", stolen, f.AffectsAll)
		}
	}
}
