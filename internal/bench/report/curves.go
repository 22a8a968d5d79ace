package report

import (
	"fmt"
	"math"

	"rtrail/internal/bench"
	"rtrail/internal/bench/knee"
	"rtrail/internal/chart"
	"rtrail/internal/document"
)

// modelPoints is how many points a law is drawn with.
const modelPoints = 40

// Curves are the pictures of a report: throughput, latency and CPU by level, with the knee and
// the law.
func (r *Report) Curves() (all []chart.Curve) {
	for _, e := range r.Environments {
		for _, l := range e.Ladders {
			all = append(all, l.curves(e)...)
		}
	}
	return all
}

func (l *Ladder) curves(e Environment) (all []chart.Curve) {
	name, x := l.Scenario, "clients"
	if e.Name != "" {
		name = e.Name + ", " + l.Scenario
	}
	if l.Open {
		x = "intended requests per second"
	}
	marks := []chart.Mark{}
	if l.Knee != nil {
		marks = append(marks, chart.Mark{At: l.Knee.Level, Words: "knee"})
	}
	add := func(what, unit string, lines ...chart.CurveLine) {
		c := chart.Curve{Name: name + ": " + what, X: x, Unit: unit, Marks: marks, Lines: []chart.CurveLine{}}
		for _, line := range lines {
			if len(line.Points) > 1 {
				c.Lines = append(c.Lines, line)
			}
		}
		if len(c.Lines) > 0 {
			all = append(all, c)
		}
	}
	by := func(name string, factor float64, number func(*Level) document.Number) chart.CurveLine {
		line := chart.CurveLine{Name: name, Points: [][2]float64{}}
		for i := range l.Levels {
			if v := float64(number(&l.Levels[i])) * factor; !math.IsNaN(v) {
				line.Points = append(line.Points, [2]float64{l.Levels[i].Level, v})
			}
		}
		return line
	}
	throughput := []chart.CurveLine{by("transactions per second, median", 1, func(x *Level) document.Number { return x.Load.TPS })}
	if l.Law != nil {
		throughput = append(throughput, l.model(l.Law.Law))
	}
	add("throughput", "per second", throughput...)
	const ms = 1e-3
	add("time of a transaction", "seconds",
		by("mean", ms, func(x *Level) document.Number { return x.Load.Mean }),
		by("p95", ms, func(x *Level) document.Number { return x.Load.P95 }),
		by("p99", ms, func(x *Level) document.Number { return x.Load.P99 }))
	cpu := func(name string, share func(*bench.Host) document.Number) chart.CurveLine {
		return by(name, 1, func(x *Level) document.Number { return share(&x.Host) / x.Host.CPUs })
	}
	add("CPU time of the host", "share",
		cpu("user", func(h *bench.Host) document.Number { return h.User }),
		cpu("system", func(h *bench.Host) document.Number { return h.System }),
		cpu("softirq", func(h *bench.Host) document.Number { return h.Softirq }),
		cpu("iowait", func(h *bench.Host) document.Number { return h.IOWait }))
	return all
}

// model is a law between the lowest and the highest level.
func (l *Ladder) model(law knee.Law) chart.CurveLine {
	low, high := l.Levels[0].Level, l.Levels[len(l.Levels)-1].Level
	line := chart.CurveLine{Name: fmt.Sprintf("scalability law, peak at %.0f", law.Peak()), Model: true}
	for i := range modelPoints {
		n := low * math.Pow(high/low, float64(i)/(modelPoints-1))
		line.Points = append(line.Points, [2]float64{n, law.At(n)})
	}
	return line
}
