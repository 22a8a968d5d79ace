package memory

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var fragmentation = rule.Rule{
	ID:         "mem/fragmentation",
	Title:      "memory is free, but not in pieces as large as the kernel needs",
	Plural:     "hosts have memory only in pieces too small",
	Resource:   "memory",
	Needs:      []recording.Table{recording.VMStat, recording.Memory},
	Thresholds: []*rule.Threshold{&compactionsFrom, &compactingFrom, &scarce},
	Detect:     detectFragmentation,
}

var (
	compactionsFrom = rule.Threshold{Name: "compactions-from", Value: 20, Unit: "per second", Source: rule.Judgement,
		Reason: "Allocations per second that first had to move other pages (compaction). One takes 0.1 to 10 ms, so 20 cost up to 20 % of a thread's time."}
	compactingFrom = rule.Threshold{Name: "compacting-from", Value: 0.05, Unit: "threads", Source: rule.Judgement,
		Reason: "Mean number of threads seen in compaction. Below it users notice nothing."}
)

// pageFailure is the line of mm/page_alloc.c; order 0 is a lack of memory, not of large pieces.
var pageFailure = regexp.MustCompile(`^(.{1,15}): page allocation failure: order:([1-9]\d*), mode:`)

func detectFragmentation(v *view.View) ([]rule.Finding, error) {
	rows := view.Rows[recording.VMStatSample](v)
	seconds := view.Elapsed(rows).Seconds()
	if seconds <= 0 {
		return nil, &rule.NotJudged{Needs: "two readings of /proc/vmstat", Why: "compactions are a difference of two readings", How: shell.Say("watch longer: --for 10s")}
	}
	n, _ := view.Delta(rows, func(s recording.VMStatSample) uint64 { return s.CompactStalls })
	f := rule.Finding{Subject: v.HostEntity()}
	failures, first := 0, ""
	for _, line := range v.LogLinesWith("page allocation failure: order:") {
		if pageFailure.MatchString(line.Text) {
			if failures++; first == "" {
				first = line.Text
			}
		}
	}
	waiting := compacting(v)
	free, enough := enoughFree(v)
	if !enough {
		return nil, nil // memory itself is short: mem/reclaim and mem/swapping judge that
	}
	switch {
	case waiting.threads >= compactingFrom.Value && n/seconds >= compactionsFrom.Value:
		f.Confidence = rule.Certain
	case failures > 0:
		f.Confidence = rule.Likely
	case n/seconds >= compactionsFrom.Value:
		f.Confidence = rule.Possible
	default:
		return nil, nil
	}
	f.Headline = rule.T("%s of memory is free, but in small pieces: %s allocations a second wait until larger ones are made", unit.Bytes(free), unit.Number(n/seconds))
	f.Impact = rule.Impact{TimeLost: waiting.threads, Text: rule.T("%s threads in compaction on average", unit.Number(waiting.threads))}
	if waiting.threads <= 0 {
		f.Impact = rule.Impact{Unmeasured: true, Text: rule.T("no thread was seen waiting for it")}
	}
	if failures > 0 {
		f.Headline = rule.T("%s of memory is free, but in small pieces: the kernel could not get larger ones", unit.Bytes(free))
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.KernelLog, Value: float64(failures), Check: shell.Line("journalctl -k -g %s", "page allocation failure"),
			What: rule.T("kernel log, %s times, the first: %q", unit.Count(float64(failures)), first)})
	}
	f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MemoryCompactions, Value: n / seconds, Limit: rule.Limit(compactionsFrom.Value),
		What: rule.T("compact_stall grew by %s", unit.Count(n))})
	for _, p := range waiting.who {
		f.Affects = append(f.Affects, p.Entity())
	}
	if len(waiting.who) > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.ThreadState, Value: waiting.threads, Check: shell.Line("cat /proc/%d/task/*/stack", waiting.who[0].PID),
			What: rule.T("threads of %s were seen in compaction", waiting.who[0].Entity())})
	}
	f.Fixes = []rule.Fix{
		{Text: rule.T("let only programs that ask for huge pages compact memory for them"), Command: shell.Line("echo madvise > /sys/kernel/mm/transparent_hugepage/defrag"), Tradeoff: "programs that gain from huge pages without asking get fewer"},
		{Text: rule.T("let the kernel keep larger blocks ready, in the background"), Command: shell.Line("sysctl -w vm.compaction_proactiveness=40"), Tradeoff: "some CPU time of kcompactd; Linux before 5.9 does not have it"},
		{Text: rule.T("compact memory once, now"), Command: shell.Line("echo 1 > /proc/sys/vm/compact_memory"), Tradeoff: "seconds of CPU time and of stalls on large hosts"},
	}
	return []rule.Finding{f}, nil
}

type compaction struct {
	threads float64
	who     []view.Process
}

// directCompaction are functions of the kernel in which a program moves pages together itself.
var directCompaction = []string{"__alloc_pages_direct_compact", "try_to_compact_pages", "compact_zone_order"}

// compacting is who was seen moving pages together: on a CPU, by the profile, or waiting.
func compacting(v *view.View) (c compaction) {
	by := map[int32]float64{}
	in := func(stack string) bool {
		return slices.ContainsFunc(directCompaction, func(f string) bool { return strings.Contains(stack, f) })
	}
	for _, s := range view.Rows[recording.OnCPUSample](v) {
		if in(s.Stack) {
			by[s.PID] += v.PerSecond(time.Duration(s.Samples) * s.Every)
		}
	}
	for _, b := range v.Blocked() {
		if in(b.Stack) {
			by[b.PID] += b.Share()
		}
	}
	for _, pid := range slices.Sorted(maps.Keys(by)) {
		if p, ok := v.Process(pid); ok && !p.Kernel {
			c.threads += by[pid]
			c.who = append(c.who, p)
		}
	}
	return c
}

// enoughFree says how much memory is free, and whether it is not just short.
func enoughFree(v *view.View) (free int64, enough bool) {
	rows := view.Rows[recording.MemorySample](v)
	if len(rows) == 0 {
		return 0, false
	}
	last := rows[len(rows)-1]
	return last.Free, last.Total > 0 && float64(last.Available) >= scarce.Value*float64(last.Total)
}
