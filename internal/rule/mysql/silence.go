package mysql

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

var (
	silentAtLeast = rule.Threshold{Name: "silent-at-least", Value: 3, Unit: "seconds", Source: rule.Judgement,
		Reason: "Time without an answer. A busy CPU, also on rtrail's host, may cause a short silence. One missed deadline of a second may count as two seconds, because the next query is sent a second later."}
	silentShare = rule.Threshold{Name: "silent-share", Value: 0.5, Unit: "share", Source: rule.Judgement,
		Reason: "Share of a short window without an answer, used instead of silent-at-least."}
)

const (
	// apart is the least time between two looks at a server.
	apart = time.Second
)

// silence is a server that did not answer, or not in time.
type silence struct {
	v     *view.View
	s     *view.MySQLServer
	last  recording.MySQLServer // the last look without an answer
	long  time.Duration         // without an answer, in the window
	late  time.Duration         // the longest that a look took which was answered too late
	due   []span                // when answers were due
	back  bool                  // the last look was answered
	why   string                // as a headline puts it
	sure  rule.Confidence
	proof []rule.Evidence
	fixes []rule.Fix
}

type span struct{ from, to time.Time }

func mute(l recording.MySQLServer) bool {
	return l.State == recording.ServerStalled || l.State == recording.ServerUnreachable || l.State == recording.ServerGone
}

func answered(l recording.MySQLServer) bool {
	return l.State == recording.ServerAnswers || l.State == recording.ServerSlow
}

// silenceOf adds up the time without answers: from each look that got none to the
// next one, and what that one had waited already.
func silenceOf(v *view.View, s *view.MySQLServer) *silence {
	x := &silence{v: v, s: s, back: !mute(s.Looks[len(s.Looks)-1])}
	for i, l := range s.Looks {
		if l.State == recording.ServerSlow {
			x.wait(i)
		}
		if !mute(l) {
			continue
		}
		until := v.End()
		if i+1 < len(s.Looks) {
			until = s.Looks[i+1].At
		}
		x.long += max(until.Sub(l.At), 0)
		if i == 0 || !mute(s.Looks[i-1]) {
			x.long += min(l.Waited, l.At.Sub(v.Start()))
		}
		x.due = append(x.due, span{l.At.Add(-l.Waited), until})
		x.last = l
	}
	return x
}

// wait notes a look some answer to which came too late: that to its first, trivial
// query, that to the login before it, or one of those after it.
func (x *silence) wait(i int) {
	l := x.s.Looks[i]
	before := max(l.Answer, 0) + max(l.Connect, 0)
	took := before
	if i > 0 {
		took = max(took, l.QueryTime-x.s.Looks[i-1].QueryTime)
	}
	x.late = max(x.late, took)
	x.due = append(x.due, span{l.At.Add(-before), l.At.Add(took - before)})
}

// proven says that the silence is a fault: it lasted, or its reason was seen,
// which takes no time to prove.
func (x *silence) proven() bool { return x.lasted() || x.down() || x.heldUp() }

// lasted: for too long to be a moment in which a CPU was busy elsewhere.
func (x *silence) lasted() bool {
	window := x.v.End().Sub(x.v.Start())
	return x.last.State != "" && (x.long >= silentAtLeast.Duration() || x.long.Seconds() >= silentShare.Value*window.Seconds())
}

// down: as the window ended its process was gone, with no other one in its place,
// or nothing listened there.
func (x *silence) down() bool {
	if x.back {
		return false
	}
	if p, here := process(x.v, x.s); here && p.Gone {
		_, replaced := x.successor(p)
		return !replaced
	}
	return x.last.State == recording.ServerUnreachable &&
		slices.ContainsFunc(refusals, func(r refusal) bool { return r.absent && strings.Contains(x.last.Error, r.says) })
}

// heldUp: its process was stopped while an answer was due.
func (x *silence) heldUp() bool {
	p, here := process(x.v, x.s)
	if !here {
		return false
	}
	_, n := x.halted(p)
	return n > 0
}

// halted counts the readings of a process at which it was stopped, by a signal (T)
// or a debugger (t), and an answer was due.
func (x *silence) halted(p view.Process) (state string, n int) {
	for _, reading := range p.Samples {
		r := reading.Of()
		if r.State != "T" && r.State != "t" {
			continue
		}
		if slices.ContainsFunc(x.due, func(d span) bool { return !reading.At().Before(d.from) && !reading.At().After(d.to) }) {
			state, n = r.State, n+1
		}
	}
	return state, n
}

// successor is the process that took the place of one that ended: the same
// program with the same arguments.
func (x *silence) successor(p view.Process) (view.Process, bool) {
	seen := p.Samples[len(p.Samples)-1].At()
	for _, q := range x.v.Processes() {
		if q.Comm == p.Comm && q.Cmdline == p.Cmdline && !q.Gone && q.Started.After(seen) {
			return q, true
		}
	}
	return view.Process{}, false
}

// restart finds the looks before and after the server restarted: it had not been
// up for as long as before.
func (x *silence) restart() (before, after recording.MySQLServer, ok bool) {
	for _, l := range x.s.Looks {
		if !answered(l) || l.Uptime < 0 {
			continue
		}
		if before.State != "" && l.Uptime < before.Uptime {
			return before, l, true
		}
		before = l
	}
	return before, after, false
}

// doubt is why a server that was not silent for long cannot be called healthy
// either; nil if it can.
func (x *silence) doubt() *rule.NotJudged {
	p, here := process(x.v, x.s)
	meant := &rule.NotJudged{Needs: "to know whether " + named(x.s) + " was restarted on purpose", How: shell.Say("if it was not, read its error log: %s", logs)}
	if before, after, ok := x.restart(); ok {
		meant.Why = fmt.Sprintf("it restarted between %s and %s and answers again", unit.Clock(before.At), unit.Clock(after.At))
		return meant
	}
	if here && p.Gone {
		last := unit.Clock(p.Samples[len(p.Samples)-1].At())
		if q, ok := x.successor(p); ok {
			meant.Why = fmt.Sprintf("it was last seen at %s, and %s (%d) has started since", last, q.Comm, q.PID)
			return meant
		}
		return &rule.NotJudged{Needs: "a look at " + named(x.s) + " after it ended", Why: fmt.Sprintf("its process was last seen at %s and still answered rtrail's last look", last), How: shell.Say("see whether it ended: %s; %s", ask(x.s, shell.SQL("select 1")), logs)}
	}
	longer := &rule.NotJudged{Needs: "a longer look at " + named(x.s), How: shell.Say("watch for longer: --for 30s")}
	const short = ", too short to distinguish a stalled server from a busy CPU"
	switch {
	case x.last.State != "" && !x.back:
		longer.Why = fmt.Sprintf("%d of %d looks got no answer, including the last one: %s", x.silentLooks(), len(x.s.Looks), cmp.Or(x.last.Error, x.last.State))
	case x.last.State != "":
		longer.Why = fmt.Sprintf("it did not answer for %s%s: %s", unit.Duration(x.long), short, cmp.Or(x.last.Error, x.last.State))
	case x.late > 0:
		longer.Why = fmt.Sprintf("rtrail waited %s in one look%s", unit.Duration(x.late), short)
	default:
		return nil
	}
	return longer
}

// silentLooks is how many looks got no answer.
func (x *silence) silentLooks() (n int) {
	for _, l := range x.s.Looks {
		if mute(l) {
			n++
		}
	}
	return n
}
