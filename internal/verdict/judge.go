package verdict

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"rtrail/internal/audit"
	"rtrail/internal/recording"
	"rtrail/internal/refusal"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// lossTolerance is the share of rows a probe may lose before findings built on
// it are trusted less. Below it, a delta over the window is off by less than
// the sampling itself makes it.
const lossTolerance = 0.05

// Judge runs the rules over a view and puts their findings in order.
func Judge(v *view.View, rules []rule.Rule) Verdict {
	manifest := v.Manifest()
	sources := sourcesOf(v)
	out := Verdict{
		Tool:   manifest.Tool,
		Host:   manifest.Host,
		Window: Window{Start: v.Start(), End: v.End()},
		Probes: sources.health,
		Time:   timeOf(v),
		Vitals: vitalsOf(v),
		Unseen: slices.Concat(unseenIn(v), sampledIn(v), gapsIn(v)),
		Notes:  slices.Concat(manifest.Notes, ownCost(v), replication(v)),

		Thresholds: rule.Overridden(rules),

		Captures: capturesOf(v), Lookups: lookupsIn(v),
	}
	for _, o := range out.Thresholds {
		out.Notes = append(out.Notes, o.String())
	}
	out.OffCPU = offCPUOf(v, out.Time)
	var found []Finding
	captured := packetsIn(v)
	blamed := map[string]bool{}   // resources that a finding, be it a hint, is about or refutes
	unjudged := map[string]bool{} // resources not all rules of which were judged
	seen := map[string]bool{}     // resources of which a rule had anything to judge
	for _, r := range rules {
		if missing, ok := sources.missing(r); ok {
			out.NotJudged = append(out.NotJudged, missing)
			unjudged[r.Resource] = true
			continue
		}
		findings, err := detect(r, v)
		if why, unread := sources.damaged(r); unread && len(findings) == 0 {
			err = why
		}
		if err == nil && len(findings) == 0 {
			if err = blind(r, out.Unseen); err == nil {
				err = captured.barren(r, func(t recording.Table) bool {
					_, missing := sources.absent(r, t)
					return !missing
				})
			}
		}
		if err != nil {
			out.NotJudged = append(out.NotJudged, abstention(r, err))
			unjudged[r.Resource] = true
		} else {
			out.Judged++
			if len(findings) == 0 && sources.lossy(r) {
				out.Dim = append(out.Dim, r.ID)
			}
		}
		once := sources.once(r)
		if once {
			unjudged[r.Resource] = true // nobody knows what happens between looks
		}
		if len(findings) > 0 || r.Seen == nil || r.Seen(v) {
			seen[r.Resource] = true
		}
		if len(findings) > 0 {
			blamed[r.Resource] = true
			for _, resource := range r.Refutes {
				blamed[resource] = true
			}
		}
		for _, f := range findings {
			f.Rule = r.ID
			for i, e := range f.Evidence {
				f.Evidence[i].Check = e.Command()
			}
			f.Plural = cmp.Or(f.Plural, r.Plural)
			placed := Finding{Finding: f, Title: r.Title, Key: v.KeyOf(f.Subject), Formerly: r.Formerly}
			if sources.lossy(r) {
				placed.Lossy = true
				placed.Confidence = max(placed.Confidence-1, rule.Possible)
			}
			if once {
				placed.Confidence = rule.Possible
			}
			found = append(found, placed)
		}
	}
	out.Unjudged = unjudgedIn(v, found)
	for _, c := range out.Unjudged {
		blamed[c.Resource] = true
	}
	out.Settings = audit.Of(v).Remarks
	cite(out.Settings, found)
	found, left := foremost(found)
	out.Notes = append(out.Notes, left...)
	out.Findings = rank(fold(v, found, rules))
	out.Waits = chainsOf(v, out.Findings)
	for _, r := range rules {
		if seen[r.Resource] && !blamed[r.Resource] && !unjudged[r.Resource] && !slices.Contains(out.Healthy, r.Resource) {
			out.Healthy = append(out.Healthy, r.Resource)
		}
	}
	return out
}

// maxCited is how many settings a finding names, besides one that makes it certain.
const maxCited = 5

// cite names the settings that explain findings. A likely one becomes certain if a
// setting proves it, unless rows were lost.
func cite(settings []audit.Remark, found []Finding) {
	for i := range found {
		f := &found[i]
		cited := 0
		for j := range settings {
			explains, proves := settings[j].Explains(&f.Finding)
			raises := proves && f.Confidence == rule.Likely && !f.Lossy
			if !explains || cited >= maxCited && !raises {
				continue
			}
			f.Notes = append(f.Notes, rule.T("a setting explains it: %v (%s)", settings[j].Words, settings[j].Check.ID))
			cited++
			if raises {
				f.Confidence = rule.Certain
			}
		}
	}
}

// unjudgedIn lists the counters of refused work that rose in the window and that
// no finding accounts for, be it a hint: such a rise is never health.
func unjudgedIn(v *view.View, found []Finding) []refusal.Risen {
	return slices.DeleteFunc(refusal.Rising(v), func(c refusal.Risen) bool {
		return slices.ContainsFunc(found, func(f Finding) bool { return c.AccountedFor(f.Finding) })
	})
}

// unseenIn lists what probes could not see in the window, each thing once with
// the count of the sample that missed most of it.
func unseenIn(v *view.View) []Unseen {
	type key struct{ probe, what, why, how string }
	keys, series := view.Group(view.Rows[recording.UnseenNote](v), func(n recording.UnseenNote) key {
		return key{n.Probe, n.What, n.Why, n.How}
	})
	var list []Unseen
	for _, k := range keys {
		u := Unseen{Probe: k.probe, What: k.what, Why: k.why, How: shell.Recorded(k.how)}
		for _, n := range series[k] {
			if n.Count >= u.Count {
				u.Count, u.Of = n.Count, n.Of
			}
		}
		list = append(list, u)
	}
	return list
}

// blind says that a rule which found nothing could not see what it looks for.
func blind(r rule.Rule, unseen []Unseen) error {
	for _, u := range unseen {
		if slices.Contains(r.BlindWithout, recording.Sight(u.What)) {
			return &rule.NotJudged{Needs: u.What, Why: u.Why, How: u.How}
		}
	}
	return nil
}

// detect runs one rule. A rule that panics is a rule that was not judged, not
// an answer lost.
func detect(r rule.Rule, v *view.View) (found []rule.Finding, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &rule.NotJudged{Needs: "a fixed rule", Why: fmt.Sprintf("rule crashed (bug): %v", p), How: shell.Say("please report this, with a recording: rtrail record -o DIR")}
		}
	}()
	return r.Detect(v)
}

func abstention(r rule.Rule, err error) NotJudged {
	n := NotJudged{Rule: r.ID, Title: r.Title, Resource: r.Resource, Why: err.Error()}
	if why, ok := errors.AsType[*rule.NotJudged](err); ok {
		n.Needs, n.Why, n.How = why.Needs, why.Why, why.How
	}
	return n
}

// timeOf lists where the busiest processes spent the window.
func timeOf(v *view.View) []ProcessTime {
	const most = 8
	var list []ProcessTime
	for _, p := range v.ProcessTimes() {
		if len(list) == most {
			break
		}
		list = append(list, ProcessTime{
			Name: p.Process.Comm, PID: p.Process.PID, Threads: p.Threads, Samples: p.Samples,
			OnCPU: p.Share[view.OnCPU], Runnable: p.Share[view.Runnable], Disk: p.Share[view.WaitDisk],
			Lock: p.Share[view.WaitLock], Network: p.Share[view.WaitNetwork], Sleeping: p.Share[view.Sleeping],
		})
	}
	return list
}

// offCPUOf lists what kept threads of the busiest processes from running. A sleep that
// a timer ends and a wait that goes on say nothing of others: idle threads do both.
func offCPUOf(v *view.View, busiest []ProcessTime) []view.OffCPU {
	const most = 8
	var list []view.OffCPU
	for _, o := range v.OffCPU() {
		if len(list) == most {
			break
		}
		ended := o.State == "R" || o.Waker != "" || o.Interrupt != "" && o.Interrupt != "timer"
		if ended && slices.ContainsFunc(busiest, func(t ProcessTime) bool { return t.PID == o.PID }) {
			list = append(list, o)
		}
	}
	return list
}

// ownCost says what asking servers cost them, as measured at the client.
func ownCost(v *view.View) (notes []string) {
	for _, s := range v.MySQLServers() {
		if own, ok := s.OwnQueryTime(); ok && own > 0 && s.Answered() {
			notes = append(notes, fmt.Sprintf("rtrail waited %s a second for its own queries to mysql %s", unit.Seconds(own), s.Server))
		}
	}
	return notes
}

// replication says what is wrong with how servers follow others. Whether that
// makes anything slow, no evidence of one server tells, so that it is no finding.
func replication(v *view.View) (notes []string) {
	for _, s := range v.MySQLServers() {
		for _, r := range v.ReplicasOf(s.Server) {
			if text := view.ReplicaTrouble(&r); text != "" {
				notes = append(notes, "mysql "+s.Server+", "+text)
			}
		}
	}
	return notes
}

// sources knows which probe fills which table, and how that went.
type sources struct {
	v      *view.View
	health []ProbeHealth
	fills  map[recording.Table]int    // index into health
	lost   map[recording.Table]int64  // rows, where it is known of which table they are
	unread map[recording.Table]string // why not all of the window could be read, although it was recorded
}

func sourcesOf(v *view.View) sources {
	s := sources{v: v, fills: map[recording.Table]int{}, lost: map[recording.Table]int64{}, unread: unreadIn(v)}
	_, losses := view.Group(view.Rows[recording.TableLoss](v), func(l recording.TableLoss) string { return l.Probe })
	_, runs := view.Group(view.Rows[recording.ProbeRun](v), func(r recording.ProbeRun) string { return r.Probe })
	programs := programCosts(v)
	for i, p := range v.Manifest().Probes {
		if len(runs[p.Name]) > 0 {
			p.Missing, p.Remedy = "", "" // it could start later
		}
		h := ProbeHealth{Name: p.Name, OK: p.Missing == "", Error: p.Missing, Remedy: shell.Recorded(p.Remedy)}
		for _, run := range runs[p.Name] {
			h.Runs++
			h.Seconds += run.Duration.Seconds()
			h.CPU += run.CPU.Seconds()
			h.Rows += run.Rows
			h.Lost += run.Lost
			h.LostElsewhere += run.Lost
			if run.Late {
				h.Late++
			}
			if run.Error != "" {
				h.Error = run.Error
			}
		}
		for _, l := range losses[p.Name] {
			t := recording.Table(l.TableOf)
			if !slices.Contains(p.Fills, t) {
				continue
			}
			if s.lost[t] += l.Lost; !slices.Contains(h.LostFrom, t) {
				h.LostFrom = append(h.LostFrom, t)
			}
			h.LostElsewhere -= l.Lost
		}
		h.Programs = programs[p.Name]
		if h.Runs > 0 && h.Rows == 0 && h.Error != "" {
			h.OK = false
		}
		s.health = append(s.health, h)
		for _, t := range p.Fills {
			s.fills[t] = i
		}
	}
	return s
}

// unreadIn says why tables lack rows that were recorded in the window.
func unreadIn(v *view.View) map[recording.Table]string {
	why := map[recording.Table]string{}
	for _, u := range v.Unread() {
		if why[u.Table] == "" {
			why[u.Table] = u.Why
		}
	}
	return why
}

// damaged says of a rule that found nothing what it could have seen in rows that were recorded and could not
// be read. Notes of what probes did not see are of such a table, too.
func (s sources) damaged(r rule.Rule) (*rule.NotJudged, bool) {
	for _, t := range slices.Concat(r.Needs, r.NeedsAny) {
		if why := s.unread[t]; why != "" {
			return notRead(t, why), true
		}
	}
	if why := s.unread[recording.Unseen]; why != "" && len(r.BlindWithout) > 0 {
		return notRead(recording.Unseen, why), true
	}
	return nil, false
}

func notRead(t recording.Table, why string) *rule.NotJudged {
	return &rule.NotJudged{Needs: fmt.Sprintf("all rows of %s", t), Why: why, How: shell.Say("copy the recording again, with all of its files")}
}

// programCosts sums up what BPF programs cost, by their probe.
func programCosts(v *view.View) map[string][]ProgramCost {
	type key struct{ probe, program string }
	keys, rows := view.Group(view.Rows[recording.EventProgram](v), func(r recording.EventProgram) key { return key{r.Probe, r.Program} })
	all := map[string][]ProgramCost{}
	for _, k := range keys {
		c := ProgramCost{Name: k.program, Traced: 1}
		var span, attached time.Duration
		for _, r := range rows[k] {
			c.Tracepoint = r.Tracepoint
			c.Runs += r.Runs
			c.Seconds += r.RunTime.Seconds()
			c.Stopped = c.Stopped || r.Stopped
			attached += r.Attached
			span += cmp.Or(r.Span, r.Attached)
		}
		if span > 0 {
			c.Share = c.Seconds / span.Seconds()
			c.Traced = min(attached.Seconds()/span.Seconds(), 1)
		}
		all[k.probe] = append(all[k.probe], c)
	}
	for _, list := range all {
		slices.SortStableFunc(list, func(a, b ProgramCost) int { return cmp.Compare(b.Seconds, a.Seconds) })
	}
	return all
}

// missing says what a rule lacks. A table without rows is evidence too, as
// long as its probe ran: no listeners, no swap areas, a silent kernel log.
func (s sources) missing(r rule.Rule) (NotJudged, bool) {
	for _, t := range r.Needs {
		if n, missing := s.absent(r, t); missing {
			return n, true
		}
	}
	var best NotJudged // says of a probe why it did not run, if there is one
	told := false
	for i, t := range r.NeedsAny {
		n, missing := s.absent(r, t)
		if !missing {
			return NotJudged{}, false
		}
		if _, known := s.fills[t]; i == 0 || known && !told {
			best, told = n, known
		}
	}
	return best, len(r.NeedsAny) > 0
}

// absent says what is wrong with a table that a rule needs.
func (s sources) absent(r rule.Rule, t recording.Table) (NotJudged, bool) {
	if s.v.Has(t) {
		return s.untold(r, t)
	}
	if why := s.unread[t]; why != "" {
		return abstention(r, notRead(t, why)), true
	}
	n := NotJudged{Rule: r.ID, Title: r.Title, Resource: r.Resource, Needs: fmt.Sprintf("evidence of %s", t), Why: "the recording has none"}
	i, known := s.fills[t]
	if !known {
		return n, true
	}
	h := s.health[i]
	if why := s.unread[recording.ProbeRuns]; h.OK && h.Runs == 0 && why != "" {
		return abstention(r, notRead(recording.ProbeRuns, why)), true
	}
	if !h.OK || h.Runs == 0 || h.Late == h.Runs {
		n.Needs = "probe " + h.Name
		n.Why, n.How = h.Error, h.Remedy
		if n.Why == "" {
			n.Why = "it did not run in the window"
		}
		return n, true
	}
	if s.v.TooShort(t) {
		n.Why, n.How = "the window is shorter than the stretches of time that its rows tell of", shell.Say("choose a longer window, or record with a shorter --interval")
		return n, true
	}
	return NotJudged{}, false
}

// once says that a rule judges what was looked at once.
func (s sources) once(r rule.Rule) bool {
	return slices.ContainsFunc(slices.Concat(r.Needs, r.NeedsAny), func(t recording.Table) bool {
		i, known := s.fills[t]
		return known && s.v.Manifest().Probes[i].Once && s.v.Has(t)
	})
}

// untold says what a rule needs that the source of a table does not tell: a column, or what
// changes.
func (s sources) untold(r rule.Rule, t recording.Table) (NotJudged, bool) {
	i, known := s.fills[t]
	if !known {
		return NotJudged{}, false
	}
	info := s.v.Manifest().Probes[i]
	if info.Once && !r.Levels {
		return NotJudged{Rule: r.ID, Title: r.Title, Resource: r.Resource, Needs: "two looks at the host", Why: "one shows no rates",
			How: shell.Say("take a second one some seconds later, and give both")}, true
	}
	partly, tells := info.Partly(t)
	if !partly {
		return NotJudged{}, false
	}
	n := NotJudged{Rule: r.ID, Title: r.Title, Resource: r.Resource, Needs: fmt.Sprintf("all of %s", t), Why: info.Name + " tells a part of it"}
	listed := false
	for _, c := range r.Columns {
		if column, ok := strings.CutPrefix(c, string(t)+"."); ok {
			listed = true
			if !tells(column) {
				n.Needs, n.Why = fmt.Sprintf("%s of %s", column, t), info.Name+" does not tell it"
				return n, true
			}
		}
	}
	return n, !listed
}

// lossy says whether a rule stands on evidence with holes. Of tables that can
// stand in for each other it is enough that one has none.
func (s sources) lossy(r rule.Rule) bool {
	if slices.ContainsFunc(r.Needs, s.holed) {
		return true
	}
	return len(r.NeedsAny) > 0 && !slices.ContainsFunc(r.NeedsAny, func(t recording.Table) bool {
		_, known := s.fills[t]
		_, missing := s.absent(r, t)
		return known && !missing && !s.holed(t)
	})
}

func (s sources) holed(t recording.Table) bool {
	if s.unread[t] != "" {
		return true
	}
	i, known := s.fills[t]
	if !known {
		return false
	}
	h := s.health[i]
	if tooMany(h.LostElsewhere, h.Rows) || s.lost[t] > 0 && tooMany(s.lost[t], s.v.CountRows(t)) {
		return true
	}
	// Two readings make a rate; with every other one missing nobody knows
	// what happened in between.
	return h.Late*2 >= h.Runs && h.Late > 0
}

// tooMany says that rows which are missing beside others are more than is tolerated.
func tooMany(lost, rows int64) bool {
	return lost > 0 && float64(lost)/float64(rows+lost) > lossTolerance
}
