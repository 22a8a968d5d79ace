package watch

import (
	"cmp"
	"maps"
	"path"
	"slices"
	"time"
)

// Tracker follows faults from window to window.
type Tracker struct {
	Host string
	Step time.Duration // from the end of a window to that of the next
	// See makes the command that shows more of a fault; nil: none is told.
	See func(since time.Time) string

	faults []*Fault // the oldest first
}

// Judge takes the next window and says what is to be told of it, in the order of the verdict, ends last.
func (t *Tracker) Judge(w Window) []Notice {
	var out []Notice
	w = t.bounded(w)
	by := t.assign(w)
	here := map[*Fault]bool{}
	for i, f := range by {
		here[f] = true
		f.isSeen(w.Seen[i], w)
	}
	for _, f := range t.faults {
		if !here[f] && !t.unjudged(f, w) {
			f.isMissed(w, explainer(f, w))
		}
	}
	for i, f := range by {
		if n, ok := t.tell(f, w.Seen[i], w); ok {
			out = append(out, n)
		}
	}
	for _, f := range t.faults {
		if n, ok := t.end(f, w); ok {
			out = append(out, n)
		}
	}
	t.forget(w)
	return out
}

// bounded leaves findings out of a window that has too many, but keeps the causes of open faults
// as long as there is room. Silence about faults of the rules concerned then says nothing.
func (t *Tracker) bounded(w Window) Window {
	known := map[Key]bool{}
	for _, f := range t.faults {
		if f.Open {
			known[f.Cause] = true
		}
	}
	goOn := 0 // findings for which room is kept
	for i := range w.Seen {
		if known[w.Seen[i].Key] {
			goOn++
		}
	}
	room := maxSeen - min(goOn, maxSeen)
	alike := map[string]int{}
	kept := make([]Seen, 0, min(len(w.Seen), maxSeen))
	unjudged := maps.Clone(w.Unjudged)
	if unjudged == nil {
		unjudged = map[string]bool{}
	}
	for _, s := range w.Seen {
		switch goesOn := known[s.Key]; {
		case len(kept) == maxSeen, !goesOn && (room == 0 || alike[s.Key.Rule] == maxAlike):
			unjudged[s.Key.Rule] = true
			continue
		case !goesOn:
			room--
			alike[s.Key.Rule]++
		}
		kept = append(kept, s)
	}
	w.Seen, w.Unjudged = kept, unjudged
	return w
}

// assign finds the fault that each finding goes on with, or makes one.
func (t *Tracker) assign(w Window) []*Fault {
	by := make([]*Fault, len(w.Seen))
	taken := map[*Fault]bool{}
	order := t.inOrder()
	pair := func(same func(f *Fault, s *Seen) bool) {
		for i := range w.Seen {
			if by[i] != nil {
				continue
			}
			for _, f := range order {
				if !taken[f] && same(f, &w.Seen[i]) {
					by[i], taken[f] = f, true
					break
				}
			}
		}
	}
	pair(func(f *Fault, s *Seen) bool { return f.Cause == s.Key })
	live := func(f *Fault) bool { return f.Open || f.seen > 0 }
	// The cause that is about to be told.
	pair(func(f *Fault, s *Seen) bool { return live(f) && f.next != nil && f.next.Key == s.Key })
	// It has become a consequence.
	pair(func(f *Fault, s *Seen) bool { return live(f) && slices.Contains(s.Explains, f.Cause) })
	// Of a fault one consequence is left, or its cause is not known any more.
	pair(func(f *Fault, s *Seen) bool { return live(f) && f.hasMember(s.Key) })
	// Another rule tells of the same subject now, as when a disk itself is full after a group's limit was.
	pair(func(f *Fault, s *Seen) bool {
		return live(f) && f.Cause.Subject == s.Key.Subject && path.Dir(f.Cause.Rule) == path.Dir(s.Key.Rule)
	})
	// It has moved on to somebody else.
	pair(func(f *Fault, s *Seen) bool { return live(f) && f.Cause.Rule == s.Key.Rule })
	for i, s := range w.Seen {
		if by[i] == nil {
			by[i] = newFault(t.Host, s, w)
			t.faults = append(t.faults, by[i])
		}
	}
	return by
}

// inOrder are the faults, those that were told first.
func (t *Tracker) inOrder() []*Fault {
	return slices.SortedStableFunc(slices.Values(t.faults), func(a, b *Fault) int {
		return cmp.Compare(rank(a), rank(b))
	})
}

func rank(f *Fault) int {
	switch {
	case f.Open:
		return 0
	case f.told():
		return 1
	}
	return 2
}

// unjudged says whether silence about a fault says nothing.
func (t *Tracker) unjudged(f *Fault, w Window) bool {
	return w.Blind || w.Unjudged[f.Cause.Rule] && explainer(f, w) == nil
}

// explainer is the finding that explains the cause of a fault; nil: none does.
func explainer(f *Fault, w Window) *Seen {
	for i := range w.Seen {
		if slices.Contains(w.Seen[i].Explains, f.Cause) {
			return &w.Seen[i]
		}
	}
	return nil
}

// tell makes the notice of a fault that a window has, if one is due.
func (t *Tracker) tell(f *Fault, s Seen, w Window) (Notice, bool) {
	switch {
	case !f.Open:
		if f.seen < confirm && !(s.Certain && s.Weight >= atOnce) || t.openOf(f.Cause.Rule) >= perRule {
			return Notice{}, false
		}
		f.Open, f.Changes = true, 0
		f.Times++
		return t.notice(Began, f, w), true
	case f.nextSeen >= f.certainty(t.Step):
		f.Changes++
		was := &Cause{f.Cause, f.About.Headline}
		f.becomes(*f.next)
		n := t.notice(Changed, f, w)
		n.Was = was
		return n, true
	}
	return Notice{}, false
}

// end makes the notice of a fault that is over.
func (t *Tracker) end(f *Fault, w Window) (Notice, bool) {
	lost := w.To.Sub(f.judged) >= unjudgedFor
	if !f.Open || f.missed < f.patience(t.Step) && !lost {
		return Notice{}, false
	}
	f.Open = false
	n := t.notice(Ended, f, w)
	last := f.Last
	n.Until, n.Unjudged = &last, lost
	if f.under != nil {
		n.Within = &Cause{f.under.Key, f.under.About.Headline}
	}
	return n, true
}

func (t *Tracker) notice(e Event, f *Fault, w Window) Notice {
	n := Notice{Event: e, At: w.To, Fault: f.ID, Times: f.Times, Host: t.Host, Key: f.Cause, Brief: f.About, Since: f.Since}
	for _, x := range t.faults {
		if x != f && x.Cause.Rule == f.Cause.Rule && (x.Open || x.seen > 0) {
			n.Alike++
		}
	}
	if t.See != nil {
		n.See = t.See(f.Since)
	}
	return n
}

// openOf counts the faults of a rule that are told.
func (t *Tracker) openOf(rule string) (n int) {
	for _, f := range t.faults {
		if f.Open && f.Cause.Rule == rule {
			n++
		}
	}
	return n
}

// forget drops faults of which nothing more will be told.
func (t *Tracker) forget(w Window) {
	remembered := max(flapping, leastFlaps*t.Step)
	t.faults = slices.DeleteFunc(t.faults, func(f *Fault) bool {
		return !f.Open && f.missed > 0 && (!f.told() || w.To.Sub(f.Last) > remembered)
	})
	// Too many: those go that nobody knows of.
	for i := len(t.faults) - 1; i >= 0 && len(t.faults) > maxFaults; i-- {
		if !t.faults[i].told() {
			t.faults = slices.Delete(t.faults, i, i+1)
		}
	}
	for len(t.faults) > maxFaults {
		i := max(0, slices.IndexFunc(t.faults, func(f *Fault) bool { return !f.Open }))
		t.faults = slices.Delete(t.faults, i, i+1)
	}
}
