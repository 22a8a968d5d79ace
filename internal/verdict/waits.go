package verdict

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"rtrail/internal/rule"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

const (
	// maxChains are shown of a verdict, maxUpstream of a finding, and maxLinks are in
	// one: more is no answer to who waits for whom.
	maxChains, maxUpstream, maxLinks = 4, 2, 6
	// leastAtDisk is how many threads of a program wait for one file of a disk at a
	// time, on average, from which that is what the program waits for.
	leastAtDisk = 0.5
	// leastWaiting is how many requests are waited for at a time, on average, from
	// which a program counts as one that waits.
	leastWaiting = 0.1
)

// Chain is who waits for whom, from who is waited for by nobody to who keeps them
// all waiting.
type Chain []Link

// Link is somebody in a chain, who waits for the next one.
type Link struct {
	Who       view.Entity
	Key       view.Key
	Words     string        // names it
	Processes int           // of that program; 0: one
	For       string        // what it waits for, if not for answers: "row lock"
	Mean      float64       // that it waited for at a time; 0: not known
	Longest   time.Duration // 0: not known
}

// chainsOf follows the waiting from the programs of which it is known to the
// subjects of sure findings, also those that others explain, and on to whom these
// wait for.
func chainsOf(v *view.View, found []Finding) []Chain {
	var list []Chain
	all := innermostFirst(found)
	for _, f := range all {
		if len(list) >= maxChains {
			break
		}
		if f.Confidence <= rule.Possible {
			continue
		}
		end := endOf(v, f, all)
		upstream := upstreamOf(v, f.Subject)
		for _, w := range upstream[:min(len(upstream), maxUpstream)] {
			list = addChain(list, append(climb(v, w), end...))
		}
		ahead := aheadOf(v, f)
		for _, first := range ahead {
			if len(upstream) == 0 { // no program of this host
				list = addChain(list, append(Chain{first}, end...))
			}
		}
		if len(upstream)+len(ahead) == 0 {
			list = addChain(list, end)
		}
	}
	return list[:min(len(list), maxChains)]
}

// aheadOf are those who wait for the subject of a finding by what that tells of them.
func aheadOf(v *view.View, f Finding) (list []Link) {
	if len(f.Behind) == 0 {
		return nil
	}
	for _, a := range f.Behind[0].Ahead[:min(len(f.Behind[0].Ahead), maxUpstream)] {
		list = append(list, Link{Who: a.Who, Key: v.KeyOf(a.Who), Words: a.Words, Longest: a.Longest})
	}
	return list
}

// innermostFirst lists findings, each behind those that it explains: their chains
// lead to its subject.
func innermostFirst(found []Finding) []Finding {
	var list []Finding
	for _, f := range found {
		list = append(append(list, innermostFirst(f.Explains)...), f)
	}
	return list
}

// addChain leaves out what is nobody's waiting, and what was told, be it as the end of
// a chain.
func addChain(list []Chain, c Chain) []Chain {
	if len(c) < 2 || slices.ContainsFunc(list, func(told Chain) bool {
		return len(told) >= len(c) && slices.EqualFunc(told[len(told)-len(c):], c, func(a, b Link) bool { return a.Who.Same(b.Who) })
	}) {
		return list
	}
	return append(list, c)
}

// endOf is the subject of a finding, and whom it waits for itself: that points at
// somebody, and must be known from more than who sent last. found are all findings.
func endOf(v *view.View, f Finding, found []Finding) Chain {
	subject := Link{Who: f.Subject, Key: f.Key, Words: f.Subject.String()}
	if len(f.Behind) > 0 {
		b := f.Behind[0]
		subject.For, subject.Mean, subject.Longest = b.For, b.Mean, b.Longest
		last := Link{Who: b.Who, Key: v.KeyOf(b.Who), Words: b.Words}
		if !b.Whole && b.TID == 0 { // another thread of it may wait
			return Chain{subject, last}
		}
		return append(Chain{subject}, ontoDisk(v, last, b.TID, b.Call, found)...)
	}
	for _, w := range v.Waits() {
		if w.Told && w.Mean >= leastWaiting && w.Who.Same(f.Subject) && !w.For.Same(f.Subject) {
			subject.Mean, subject.Longest = w.Mean, w.Longest
			return Chain{subject, {Who: w.For, Key: v.KeyOf(w.For), Words: w.For.String()}}
		}
	}
	return ontoDisk(v, subject, 0, "", found)
}

// ontoDisk is a link, and the disk that its program waits for, if there is one: that of
// the file it syncs, or one of which it is found that the program waits for it. With tid
// it is the one that this thread waits for, in a system call.
func ontoDisk(v *view.View, last Link, tid int32, call string, found []Finding) Chain {
	if last.Who.PID == 0 {
		return Chain{last}
	}
	device := ""
	for _, s := range v.Syncs() {
		on := v.DeviceOf(s.Device)
		if _, ok := v.ProcessThat(s.PID, s.Started); !ok || s.PID != last.Who.PID || s.Mean < leastAtDisk || on == "" || tid != 0 && s.Call != call {
			continue
		}
		last.For, last.Mean, last.Longest = s.Call, s.Mean, s.Longest
		if s.Path != "" {
			last.For += " of " + s.Path
		}
		last.For += fmt.Sprintf(": %v a second, %v each", unit.Count(s.PerSecond), unit.Seconds(s.Average().Seconds()))
		device = on
		break
	}
	slow := slowDisks(found, last.Who)
	if waits, in := v.AtDisk(last.Who.PID, tid); device == "" && len(slow) == 1 && waits >= leastAtDisk {
		last.For, last.Mean, device = cmp.Or(in, "I/O"), waits, slow[0]
	}
	for _, under := range v.Below(device) {
		if slices.Contains(slow, under) {
			device = under
			break
		}
	}
	if device == "" {
		return Chain{last}
	}
	disk := view.DeviceEntity(device)
	return Chain{last, {Who: disk, Key: v.KeyOf(disk), Words: "disk " + device}}
}

// slowDisks are those of which it is found that somebody waits for them.
func slowDisks(found []Finding, e view.Entity) (list []string) {
	for _, f := range found {
		if f.Subject.Kind == view.KindDevice && f.Confidence > rule.Possible && slices.ContainsFunc(f.Affects, e.Same) {
			list = append(list, f.Subject.Name)
		}
	}
	return list
}

// upstreamOf are those that wait for something.
func upstreamOf(v *view.View, e view.Entity) []view.Wait {
	var list []view.Wait
	for _, w := range v.Waits() {
		if w.Mean >= leastWaiting && w.For.Same(e) && !w.Who.Same(e) {
			list = append(list, w)
		}
	}
	return list
}

// climb goes from a wait to those that wait for who waits, always by what is
// waited for most.
func climb(v *view.View, w view.Wait) Chain {
	chain := Chain{linkOf(v, w)}
	for len(chain) < maxLinks {
		up := slices.DeleteFunc(upstreamOf(v, chain[0].Who), func(w view.Wait) bool {
			return slices.ContainsFunc(chain, func(l Link) bool { return l.Who.Same(w.Who) })
		})
		if len(up) == 0 {
			break
		}
		chain = append(Chain{linkOf(v, up[0])}, chain...)
	}
	return chain
}

func linkOf(v *view.View, w view.Wait) Link {
	return Link{Who: w.Who, Key: v.KeyOf(w.Who), Words: w.Who.String(), Processes: w.Processes, Mean: w.Mean, Longest: w.Longest}
}
