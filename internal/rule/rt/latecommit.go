package rt

import (
	"slices"
	"strings"
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/protocol"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var lateCommit = rule.Rule{
	ID:       "rt/late-commit",
	Title:    "clients let transactions wait before they commit",
	Plural:   "services have clients that let transactions wait before they commit",
	Resource: "transactions",
	Needs:    []recording.Table{recording.PacketCaptures, recording.PacketServices, recording.PacketStatements},
	// Locks held for nothing make others wait; and a client that is late here is
	// late.
	Explains:   []string{"rt/server-slow", "rt/client-slow", "mysql/row-lock-wait", "mysql/long-transaction"},
	Refutes:    []string{"transactions of MySQL"},
	Thresholds: []*rule.Threshold{&minCommits, &lateTimes, &lateAtLeast, &lateShare, &mostlyInferred, &missedShare},
	Seen:       commitsSeen,
	Detect:     detectLateCommit,
}

var (
	minCommits = rule.Threshold{Name: "min-commits", Value: 5, Unit: "count", Source: rule.Judgement,
		Reason: "COMMITs. A single late one may have been typed by hand."}
	lateTimes = rule.Threshold{Name: "late-times", Value: 3, Unit: "ratio", Source: rule.Judgement,
		Reason: "Ratio of the pause before COMMIT to the pause before other statements. A client that is slow before all statements has another problem."}
	lateAtLeast = rule.Threshold{Name: "late-at-least", Value: 0.01, Unit: "seconds", Source: rule.Judgement,
		Reason: "Pause before COMMIT. Scheduling delays and short garbage collections stay below."}
	lateShare = rule.Threshold{Name: "late-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a transaction's time between its last statement and its COMMIT."}
)

func detectLateCommit(v *view.View) ([]rule.Finding, error) {
	var found []rule.Finding
	for _, s := range v.PacketServices() {
		if !protocol.Of(s.Proto).Database {
			continue
		}
		if c := commitsOf(v, s); c.late() {
			found = append(found, c.finding())
		}
	}
	return found, nil
}

// commits is how a service's transactions end, and what is done in them.
type commits struct {
	v          *view.View
	s          *view.PacketService
	count      int64
	idle       time.Duration // before COMMIT, all together
	p50, p95   time.Duration // of one
	work       time.Duration // of all statements, if each were as fast as a tenth of its executions
	others     int64         // statements that neither begin nor end a transaction
	othersIdle time.Duration
	begins     int64
	longest    recording.PacketStatement // the statement on which most time is spent, for the example
	path       time.Duration             // mean round trip to the client
}

func commitsOf(v *view.View, s *view.PacketService) *commits {
	c := &commits{v: v, s: s}
	for _, t := range v.PacketStatements() {
		if t.Server != s.Server || t.ServerPort != int32(s.Port) || t.Proto != s.Proto {
			continue
		}
		switch verb := firstWords(t.Fingerprint); verb {
		case "COMMIT":
			c.count += t.Count
			c.idle += t.IdleBefore
			c.work += time.Duration(t.Count) * t.RTP10
			if t.IdleP50 > c.p50 || t.Count > c.count/2 {
				c.p50, c.p95 = t.IdleP50, t.IdleP95
			}
		case "BEGIN", "START":
			c.begins += t.Count
			c.work += time.Duration(t.Count) * t.RTP10 // drivers of PostgreSQL send the first statement with it
		case "ROLLBACK", "":
		default:
			c.others += t.Count
			c.othersIdle += t.IdleBefore
			c.work += time.Duration(t.Count) * t.RTP10
			if t.Count > c.longest.Count {
				c.longest = t
			}
		}
	}
	if _, client, ok := s.ConnectRTT(); ok {
		c.path = client
	}
	return c
}

// firstWords is the verb of a statement, in capitals. Prepared COMMITs are rare
// and count as others.
func firstWords(fingerprint string) string {
	verb, _, _ := strings.Cut(strings.TrimSpace(fingerprint), " ")
	return strings.ToUpper(strings.TrimRight(verb, ";"))
}

func (c *commits) mean() time.Duration { return c.idle / time.Duration(max(c.count, 1)) }

// otherIdle is the mean wait before a statement within a transaction. The one
// before the first statement of an application that does not send BEGIN is in
// it, which makes the comparison more careful.
func (c *commits) otherIdle() time.Duration { return c.othersIdle / time.Duration(max(c.others, 1)) }

// perCommit is the work of a transaction. What statements take beyond their
// fastest may be the wait for locks that others hold until they commit.
func (c *commits) perCommit() time.Duration { return c.work / time.Duration(max(c.count, 1)) }

// late says that clients take their time before COMMIT and not elsewhere, in
// most transactions and longer than everything else takes in them.
func (c *commits) late() bool {
	if c.count < int64(minCommits.Value) || c.others < c.count || c.p50 < lateAtLeast.Duration() {
		return false
	}
	typical := min(c.mean(), c.p50)
	work := c.perCommit()
	return typical >= lateTimes.Times(c.otherIdle()) && typical-c.path >= lateAtLeast.Duration() && float64(typical) >= lateShare.Value*float64(typical+work)
}

func (c *commits) finding() rule.Finding {
	lost := perSecond(c.v, c.idle)
	return rule.Finding{
		Subject: c.v.ServiceEntity(c.s), Confidence: atMost(c.v, c.s, rule.Certain),
		Impact: rule.Impact{TimeLost: lost, Text: rule.T("%s transactions open and idle at any time", unit.Number(lost))},
		Headline: rule.T("clients of %s wait %s before COMMIT: transactions stay open and keep their locks",
			c.s.Name(), unit.Duration(c.mean())),
		Evidence: c.evidence(),
		Fixes: []rule.Fix{{
			Text:     rule.T("send COMMIT right after the last statement: move calls to other services, rendering and logging out of the transaction"),
			Tradeoff: "work done after COMMIT cannot be rolled back with it",
		}, {
			Text:     rule.T("find the client and what it does meanwhile; if it has too few threads or too little CPU, that is the cause"),
			Command:  openTransactions(c.s.Proto),
			Tradeoff: "none",
		}},
	}
}

func openTransactions(protocol string) shell.Command {
	if protocol == "postgres" {
		return shell.Line(`psql -c "select pid, client_addr, xact_start, state_change, query from pg_stat_activity where state = 'idle in transaction' order by xact_start"`)
	}
	return shell.Line("mysql -e 'select p.id, p.host, t.trx_started, t.trx_rows_locked, t.trx_query from information_schema.innodb_trx t join information_schema.processlist p on p.id = t.trx_mysql_thread_id order by t.trx_started'")
}

func (c *commits) evidence() []rule.Evidence {
	list := []rule.Evidence{{
		Metric: metric.RTIdleBeforeCommit, Value: c.mean().Seconds(), Limit: rule.Limit(max(lateAtLeast.Duration(), lateTimes.Times(c.otherIdle())).Seconds()),
		What: rule.T("%s COMMITs came %s after the answer to the statement before them (p50 %s, p95 %s)", unit.Count(c.count),
			unit.Duration(c.mean()), unit.Duration(c.p50), unit.Duration(c.p95)),
		Check: packets(c.v, c.s).With("--by statement"),
	}, {
		Metric: metric.RTIdleBefore, Value: c.otherIdle().Seconds(),
		What:  rule.T("before %s other statements the same clients waited %s", unit.Count(c.others), unit.Duration(c.otherIdle())),
		Check: packets(c.v, c.s).With("--transactions --json"),
	}}
	work := c.perCommit()
	return append(list, rule.Evidence{
		Metric: metric.RTTransactionWork, Value: work.Seconds(),
		What:  rule.T("at their fastest (p10), the statements of a transaction take %s, including COMMIT: %s of the sum of both", unit.Duration(work), unit.Share(float64(work)/float64(work+c.mean()))),
		Check: packets(c.v, c.s).With("--by statement"),
	})
}

// commitsSeen says whether any transaction was ended by hand.
func commitsSeen(v *view.View) bool {
	return slices.ContainsFunc(v.PacketServices(), func(s *view.PacketService) bool {
		return protocol.Of(s.Proto).Database && commitsOf(v, s).count > 0
	})
}
