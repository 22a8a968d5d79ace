package rule

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// caller is the connects of one process to what is asked for.
type caller struct {
	pid     int32
	started time.Time
	process string
	to      string // of those that took longest
	done    int64
	time    time.Duration // of all
	longest time.Duration // of those that were answered
	steps   view.Steps    // of those that were answered
	failed  map[string]int64
}

// WhoConnects says which processes made the connects that are wanted, how long these
// took and how they ended: those with most time first, two at most; none unless the
// kernel told (--events all).
func WhoConnects(v *view.View, wanted func(*view.Connects) bool) []Evidence {
	var callers []*caller
	all := v.Connects()
	for i := range all {
		c := &all[i]
		if c.Result == recording.ConnectAccepted || !wanted(c) {
			continue
		}
		at := slices.IndexFunc(callers, func(p *caller) bool { return p.pid == c.PID && p.started.Equal(c.Started) && p.process == c.Process })
		if at < 0 {
			at = len(callers)
			callers = append(callers, &caller{pid: c.PID, started: c.Started, process: c.Process, to: destinationOf(c), failed: map[string]int64{}})
		}
		callers[at].add(c)
	}
	slices.SortStableFunc(callers, func(a, b *caller) int { return cmp.Compare(b.time, a.time) })
	const most = 2
	var list []Evidence
	for _, p := range callers[:min(most, len(callers))] {
		list = append(list, Evidence{Metric: metric.TCPConnects, What: p.words(), Value: float64(p.done), Check: shell.Line("rtrail trace connects --for 10s")})
	}
	return list
}

func (p *caller) add(c *view.Connects) {
	p.time += c.Time
	if c.Result != recording.ConnectOK {
		p.failed[c.Result] += c.Count
		return
	}
	p.done += c.Count
	p.longest = max(p.longest, c.Longest)
	p.steps = p.steps.Plus(c.Steps)
}

func (p *caller) words() Text {
	var parts []string
	if p.done > 0 {
		parts = append(parts, fmt.Sprintf("connected %s times, half of them within %s, 99 %% within %s, the longest took %s", unit.Count(float64(p.done)),
			unit.Duration(min(p.steps.AtMost(0.5), p.longest)), unit.Duration(min(p.steps.AtMost(0.99), p.longest)), unit.Duration(p.longest)))
	}
	for _, result := range slices.Sorted(maps.Keys(p.failed)) {
		n := unit.Count(float64(p.failed[result]))
		switch result {
		case recording.ConnectAbandoned:
			parts = append(parts, fmt.Sprintf("gave up %s times without an answer", n))
		case recording.ConnectNotSent:
			parts = append(parts, fmt.Sprintf("found no local port %s times", n))
		default:
			parts = append(parts, fmt.Sprintf("failed %s times with %s", n, result))
		}
	}
	return T("%s (%d) to %s: %s", p.process, p.pid, p.to, strings.Join(parts, "; "))
}

func destinationOf(c *view.Connects) string {
	switch {
	case c.Remote == "":
		return fmt.Sprintf("port %d", c.RemotePort)
	case strings.Contains(c.Remote, ":"):
		return fmt.Sprintf("[%s]:%d", c.Remote, c.RemotePort)
	}
	return fmt.Sprintf("%s:%d", c.Remote, c.RemotePort)
}
