package rule

import (
	"cmp"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// caller is the connects of one process to one destination.
type caller struct {
	pid     int32
	process string
	to      string
	done    int64
	time    time.Duration // of all
	longest time.Duration // of those that were answered
	steps   view.Steps    // of those that were answered
	failed  map[string]int64
}

// WhoConnects says which processes made the connects that are wanted, to which destination,
// how long these took and how they ended: those with most time first, two at most; none unless the
// kernel told (--events all).
func WhoConnects(v *view.View, wanted func(*view.Connects) bool) []Evidence {
	type key struct {
		pid         int32
		started     int64
		process, to string
	}
	at := map[key]*caller{}
	var callers []*caller
	all := v.Connects()
	for i := range all {
		c := &all[i]
		if c.Result == recording.ConnectAccepted || !wanted(c) {
			continue
		}
		to := destinationOf(c)
		k := key{c.PID, c.Started.UnixNano(), c.Process, to}
		if at[k] == nil {
			at[k] = &caller{pid: c.PID, process: c.Process, to: to, failed: map[string]int64{}}
			callers = append(callers, at[k])
		}
		at[k].add(c)
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
		took := fmt.Sprintf(", half of them within %s, 99 %% within %s, the longest took %s",
			unit.Duration(min(p.steps.AtMost(0.5), p.longest)), unit.Duration(min(p.steps.AtMost(0.99), p.longest)), unit.Duration(p.longest))
		if p.done == 1 {
			took = fmt.Sprintf(", which took %s", unit.Duration(p.longest))
		}
		parts = append(parts, "connected "+times(p.done)+took)
	}
	for _, result := range slices.Sorted(maps.Keys(p.failed)) {
		n := times(p.failed[result])
		switch result {
		case recording.ConnectAbandoned:
			parts = append(parts, fmt.Sprintf("gave up %s without an answer", n))
		case recording.ConnectNotSent:
			parts = append(parts, fmt.Sprintf("found no local port %s", n))
		default:
			parts = append(parts, fmt.Sprintf("failed %s with %s", n, result))
		}
	}
	who := p.process
	if p.pid != 0 { // else of a PID namespace that is not seen
		who = fmt.Sprintf("%s (%d)", p.process, p.pid)
	}
	return T("%s to %s: %s", who, p.to, strings.Join(parts, "; "))
}

func times(n int64) string { return unit.Plural(n, "time", "times") }

func destinationOf(c *view.Connects) string {
	if c.Remote == "" {
		return fmt.Sprintf("port %d", c.RemotePort)
	}
	return net.JoinHostPort(c.Remote, strconv.Itoa(int(c.RemotePort)))
}
