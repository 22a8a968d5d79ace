package verdict

import (
	"slices"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// AddLook adds what one look at the same host shows, which was taken at another time than the window and
// judged by these rules: levels, which are hints at most, and settings. What it finds nothing of stays
// as it was judged, or not judged, by the window.
func (v *Verdict) AddLook(look Verdict, rules []rule.Rule) {
	found := map[string]bool{}
	for _, f := range look.Findings {
		if holds(v.Findings, f) {
			continue
		}
		found[f.Rule], f.Confidence = true, rule.Possible
		f.Notes = append(slices.Clip(f.Notes), rule.T("seen in one look, %v, which is not of the window", unit.Moment(look.Window.End)))
		v.Findings = append(v.Findings, f)
	}
	v.Findings = rank(v.Findings)
	v.NotJudged = slices.DeleteFunc(v.NotJudged, func(n NotJudged) bool {
		if found[n.Rule] {
			v.Judged++
		}
		return found[n.Rule]
	})
	for _, r := range rules {
		if found[r.ID] {
			v.Healthy = slices.DeleteFunc(v.Healthy, func(resource string) bool { return resource == r.Resource || slices.Contains(r.Refutes, resource) })
		}
	}
	v.Settings = append(v.Settings, look.Settings...)
	for _, p := range look.Probes {
		if p.Runs > 0 {
			v.Probes = append(v.Probes, p)
		}
	}
	for _, n := range look.Notes {
		if !slices.Contains(v.Notes, n) {
			v.Notes = append(v.Notes, n)
		}
	}
}

// holds says whether a fault is among findings or what they explain.
func holds(list []Finding, fault Finding) bool {
	return slices.ContainsFunc(list, func(f Finding) bool {
		return f.Rule == fault.Rule && f.Subject.Same(fault.Subject) || holds(f.Explains, fault)
	})
}
