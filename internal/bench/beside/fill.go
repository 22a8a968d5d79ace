package beside

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"rtrail/internal/baseline"
	"rtrail/internal/bench"
	"rtrail/internal/document"
	"rtrail/internal/rule"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// Host says what the host did in the window of a view, and what a transaction costs it. Where
// the number of CPUs is not told, CPU times are those of one that stands for all.
func Host(r *bench.Run, v *view.View) {
	number := func(x float64) document.Number { return document.Number(x) }
	n := float64(v.CPUCount())
	tps := float64(r.Load.TPS)
	if !(tps > 0) {
		tps = math.NaN()
	}
	if c, ok := v.CPUTotal(); ok {
		r.Host.CPUs, r.Host.User, r.Host.System = number(n), number((c.User+c.Nice)*n), number(c.System*n)
		r.Host.Softirq, r.Host.IOWait = number((c.SoftIRQ+c.IRQ)*n), number(c.IOWait*n)
		if v.CPUsTold() {
			r.Costs.CPU = number((c.Busy() - c.Steal) * n * 1e6 / tps)
		} else {
			r.Notes = append(r.Notes, "how many CPUs the host has is not told: CPU times are shares of all of them")
		}
	}
	if s, ok := v.Scheduler(); ok {
		r.Host.Samples = s.Readings
		r.Costs.Switches = number(s.ContextSwitches / tps)
	}
	if disks := v.BlockDevices(); len(disks) > 0 {
		r.Host.Util = number(100 * disks[0].Utilisation)
		read, written := 0.0, 0.0
		for i := range disks {
			// A volume or an array counts once, as its disks; a loop device is a disk of its own here.
			if d := &disks[i]; len(v.Lower(d.Device)) == 0 || strings.HasPrefix(d.Device, "loop") {
				read, written = read+d.ReadBytes, written+d.WrittenBytes
			}
		}
		r.Costs.Read, r.Costs.Written = number(read/tps), number(written/tps)
	}
	sent := math.NaN()
	for _, i := range v.Interfaces() {
		if v.OwnNetNS(i.NetNS) && i.Master == "" {
			sent = view.OrZero(sent) + view.OrZero(i.TxBytes)
		}
	}
	r.Costs.Sent = number(sent / tps)
	r.Baseline = near(v)
}

// mostNear bounds what is kept of how near parts of the host are to their baseline.
const mostNear = 8

// near says how near disks and interfaces were to what they could do, the nearest first.
func near(v *view.View) []bench.Near {
	list := []bench.Near{}
	add := func(thing, what string, o view.OfBaseline, ok bool) {
		if ok && o.Share > 0 {
			list = append(list, bench.Near{Thing: thing, What: what, Share: document.Number(o.Share), Measured: o.Measured})
		}
	}
	for _, d := range v.BlockDevices() {
		o, ok := v.DiskOfBaseline(d)
		what := "bytes"
		if o.Requests {
			what = "requests"
		}
		add(d.Device, what, o, ok)
	}
	for _, i := range v.Interfaces() {
		o, ok := v.SentOfBaseline(i)
		add(i.Interface, "sent", o, ok)
		o, ok = v.ReceivedOfBaseline(i)
		add(i.Interface, "received", o, ok)
	}
	return nearest(list)
}

// nearest puts the nearest first.
func nearest(list []bench.Near) []bench.Near {
	slices.SortStableFunc(list, func(a, b bench.Near) int { return cmp.Compare(b.Share, a.Share) })
	return list[:min(len(list), mostNear)]
}

// LoopbackHTTP adds how near requests of HTTP over loopback, with connections that stay open, were to
// what rtrail's own client and server did.
func LoopbackHTTP(r *bench.Run, v *view.View) {
	if could, measured, ok := v.Baseline(baseline.HTTP, "", baseline.Requests); ok && r.Load.TPS > 0 {
		r.Baseline = nearest(append(r.Baseline, bench.Near{Thing: "HTTP", What: "requests over loopback", Share: r.Load.TPS / document.Number(could), Measured: measured}))
	}
}

const (
	// mostFindings bounds what is kept of a verdict.
	mostFindings = 8
	// mostProof bounds the proof of a finding.
	mostProof = 8
)

// Saturated are the sure findings of a verdict about a view: what is only possible accuses nobody here.
// Interfaces of other network namespaces are named with these.
func Saturated(v *view.View, found verdict.Verdict) (list []bench.Saturated) {
	list = []bench.Saturated{}
	for _, f := range found.Findings {
		if f.Confidence < rule.Likely || len(list) == mostFindings {
			continue
		}
		s := bench.Saturated{Rule: f.Rule, Subject: f.Subject.String(), Confidence: f.Confidence.String(), Headline: f.Headline.String(), Proof: []string{}}
		if f.Subject.Kind == view.KindInterface {
			s.Subject += v.InNetNS(f.Subject.NetNS)
		}
		for _, e := range f.Evidence {
			if len(s.Proof) < mostProof {
				s.Proof = append(s.Proof, fmt.Sprint(e.What))
			}
		}
		list = append(list, s)
	}
	return list
}
