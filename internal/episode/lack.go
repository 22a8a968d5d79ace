package episode

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// lack is a probe that told nothing in a part, and the rules that were not judged for it.
type lack struct {
	probe, why string
	rules      []string // IDs
	failed     bool     // its samples came too late or failed; else it has none
}

// Lack is a probe that told nothing in parts that were judged, although it ran: rules were not
// judged there, and their silence is no health.
type Lack struct {
	Probe    string
	Why      string    // "": it has no samples, and nothing says why
	Rules    []string  // IDs, sorted
	From, To time.Time // from the first of the parts to the last
	Parts    int
}

// minSilent is in how many parts in a row a probe that does not say why has to have no sample. It is
// sampled less often to save CPU time, and may have none in a part by chance.
const minSilent = 3

// lacksOf are the probes that told nothing in what was judged. A recording that does not say when
// probes ran, as tests make them, has none.
func lacksOf(v *view.View, judged *verdict.Verdict) (list []lack, late map[string]string) {
	late = map[string]string{}
	every := map[string]time.Duration{}
	for _, p := range v.Manifest().Probes {
		if p.Missing == "" {
			every[p.Name] = p.Interval
		}
	}
	runs := 0
	for _, h := range judged.Probes {
		runs += h.Runs
	}
	for _, h := range judged.Probes {
		if h.Late > 0 {
			late[h.Name] = h.Error
		}
		interval, started := every[h.Name]
		failed := h.Runs > 0 && (h.Late == h.Runs || !h.OK)
		silent := h.Runs == 0 && runs > 0 && started && v.End().Sub(v.Start()) >= 2*interval
		if !failed && !silent {
			continue
		}
		l := lack{probe: h.Name, why: h.Error, failed: failed}
		for _, n := range judged.NotJudged {
			if n.Needs == "probe "+h.Name {
				l.rules = append(l.rules, n.Rule)
			}
		}
		if len(l.rules) > 0 {
			list = append(list, l)
		}
	}
	return list, late
}

// lacking joins what the parts of a piece lack, which come in the order of time.
func (s *Survey) lacking(parts []*part) {
	var names []string
	for _, p := range parts {
		for _, l := range p.lacks {
			if !slices.Contains(names, l.probe) {
				names = append(names, l.probe)
			}
		}
	}
	for _, name := range names {
		for i := 0; i < len(parts); i++ {
			first, known, why := i, false, ""
			if i > 0 { // it was given up after samples that came
				why, known = parts[i-1].late[name]
			}
			for ; i < len(parts); i++ {
				l := parts[i].lackOf(name)
				if l == nil {
					break
				}
				known = known || l.failed
			}
			if known || i-first >= minSilent {
				for _, p := range parts[first:i] {
					s.lack(p, p.lackOf(name), why)
				}
			}
		}
	}
}

// lackOf is what a part lacks of a probe; nil: nothing.
func (p *part) lackOf(probe string) *lack {
	for i := range p.lacks {
		if p.lacks[i].probe == probe {
			return &p.lacks[i]
		}
	}
	return nil
}

// lack adds a part that lacks a probe; why is what the samples before it say.
func (s *Survey) lack(p *part, l *lack, why string) {
	i := slices.IndexFunc(s.lacks, func(have Lack) bool { return have.Probe == l.probe })
	if i < 0 {
		i = len(s.lacks)
		s.lacks = append(s.lacks, Lack{Probe: l.probe, From: p.begin})
	}
	have := &s.lacks[i]
	have.Why = cmp.Or(have.Why, why, l.why)
	have.To = p.end
	have.Parts++
	for _, rule := range l.rules {
		if at, known := slices.BinarySearch(have.Rules, rule); !known {
			have.Rules = slices.Insert(have.Rules, at, rule)
		}
	}
}

// Lacks lists the probes that told nothing in parts that were judged, and for which rules were not
// judged there. Those that never ran are not among them: the manifest says why.
func (s *Survey) Lacks() []Lack { return s.lacks }
