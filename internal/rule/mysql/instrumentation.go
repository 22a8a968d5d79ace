package mysql

import (
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/stack/signatures"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var instrumentationCost = rule.Rule{
	ID:         "mysql/instrumentation-cost",
	Title:      "the performance schema takes much of the server's CPU",
	Plural:     "servers spend much CPU on the performance schema",
	Resource:   "CPU of MySQL",
	Needs:      []recording.Table{recording.Stacks},
	Explains:   []string{"cpu/saturated", "cpu/one-thread-limit", "rt/server-slow"},
	Thresholds: []*rule.Threshold{&dearInstruments, &mostInstruments, &instrumentCores, &mostBytes, &fewSamples, &busyServer},
	Seen:       serverInside,
	Detect:     detectInstrumentation,
}

var (
	dearInstruments = rule.Threshold{Name: "dear-instruments", Value: 0.15, Unit: "share", Source: rule.Measured,
		Reason: "Share of the CPU. With default instruments the performance schema takes 3 to 8 % of a server at full speed with short statements, with all instruments several times that."}
	mostInstruments = rule.Threshold{Name: "most-instruments", Value: 0.25, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPU. From here on the server mainly runs instruments."}
	instrumentCores = rule.Threshold{Name: "instrument-cores", Value: 0.1, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU in instruments, in cores. Less does no harm."}
)

const (
	// instrumentDepth is how many of the innermost frames are looked at: clocks
	// and hashes are called by instruments.
	instrumentDepth = 3
)

// instruments says whether a thread counts or times instead of working.
func instruments(r view.StackRow) bool {
	for i, frame := range r.Frames {
		if i == instrumentDepth {
			return false
		}
		name := signatures.Bare(frame)
		if at := strings.LastIndex(name, "::"); at >= 0 {
			name = name[at+2:]
		}
		switch {
		case strings.HasPrefix(frame, "PFS_") || strings.HasPrefix(name, "pfs_end_") || strings.HasPrefix(name, "pfs_start_") || strings.HasPrefix(name, "pfs_digest_"):
			return true
		case strings.HasPrefix(name, "pfs_mutex_enter_func") || strings.HasPrefix(name, "pfs_rw_lock_") || strings.HasPrefix(name, "pfs_mutex_exit_func"):
			return false // these wrap InnoDB's mutexes: the wait is not theirs
		case (strings.HasPrefix(name, "start_") || strings.HasPrefix(name, "end_")) && (strings.Contains(name, "_wait_v") || strings.Contains(name, "statement_v") || strings.Contains(name, "stage_v")):
			return true
		case strings.HasPrefix(name, "aggregate_") || strings.HasPrefix(name, "insert_events_") || strings.HasPrefix(name, "unlock_mutex_v") || strings.HasPrefix(name, "unlock_rwlock_v"):
			return true
		case name == "find_or_create_digest" || name == "digest_add_token" || strings.HasPrefix(name, "compute_digest_") || name == "get_timer_value" && i+1 < len(r.Frames):
			return true
		case name == "my_timer_cycles" || name == "get_timer_raw_value" || name == "get_timer_raw_value_and_function" || name == "get_timer_pico_value" || name == "my_timer_nanoseconds":
			return true
		}
	}
	return false
}

func detectInstrumentation(v *view.View) ([]rule.Finding, error) {
	servers, err := runningOf(v)
	var found []rule.Finding
	for _, x := range servers {
		share, cores, samples := x.burnt(instruments)
		if share < dearInstruments.Value || !(cores >= instrumentCores.Value) {
			continue
		}
		found = append(found, x.instrumentFinding(share, cores, samples))
	}
	return found, err
}

func (x insides) instrumentFinding(share, cores float64, samples int64) rule.Finding {
	s, who := x.s, x.subject()
	f := rule.Finding{Subject: who, Confidence: rule.Likely, Affects: x.affects(),
		Headline: rule.T("%s spends %s of its CPU time in its performance schema", who, unit.Share(share)),
		Impact:   timeLost(cores, rule.T("%s cores", unit.Number(cores)))}
	if share >= mostInstruments.Value {
		f.Confidence = rule.Certain
	}
	f.Evidence = []rule.Evidence{{Metric: metric.MySQLInstrumentShare, Value: share, Limit: rule.Limit(dearInstruments.Value),
		What:  rule.T("%s of %d samples of its running threads are in instruments of the performance schema", unit.Share(share), samples),
		Check: shell.Line("perf top -p %d   # pfs_*, start_*_wait_v1, end_*_wait_v1, aggregate_*, find_or_create_digest", s.PID)}}
	if names := x.instrumentNames(); len(names) > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLInstrumentShare, Value: share,
			What: rule.T("mostly %s", strings.Join(names, ", ")), Check: shell.Line("perf record -p %d -- sleep 5; perf report", s.PID)})
	}
	if on, ok := s.Switched("performance_schema"); ok && on {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLInstrumentsOn, Value: 1, What: rule.T("performance_schema is ON; its setup tables show which instruments and consumers are on"),
			Check: ask(s, shell.SQL("select substring_index(name, '/', 2), sum(enabled = 'YES'), sum(timed = 'YES'), count(*) from performance_schema.setup_instruments group by 1"))})
	}
	f.Fixes = []rule.Fix{{
		Text:     rule.T("switch off the instruments of single waits and stages, which run many times for each statement"),
		Command:  ask(s, shell.SQL("update performance_schema.setup_instruments set enabled = 'NO', timed = 'NO' where name like 'wait/%%' or name like 'stage/%%'")),
		Tradeoff: "at once, no restart; waits and stages are no longer counted, statements and digests still are. A restart switches on again what my.cnf has",
	}, {
		Text:     rule.T("switch off histories of single events"),
		Command:  ask(s, shell.SQL("update performance_schema.setup_consumers set enabled = 'NO' where name like 'events_waits%%' or name like 'events_stages%%' or name like '%%history%%'")),
		Tradeoff: "the last events of each thread are no longer kept",
	}, {
		Text:     rule.T("switch it off as a whole: performance_schema = OFF in my.cnf, below [mysqld]; then restart the server"),
		Tradeoff: "a restart, and no more statistics of statements, locks and tables; rtrail needs them, too",
	}}
	return f
}

// instrumentNames are the innermost functions of instruments, the most frequent
// first.
func (x insides) instrumentNames() []string {
	list, _ := x.v.Stacks(x.s.PID, recording.StackOnCPU)
	counts := map[string]int{}
	for _, r := range list {
		if instruments(r) {
			counts[r.Frames[0]] += int(r.Count)
		}
	}
	var names []string
	for len(counts) > 0 && len(names) < 3 {
		top := commonest(counts)
		names = append(names, top)
		delete(counts, top)
	}
	return names
}
