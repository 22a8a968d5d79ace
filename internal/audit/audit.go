// Package audit looks at settings of a host that are wrong before anything hurts:
// what is set, why it matters, the change with its price, and who should leave it
// alone. A remark is possible at most; only a fault that a rule found, and that the
// setting explains, makes it more.
//
// The checks are data: a Check each, in the files checks_*.go. A value that is the
// kernel's or the distribution's default is remarked on only beside evidence that it
// does not fit this host.
package audit

import (
	"fmt"
	"slices"

	"rtrail/internal/crash"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// Check is one kind of setting and what is known of it.
type Check struct {
	ID     string // "audit/mtu"
	Title  string // what is wrong with the setting, for lists
	Reads  string // files and tables
	Why    string // what it does to response times
	When   string // when it is remarked on
	Change string // how it is changed
	Price  string // what the change costs, and what it may break
	Leave  string // who should leave it alone
	// Explains are IDs of rules whose findings about the same thing the setting may
	// explain; Proves those of them that then are certain, because the finding shows
	// what such a setting does and hardly anything else does. Remark.Fits narrows both.
	Explains, Proves []string
	Thresholds       []*rule.Threshold
	// Look finds remarks; seen says whether there was anything to judge.
	Look func(*view.View) (list []Remark, seen bool)
}

// Remark is one setting that is worth a look.
type Remark struct {
	Check   *Check
	Subject view.Entity
	Spaces  []uint64      // network namespaces it is about; nil: not of one
	Words   rule.Text     // what is set, and what it does not fit
	See     shell.Command // shows the setting
	Change  shell.Command // may be none
	// Fits says of a finding about the same thing, of a rule that the check explains,
	// whether it shows what this value does, and whether nothing but this value can be
	// its cause, as far as is measured. nil: both.
	Fits func(*rule.Finding) (explains, proves bool)
}

// Report is the audit of one host.
type Report struct {
	Remarks []Remark
	Fine    []*Check // judged, without a remark
	Absent  []*Check // there was nothing of what they judge, or it could not be read
	Failed  []string // why a check has judged nothing: a mistake of its own
	Blind   []string // what of the evidence is missing, so that silence of checks says little
}

// Of looks at all settings of a view.
func Of(v *view.View) Report {
	r := Report{Blind: blindIn(v)}
	for i := range Checks {
		c := &Checks[i]
		var list []Remark
		var seen bool
		err := crash.Guard(func() error {
			list, seen = c.Look(v)
			return nil
		})
		switch {
		case err != nil:
			r.Failed = append(r.Failed, c.ID+" could not look: "+err.Error())
		case len(list) > 0:
			for j := range list {
				list[j].Check = c
			}
			r.Remarks = append(r.Remarks, list...)
		case seen:
			r.Fine = append(r.Fine, c)
		default:
			r.Absent = append(r.Absent, c)
		}
	}
	return r
}

// looksAt are tables of settings, and of those that they are compared with. A probe that fills one is missed.
var looksAt = []recording.Table{recording.Sysctls, recording.Memory, recording.NetDevices, recording.Interrupts,
	recording.Processes, recording.Limits, recording.Listeners, recording.Cgroups, recording.ProbeRuns}

// maxBlind bounds what is told of files that are missing.
const maxBlind = 5

// blindIn says what checks could not look at although it was wanted.
func blindIn(v *view.View) (list []string) {
	_, runs := view.Group(view.Rows[recording.ProbeRun](v), func(r recording.ProbeRun) string { return r.Probe })
	for _, p := range v.Manifest().Probes {
		if !slices.ContainsFunc(p.Fills, func(t recording.Table) bool { return slices.Contains(looksAt, t) }) {
			continue
		}
		own := runs[p.Name]
		switch {
		case len(own) == 0 && p.Missing != "":
			list = append(list, fmt.Sprintf("the probe %s did not run: %s", p.Name, p.Missing))
		case len(own) == 0 && len(runs) > 0:
			list = append(list, fmt.Sprintf("the probe %s did not run in this time", p.Name))
		case len(own) > 0 && !slices.ContainsFunc(own, func(r recording.ProbeRun) bool { return r.Error == "" || r.Rows > 0 }):
			list = append(list, fmt.Sprintf("the probe %s failed: %s", p.Name, own[len(own)-1].Error))
		}
	}
	told := 0
	for _, u := range v.Unread() {
		if told < maxBlind && slices.Contains(looksAt, u.Table) && !slices.Contains(list, u.Why) {
			list = append(list, u.Why)
			told++
		}
	}
	return list
}

// Explains says whether a setting explains a finding about the same thing, and
// whether it proves it.
func (r *Remark) Explains(f *rule.Finding) (explains, proves bool) {
	if !slices.Contains(r.Check.Explains, f.Rule) {
		return false, false
	}
	about := r.Subject.Kind == view.KindHost || f.Affected(r.Subject)
	if r.Spaces != nil {
		// A peer in a capture has no namespace; the server that it talks to has.
		in := func(e view.Entity) bool { return slices.Contains(r.Spaces, e.NetNS) }
		about = in(f.Subject) || slices.ContainsFunc(f.Affects, in)
	}
	if !about {
		return false, false
	}
	explains, proves = true, true
	if r.Fits != nil {
		explains, proves = r.Fits(f)
	}
	return explains, explains && proves && slices.Contains(r.Check.Proves, f.Rule)
}

// Checks are all of them, in the order of the report.
var Checks = slices.Concat(cpuChecks, memoryChecks, limitChecks, netChecks)
