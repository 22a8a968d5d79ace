package memory

import (
	"cmp"
	"slices"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var numa = rule.Rule{
	ID:         "mem/numa",
	Title:      "memory of one node of the host is used up while another one has plenty",
	Plural:     "nodes have used up their memory beside others with plenty",
	Resource:   "memory",
	Needs:      []recording.Table{recording.Zones, recording.VMStat},
	Delays:     []string{"mem/swapping", "mem/reclaim"},
	Delayed:    func(v *view.View, _, symptom *rule.Finding) bool { return !shortByItself(v, symptom.Subject) },
	Thresholds: []*rule.Threshold{&plenty, &swapOutFrom, &missesFrom, &stallsFrom},
	Detect:     detectNUMA,
}

var (
	plenty = rule.Threshold{Name: "plenty", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "Free memory of a node as a share of its memory. Programs that may use this node have enough."}
	missesFrom = rule.Threshold{Name: "misses-from", Value: 1000, Unit: "pages per second", Source: rule.Judgement,
		Reason: "Pages taken from a node other than the preferred one. Each access to them takes about 1.5 times as long. Below this rate little memory of a program becomes remote."}
	stallsFrom = rule.Threshold{Name: "stalls-from", Value: 10, Unit: "per second", Source: rule.Judgement,
		Reason: "Allocations that had to free memory first. With that much free elsewhere there should be none."}
)

// node is the memory of one node at the end of the window, in bytes.
type node struct {
	id                     int32
	free, managed, reclaim float64 // reclaim: kswapd goes on until that much is free
}

func nodes(v *view.View) []node {
	type key struct {
		node int32
		zone string
	}
	keys, series := view.Group(view.Rows[recording.ZoneSample](v), func(s recording.ZoneSample) key { return key{s.Node, s.Zone} })
	page := float64(v.PageSize())
	byNode := map[int32]*node{}
	for _, k := range keys {
		last := series[k][len(series[k])-1]
		n := byNode[k.node]
		if n == nil {
			n = &node{id: k.node}
			byNode[k.node] = n
		}
		n.free += page * float64(max(last.Free, 0))
		n.managed += page * float64(max(last.Managed, 0))
		n.reclaim += page * float64(max(last.High, 0))
	}
	var list []node
	for _, n := range byNode {
		if n.managed > 0 { // nodes without memory have CPUs only
			list = append(list, *n)
		}
	}
	slices.SortFunc(list, func(a, b node) int { return cmp.Compare(a.free/a.managed, b.free/b.managed) })
	return list
}

func detectNUMA(v *view.View) ([]rule.Finding, error) {
	list := nodes(v)
	p, ok := v.Paging()
	if len(list) < 2 || !ok {
		return nil, nil // one node
	}
	full, roomy := list[0], list[len(list)-1]
	// Between its low and high watermark kswapd of a node is at work; twice that is no shortage.
	if full.free > 2*full.reclaim || roomy.free < plenty.Value*roomy.managed {
		return nil, nil
	}
	rows := view.Rows[recording.VMStatSample](v)
	missed, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.NUMAMiss })
	missed /= view.Elapsed(rows).Seconds()
	scanned, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.ScanKswapd })
	scanned /= view.Elapsed(rows).Seconds()
	swapped := p.SwapOut
	for _, g := range outermost(atLimits(v)) {
		swapped -= max(0, view.OrZero(g.SwapGrowth))
	}
	f := rule.Finding{Subject: v.HostEntity()}
	switch {
	// What a control group swaps at its limit is none of kswapd's work, nor a stall of the host.
	case swapped >= swapOutFrom.Value && scanned*float64(v.PageSize()) >= swapped || p.AllocStalls >= stallsFrom.Value:
		f.Confidence = rule.Likely
		f.Headline = rule.T("node %d has no memory left and swaps or waits for it, while node %d has %s free", full.id, roomy.id, unit.Bytes(roomy.free))
		f.Impact = nodeImpact(v, p)
	case missed >= missesFrom.Value:
		f.Confidence = rule.Possible
		f.Headline = rule.T("node %d has no memory left, so %s of its programs a second go to other nodes", full.id, unit.Bytes(missed*float64(v.PageSize())))
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("access to memory of another node takes about 1.5 times as long; how much of the time that is, is not known")}
	default:
		return nil, nil
	}
	f.Evidence = []rule.Evidence{
		{Metric: metric.NodeFree, Value: full.free, Limit: rule.Limit(full.reclaim), What: rule.T("node %d: %s of %s free; node %d: %s of %s", full.id, unit.Bytes(full.free), unit.Bytes(full.managed), roomy.id, unit.Bytes(roomy.free), unit.Bytes(roomy.managed))},
		{Metric: metric.NUMAMisses, Value: missed, Limit: rule.Limit(missesFrom.Value), What: rule.T("%s pages a second came from a node other than the preferred one", unit.Number(missed))},
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("see which program is bound to that node, or has most of its memory there"), Command: shell.Line("numastat -m; %s grep -l bind /proc/[0-9]*/numa_maps", nodesOfLargest(v)), Tradeoff: "reading numa_maps stops large processes for a moment"},
		{Text: rule.T("spread a database over all nodes (innodb_numa_interleave=ON, numactl --interleave=all), or run one server on each node"), Tradeoff: "a restart; half of all accesses are remote, evenly"},
	}
	if mode, ok := v.SysctlNumber(0, "vm.zone_reclaim_mode"); ok && mode != 0 {
		f.Fixes = append(f.Fixes, rule.Fix{Text: rule.T("let allocations go to other nodes before they free memory"), Command: shell.Line("sysctl -w vm.zone_reclaim_mode=0"), Tradeoff: "more remote memory"})
	}
	return []rule.Finding{f}, nil
}

// nodeImpact is how long tasks waited for memory, where that is told.
func nodeImpact(v *view.View, p view.Paging) rule.Impact {
	work := rule.T("%s/s to swap, %s allocations a second that had to free memory first", unit.Bytes(p.SwapOut), unit.Number(p.AllocStalls))
	if waited := stalledOutside(v); waited > 0 {
		return rule.Impact{TimeLost: waited, Text: rule.T("tasks waited for memory %v of the time: %s", unit.Share(min(waited, 1)), work)}
	}
	return rule.Impact{Unmeasured: true, Text: rule.T("%s; how long tasks waited for it is not known", work)}
}

// stalledOutside is how long tasks waited for memory, in seconds per second, without those of
// control groups at their own limits: at least so long.
func stalledOutside(v *view.View) float64 {
	pressure, _ := v.Stall("memory")
	stalled, delay := pressure.Some, 0.0
	groups := atLimits(v)
	for _, g := range outermost(groups) {
		stalled -= view.OrZero(g.MemoryStalled)
	}
	for _, p := range v.Processes() {
		if !inAny(groups, p.MemCgroup) {
			delay += view.OrZero(p.SwapDelay)
		}
	}
	return max(stalled, delay, 0)
}

// atLimits lists the control groups that hit limits of their own in the window.
func atLimits(v *view.View) (list []view.Cgroup) {
	for _, g := range v.Cgroups() {
		if _, _, limited := view.MemoryBound(g.CgroupSample); limited && hits(g) > 0 {
			list = append(list, g)
		}
	}
	return list
}

// outermost are the groups of a list that lie below no other one: what is counted in these is
// counted in them.
func outermost(groups []view.Cgroup) (list []view.Cgroup) {
	for _, g := range groups {
		if !slices.ContainsFunc(groups, func(o view.Cgroup) bool { return o.Path != g.Path && view.InGroup(g.Path, o.Path) }) {
			list = append(list, g)
		}
	}
	return list
}

// inAny says whether a control group is one of a list or lies below one.
func inAny(groups []view.Cgroup, path string) bool {
	return slices.ContainsFunc(groups, func(g view.Cgroup) bool { return view.InGroup(path, g.Path) })
}

// shortByItself says whether a process or a control group is at a limit of its own, so that it
// lacks memory whatever nodes have.
func shortByItself(v *view.View, e view.Entity) bool {
	path := e.Cgroup
	if p, ok := v.Process(e.PID); ok && e.PID != 0 {
		path = p.MemCgroup
	}
	return inAny(atLimits(v), path)
}

// nodesOfLargest is the command that shows on which nodes the memory of the largest process
// lies, with the semicolon behind it; none where no process is known.
func nodesOfLargest(v *view.View) shell.Command {
	var largest view.Process
	for _, p := range v.Processes() {
		if !p.Own && weight(p) > weight(largest) {
			largest = p
		}
	}
	if largest.PID == 0 {
		return shell.Command{}
	}
	return shell.Line("numastat -p %d;", largest.PID)
}
