package cpu

import (
	"testing"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestSpinning(t *testing.T) {
	type spins struct {
		threads       int
		cpu, runDelay float64 // of each
		share         float64
		waits         bool // the code is that of a loop that waits
	}
	usual := spins{threads: 4, cpu: 0.45, runDelay: 0.5, share: 0.95, waits: true}
	situation := func(name string, want rule.Confidence, change func(*spins)) ruletest.Situation {
		s := usual
		change(&s)
		return ruletest.Situation{Name: name, Want: want, Kind: view.KindProcess, Subject: "counter", Low: 0.2, High: 1, Says: "spin in find_word (words.c:31)", Proof: "waits without sleeping",
			Host: func() *ruletest.Host {
				h := ruletest.New(2, 10).AllCPUs(ruletest.CPU{User: 0.95})
				p := ruletest.Process{PID: 70, Comm: "counter", CPU: s.cpu * float64(s.threads), Threads: int32(s.threads)}
				for i := range s.threads {
					h.Thread(ruletest.Thread{PID: 70, TID: int32(70 + i), Comm: "counter", State: "R", CPU: s.cpu, RunDelay: s.runDelay})
				}
				return profiled(h, p, s.share, func(r *recording.OnCPUSample) { r.Spins = s.waits })
			}}
	}
	ruletest.Check(t, spinning, []ruletest.Situation{
		situation("more threads than CPUs", rule.Likely, func(*spins) {}),
		situation("CPUs are left", rule.Possible, func(s *spins) { s.threads, s.cpu, s.runDelay = 2, 0.98, 0.01 }),
		situation("the loop works", 0, func(s *spins) { s.waits = false }),
		situation("half of the time is work", 0, func(s *spins) { s.share = 0.5 }),
		situation("one thread polls", 0, func(s *spins) { s.threads, s.cpu, s.runDelay = 1, 1, 0 }),
		situation("they mostly sleep", 0, func(s *spins) { s.cpu, s.runDelay = 0.2, 0.1 }),
		situation("hardly any CPU time", 0, func(s *spins) { s.cpu, s.runDelay = 0.1, 0.85 }),
	})
}
