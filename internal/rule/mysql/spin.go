package mysql

import (
	"math"
	"strings"

	"rtrail/internal/metric"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var spinWaste = rule.Rule{
	ID:         "mysql/spin-waste",
	Title:      "threads burn CPU in InnoDB's spin loops",
	Plural:     "servers burn CPU in InnoDB's spin loops",
	Resource:   "locks inside MySQL",
	Needs:      []recording.Table{recording.Stacks},
	Explains:   []string{"cpu/saturated", "cpu/one-thread-limit", "cpu/context-switches", "cpu/spinning", "rt/server-slow", "rt/worker-queueing"},
	Thresholds: []*rule.Threshold{&muchSpin, &mostSpin, &spinCores, &farFromDefault, &mostBytes, &fewSamples, &busyServer},
	Seen:       serverInside,
	Detect:     detectSpin,
}

var (
	muchSpin = rule.Threshold{Name: "much-spin", Value: 0.1, Unit: "share", Source: rule.Measured,
		Reason: "Share of the CPU in spin loops. On a badly tuned server it fell from 21 % to 3 % with the defaults."}
	mostSpin = rule.Threshold{Name: "most-spin", Value: 0.2, Unit: "share", Source: rule.Judgement,
		Reason: "Share of the CPU. From here on the server mainly spins."}
	spinCores = rule.Threshold{Name: "spin-cores", Value: 0.1, Unit: "cores", Source: rule.Judgement,
		Reason: "CPU in spin loops, in cores. Less does no harm."}
	farFromDefault = rule.Threshold{Name: "far-from-default", Value: 4, Unit: "ratio", Source: rule.Judgement,
		Reason: "Product of both settings, relative to their defaults."}
)

const (
	// Defaults of innodb_spin_wait_delay and innodb_sync_spin_loops of MySQL.
	// MariaDB's delay is 4 since 10.3.5.
	defaultSpinDelay, mariaSpinDelay, defaultSpinLoops = 6, 4, 30
	// defaultPauses is innodb_spin_wait_pause_multiplier, fixed before 8.0.16.
	defaultPauses = 50
)

// spins is what is known of a server that spins.
type spins struct {
	insides
	share, cores float64
	samples      int64
	delay, loops int64 // 0: not known
	normal       int64 // default of delay
	callers      []string
	rounds       float64 // per second; NaN
	osWaits      float64
	sure         rule.Confidence
}

// spinning is the loop that waits without leaving the CPU.
func spinning(r view.StackRow) bool {
	return r.Calls(6, "ut_delay")
}

func detectSpin(v *view.View) ([]rule.Finding, error) {
	servers, err := runningOf(v)
	var found []rule.Finding
	for _, s := range servers {
		if x := (spins{insides: s}); x.look() {
			found = append(found, x.finding())
		}
	}
	return found, err
}

func (x *spins) look() bool {
	if x.share, x.cores, x.samples = x.burnt(spinning); x.share < muchSpin.Value || !(x.cores >= spinCores.Value) {
		return false
	}
	x.delay, _ = x.s.IntVariable("innodb_spin_wait_delay")
	x.loops, _ = x.s.IntVariable("innodb_sync_spin_loops")
	x.normal = defaultSpinDelay
	if x.s.MariaDB() {
		x.normal = mariaSpinDelay
	}
	x.callers = x.insides.callers(spinning, "ut_delay", "ut_rnd_interval", "mutex_spin_wait", "mutex_enter_func", "pfs_mutex_enter_func", "rw_lock_s_lock_spin", "rw_lock_s_lock_func",
		"pfs_rw_lock_s_lock_func", "rw_lock_x_lock_func", "pfs_rw_lock_x_lock_func", "rw_lock_x_lock_low", "rw_lock_x_lock_wait", "spin", "enter", "mutex_enter_inline")
	x.rounds, x.osWaits = math.NaN(), math.NaN()
	rows := x.s.InnoDB()
	if n, ok := view.Delta(rows, func(r recording.MySQLInnoDB) int64 { return r.SpinRounds }); ok {
		x.rounds = n / max(view.Elapsed(rows).Seconds(), 1)
	}
	if n, ok := view.Delta(rows, func(r recording.MySQLInnoDB) int64 { return r.OSWaits }); ok {
		x.osWaits = n / max(view.Elapsed(rows).Seconds(), 1)
	}
	switch far := x.far(); {
	case far && x.share >= mostSpin.Value:
		x.sure = rule.Certain
	case far:
		x.sure = rule.Likely
	case x.share >= mostSpin.Value:
		// At its defaults spinning is a symptom: somebody holds the mutex.
		x.sure = rule.Possible
	default:
		return false
	}
	return true
}

// far says whether the settings make a failed wait much longer than by default.
func (x *spins) far() bool {
	if x.delay == 0 || x.loops == 0 {
		return false
	}
	return float64(x.delay)*float64(x.loops) >= farFromDefault.Value*float64(x.normal)*defaultSpinLoops
}

func (x *spins) finding() rule.Finding {
	who := x.subject()
	f := rule.Finding{Subject: who, Confidence: x.sure, Affects: x.affects(),
		Impact: timeLost(x.cores, rule.T("%s cores spin", unit.Number(x.cores)))}
	switch {
	case x.far() && x.delay >= int64(farFromDefault.Value)*x.normal:
		f.Headline = rule.T("%s burns %s of its CPU time in InnoDB's spin loops: innodb_spin_wait_delay is %d, by default %d", who, unit.Share(x.share), x.delay, x.normal)
	case x.far():
		f.Headline = rule.T("%s burns %s of its CPU time in InnoDB's spin loops: innodb_sync_spin_loops is %d, by default %d", who, unit.Share(x.share), x.loops, int64(defaultSpinLoops))
	default:
		f.Headline = rule.T("%s burns %s of its CPU time while threads wait for mutexes of InnoDB", who, unit.Share(x.share))
	}
	f.Evidence = []rule.Evidence{{Metric: metric.MySQLSpinShare, Value: x.share, Limit: rule.Limit(muchSpin.Value),
		What:  rule.T("%s of %d samples of its running threads are in ut_delay, the loop between two tries for a mutex", unit.Share(x.share), x.samples),
		Check: shell.Line("perf top -p %d", x.s.PID)}}
	if len(x.callers) > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLSpinShare, Value: x.share,
			What:  rule.T("callers: %s", strings.Join(x.callers[:min(len(x.callers), 3)], ", ")),
			Check: shell.Line("perf record -g -p %d -- sleep 5; perf report --no-children -S ut_delay", x.s.PID)})
	}
	if x.delay > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLSpinSettings, Value: float64(x.delay), Limit: rule.Limit(float64(x.normal)),
			What:  rule.T("innodb_spin_wait_delay is %d, innodb_sync_spin_loops %d: a failed wait executes up to %s pauses", x.delay, x.loops, unit.Count(float64(x.delay*x.loops*defaultPauses))),
			Check: ask(x.s, shell.SQL("show global variables like 'innodb%%spin%%'"))})
	}
	if x.rounds > 0 {
		f.Evidence = append(f.Evidence, rule.Evidence{Metric: metric.MySQLSpinRounds, Value: x.rounds,
			What:  rule.T("%s spin rounds, %s waits that ended in sleep", unit.PerSecond(x.rounds), unit.PerSecond(view.OrZero(x.osWaits))),
			Check: ask(x.s, shell.SQL("show engine innodb status"))})
	}
	f.Fixes = x.fixes()
	return f
}

func (x *spins) fixes() []rule.Fix {
	var list []rule.Fix
	if x.far() && x.delay > x.normal {
		list = append(list, rule.Fix{Text: rule.T("reset the delay: innodb_spin_wait_delay = %d", x.normal), Command: ask(x.s, shell.SQL("set global innodb_spin_wait_delay = %d", x.normal)),
			Tradeoff: "at once, no restart; also in my.cnf. Too short a delay costs context switches where mutexes are held for microseconds"})
	}
	if x.far() && x.loops > defaultSpinLoops {
		list = append(list, rule.Fix{Text: rule.T("reset the loops: innodb_sync_spin_loops = %d", int64(defaultSpinLoops)),
			Command: ask(x.s, shell.SQL("set global innodb_sync_spin_loops = %d", int64(defaultSpinLoops))), Tradeoff: "at once, no restart; also in my.cnf"})
	}
	return append(list, rule.Fix{Text: rule.T("run fewer statements at once, so that fewer threads contend for the mutex; its name is in SHOW ENGINE INNODB MUTEX and in the stacks"),
		Command: ask(x.s, shell.SQL("show engine innodb mutex")), Tradeoff: "waiting moves to the connection pool"})
}
