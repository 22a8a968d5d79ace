package mysql

import (
	"math"
	"slices"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/sqltoken"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var sorting = rule.Rule{
	ID:       "mysql/sort",
	Title:    "statements sort many rows, on disk or for nothing",
	Plural:   "statements sort many rows, on disk or for nothing",
	Resource: "statements",
	Needs:    []recording.Table{recording.MySQLServers, recording.MySQLStatuses},
	Explains: []string{"disk/read-amplified", "disk/saturated", "disk/cgroup-throttled", "proc/uninterruptible", "cpu/saturated", "cpu/one-thread-limit", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&mostMerge, &mergeRate, &manySorted, &seenSorting, &largeSort, &dearShare, &mostBytes, &manyRows, &wastedRatio,
		&mostRuns, &minRuns, &mostOfRows, &lastsLong, &minSpills, &minTime, &materialShare},
	Detect: inspecting(func(v *view.View, s *view.MySQLServer) inspection { return &sorts{v: v, s: s} }),
}

var (
	mostMerge = rule.Threshold{Name: "most-merge", Value: 0.5, Unit: "ratio", Source: rule.Judgement,
		Reason: "Merge passes per execution. From here on the sort regularly exceeds its buffer."}
	mergeRate = rule.Threshold{Name: "merge-rate", Value: 1.0, Unit: "per second", Source: rule.Judgement,
		Reason: "Merge passes per second, without digests. Each pass writes several buffers of rows to a file and reads them again."}
	manySorted = rule.Threshold{Name: "many-sorted", Value: 10_000, Unit: "rows", Source: rule.Judgement,
		Reason: "Rows sorted per execution. A core sorts some million rows per second."}
	seenSorting = rule.Threshold{Name: "seen-sorting", Value: 0.1, Unit: "connections", Source: rule.Judgement,
		Reason: "Mean number of connections in a sort state."}
	largeSort = rule.Threshold{Name: "large-sort", Value: 32 << 20, Unit: "bytes", Source: rule.Judgement,
		Reason: "Bytes. The allocator maps and unmaps a larger buffer for every sort, which costs more than it saves."}
)

const (
	// mergedAtOnce is how many sorted pieces one pass merges (MERGEBUFF in
	// sql/sql_sort.h), so that a sort of n pieces needs about n/7 passes.
	mergedAtOnce = 7
)

// sorts is what is known of a server's sorts.
type sorts struct {
	v        *view.View
	s        *view.MySQLServer
	merges   float64 // passes per second; NaN
	rows     float64 // sorted per second; NaN
	states   float64 // connections that sort, mean
	passes   float64 // per execution of the dearest; NaN if not known
	sure     rule.Confidence
	culprits // statements with sorts that do not fit or are for nothing
}

func sortState(state string) bool {
	lower := strings.ToLower(state)
	return strings.Contains(lower, "sort") // Creating sort index, Sorting result, Sorting for group
}

// spills says that the statement's sorts do not fit into the buffer.
func spills(w work) bool { return w.merges >= mostMerge.Value*w.count && w.merges >= minSpills.Value }

// wasted says that the statement sorts far more rows than it returns.
func wasted(w work) bool {
	return w.each(w.sorted) >= manySorted.Value && w.sorted >= wastedRatio.Value*max(w.returned, 1)
}

func (x *sorts) look() bool {
	s := x.s
	x.merges, x.rows, x.passes = s.Rate("Sort_merge_passes"), s.Rate("Sort_rows"), math.NaN()
	x.states = connectionsIn(x.v, s, sortState)
	material := x.gather(x.v, s, func(w work) bool {
		if w.sampled {
			return x.merges >= mergeRate.Value && ordered(w.text)
		}
		return spills(w) || wasted(w)
	})
	if i := slices.IndexFunc(x.list, func(w work) bool { return !w.sampled }); i >= 0 {
		x.passes = x.list[i].each(x.list[i].merges)
	}
	_, digests := x.v.StatementsOf(s.Server)
	switch {
	case digests && len(x.list) == 0, !digests && !(x.merges >= mergeRate.Value):
		return false
	case digests && material && spills(x.list[0]) && x.list[0].count >= minRuns.Value:
		x.sure = rule.Certain
	case digests && material:
		x.sure = rule.Likely
	case len(x.list) > 0 && material && x.states >= seenSorting.Value:
		x.sure = rule.Likely
	default:
		x.sure = rule.Possible
	}
	return true
}

// ordered says whether a statement may sort.
func ordered(text string) bool {
	for _, t := range sqltoken.Split(text) {
		if t.Is("ORDER") || t.Is("GROUP") || t.Is("DISTINCT") || t.Is("UNION") {
			return true
		}
	}
	return false
}

func (x *sorts) finding() rule.Finding {
	s := x.s
	f := rule.Finding{Subject: s.Entity(), Confidence: x.sure, Affects: loaded(x.v, s, writeBytes)}
	switch {
	case len(x.list) == 0:
		f.Headline = rule.T("sorts of %s do not fit their buffer: %s merge passes over files", named(s), unit.PerSecond(x.merges))
		f.Impact = timeLost(max(x.states, x.merges/1000), rule.T("%s connections sort on average", unit.Number(x.states)))
		f.Evidence = x.evidence()
		f.Fixes = x.fixes()
		return f
	case x.list[0].sampled || spills(x.list[0]):
		f.Headline = rule.T("sorts of %s do not fit their buffer and go through files: \"%s\"", named(s), x.list[0].brief())
	default:
		w := x.list[0]
		f.Headline = rule.T("%s sorts %s rows to return %s, each time, for \"%s\"", named(s), unit.Count(w.each(w.sorted)), unit.Count(math.Round(w.each(w.returned))), w.brief())
	}
	f.Impact = timeLost(x.took, rule.T("%s s a second in these statements", unit.Number(x.took)))
	f.Evidence = x.evidence()
	f.Fixes = x.fixes()
	return f
}

func (x *sorts) evidence() []rule.Evidence {
	s := x.s
	var list []rule.Evidence
	if !math.IsNaN(x.merges) {
		list = append(list, rule.Evidence{Metric: metric.MySQLSortMergePasses, Value: x.merges, Limit: rule.Limit(0),
			What: rule.T("%s merge passes, %s rows sorted", unit.PerSecond(x.merges), unit.PerSecond(view.OrZero(x.rows))), Check: status(s, "Sort%")})
	}
	list = append(list, x.evidenceOf(s, shell.Names{"sum_sort_merge_passes", "sum_sort_rows", "sum_rows_sent"}, func(w work) rule.Text {
		return rule.T("%s rows sorted in %s merge passes for each execution, %s s a second: %s", unit.Count(w.each(w.sorted)), unit.Number(w.each(w.merges)),
			unit.Number(w.took), w.brief())
	})...)
	if x.states > 0 {
		list = append(list, rule.Evidence{Metric: metric.MySQLSessionsInState, Value: x.states,
			What: rule.T("%s connections sort on average", unit.Number(x.states)), Check: ask(s, shell.SQL("show processlist"))})
	}
	if size, ok := s.IntVariable("sort_buffer_size"); ok {
		list = append(list, rule.Evidence{Metric: metric.MySQLSortBufferSize, Value: float64(size), What: rule.T("sort_buffer_size is %s", unit.Bytes(size)),
			Check: ask(s, shell.SQL("show global variables like 'sort_buffer_size'"))})
	}
	return append(list, beside(s)...)
}

func (x *sorts) fixes() []rule.Fix {
	var fixes []rule.Fix
	if len(x.list) > 0 {
		if f, ok := parseFilter(x.list[0].text); ok {
			if columns := f.index(); len(f.order) > 0 && len(columns) > 0 {
				table := f.qualified()
				fixes = append(fixes, rule.Fix{
					Text:     rule.T("read in the order of an index on (%s), so that no sort is needed", strings.Join(columns, ", ")),
					Command:  ask(x.s, shell.SQL("alter table %s add index (%s), algorithm=inplace, lock=none", shell.Name(table), shell.Names(columns))),
					Tradeoff: "one more index to maintain; helps most with a LIMIT. Test the plan with EXPLAIN first",
				})
			}
		}
	}
	if size, ok := x.s.IntVariable("sort_buffer_size"); ok && size < int64(largeSort.Value) && !(len(x.list) > 0 && !x.list[0].sampled && !spills(x.list[0])) {
		to := suggestedSort(size, x.passes)
		fixes = append(fixes, rule.Fix{
			Text:     rule.T("give the connections that run it a sort buffer of %s", unit.Bytes(to)),
			Command:  ask(x.s, shell.SQL("set session sort_buffer_size = %d", to)),
			Tradeoff: "memory per sort; set it in the session that needs it, not for all connections",
		})
	}
	return append(fixes, rule.Fix{
		Text:     rule.T("sort less: fewer and shorter columns, a filter before the sort, pages by key (WHERE id > last) instead of LIMIT with a large offset"),
		Command:  explainOf(x.s, x.list),
		Tradeoff: "a change of the statement",
	})
}

// suggestedSort is a buffer that holds what took so many merge passes, in
// powers of two, between twice the present one and largeSort.
func suggestedSort(size int64, passes float64) int64 {
	need := 2 * float64(size)
	if passes > 0 {
		need = max(need, float64(size)*(passes+1)*mergedAtOnce)
	}
	to := int64(1 << 18)
	for to < int64(largeSort.Value) && float64(to) < need {
		to *= 2
	}
	return to
}
