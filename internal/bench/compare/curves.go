package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"rtrail/internal/chart"
	"rtrail/internal/unit"
)

const (
	// maxCurves bounds the pictures of a page, and maxCurveLines the environments in one: there are as many colours.
	maxCurves, maxCurveLines = 24, 8
	// maxMarks bounds the changes that are marked in a picture: more are not to be read.
	maxMarks = 12
)

// drawn is how a metric is drawn: its name without the unit, which the axis has, and what a value is multiplied with.
var drawn = map[string]struct {
	name, unit string
	factor     float64
}{
	"qps": {"QPS", "per second", 1}, "tps": {"TPS", "per second", 1},
	"mean": {"mean", "seconds", 1e-3}, "p95": {"p95", "seconds", 1e-3}, "p99": {"p99", "seconds", 1e-3},
	"cpu_us": {"CPU time per transaction", "seconds", 1e-6},
}

// Curves are pictures of some metrics: for each scenario the medians by level, a line for each environment. more says
// what is not drawn; "": nothing.
func (r *Result) Curves(chosen []string) (all []chart.Curve, more string) {
	left, lines := 0, 0
	for _, name := range chosen {
		for i := range r.Tables {
			t := &r.Tables[i]
			if t.Metric != name {
				continue
			}
			for _, open := range []bool{false, true} {
				c, over := r.curve(t, open)
				switch lines = max(lines, over); {
				case len(c.Lines) == 0:
				case len(all) == maxCurves:
					left++
				default:
					all = append(all, c)
				}
			}
		}
	}
	if lines > 0 {
		more = fmt.Sprintf("curves are of the base and of the first %d other environments; the tables have all", maxCurveLines-1)
	}
	return all, notDrawn(more, left)
}

// notDrawn says how many pictures there are no more of.
func notDrawn(more string, left int) string {
	switch {
	case left == 0:
		return more
	case more != "":
		more += "; "
	}
	return more + unit.Plural(left, "picture is", "pictures are") + fmt.Sprintf(" not drawn: a page has at most %d", maxCurves)
}

// curve is a table by threads or by rate. Environments with less than two such levels have no line in it; over is how
// many lines are left out.
func (r *Result) curve(t *Table, open bool) (c chart.Curve, over int) {
	how := drawn[t.Metric]
	c = chart.Curve{Name: short(t.Scenario) + ": " + how.name + ", median", X: "threads", Unit: how.unit, Lines: []chart.CurveLine{}, Marks: []chart.Mark{}}
	if open {
		c.X = "intended requests per second"
	}
	rows := slices.Clone(t.Rows)
	slices.SortStableFunc(rows, func(a, b Row) int {
		return cmp.Compare(isFalse(a.Environment == r.Base), isFalse(b.Environment == r.Base))
	})
	for _, row := range rows {
		line := chart.CurveLine{Name: short(row.Environment), Points: [][2]float64{}}
		if !row.Compared {
			line.Name += " (not compared)"
		}
		for k, level := range t.Levels {
			at := float64(level.Threads)
			if level.Rate > 0 {
				at = level.Rate
			}
			if v := float64(row.Cells[k].Median) * how.factor; level.Rate > 0 == open && at > 0 && !math.IsNaN(v) {
				line.Points = append(line.Points, [2]float64{at, v})
			}
		}
		switch {
		case len(line.Points) < 2:
		case len(c.Lines) == maxCurveLines:
			over++
		default:
			c.Lines = append(c.Lines, line)
		}
	}
	return c, over
}

func isFalse(b bool) int {
	if b {
		return 0
	}
	return 1
}

// short cuts a name to what a picture has room for.
func short(name string) string {
	if r := []rune(name); len(r) > nameWidth {
		return string(r[:nameWidth-1]) + "…"
	}
	return name
}

// Curves are pictures of series, run after run, with their levels and where these change: those with changes first. more
// says what is not drawn; "": nothing.
func (h *History) Curves() (all []chart.Curve, more string) {
	order := make([]*Series, 0, len(h.Series))
	for i := range h.Series {
		order = append(order, &h.Series[i])
	}
	slices.SortStableFunc(order, func(a, b *Series) int { return cmp.Compare(isFalse(len(a.Changes) > 0), isFalse(len(b.Changes) > 0)) })
	left := 0
	for _, x := range order {
		switch {
		case x.Runs < 2:
		case len(all) == maxCurves:
			left++
		default:
			all = append(all, x.curve())
		}
	}
	return all, notDrawn("", left)
}

func (x *Series) curve() chart.Curve {
	how := drawn[x.Metric]
	c := chart.Curve{Name: fmt.Sprintf("%s, %s, %s: %s", short(x.Environment), short(x.Scenario), levelName(x.Level), how.name), X: "run", Unit: how.unit, Marks: []chart.Mark{}}
	line := chart.CurveLine{Name: how.name, Points: [][2]float64{}}
	for i, v := range x.values {
		line.Points = append(line.Points, [2]float64{float64(i + 1), v * how.factor})
		c.Places = append(c.Places, x.began[i].UTC().Format("2006-01-02 15:04"))
	}
	c.Lines = append(c.Lines, line)
	if len(x.Changes) == 0 {
		return c
	}
	level := chart.CurveLine{Name: "level, median", Model: true, Points: [][2]float64{}}
	from := 1.0
	for i := range x.Changes {
		change, before := &x.Changes[i], float64(x.Changes[i].Before)*how.factor
		if last := float64(change.last + 1); last > from {
			level.Points = append(level.Points, [2]float64{from, before}, [2]float64{last, before})
		} else {
			level.Points = append(level.Points, [2]float64{from, before})
		}
		from = float64(change.first + 1)
		if len(c.Marks) < maxMarks {
			c.Marks = append(c.Marks, chart.Mark{At: from, Words: changeWords(change)})
		}
	}
	now := float64(x.Changes[len(x.Changes)-1].Now) * how.factor
	if level.Points = append(level.Points, [2]float64{from, now}); from < float64(len(x.values)) {
		level.Points = append(level.Points, [2]float64{float64(len(x.values)), now})
	}
	c.Lines = append(c.Lines, level)
	return c
}

// changeWords are when a level changed, and by how much.
func changeWords(c *LevelChange) string {
	words := c.At.UTC().Format(time.DateOnly) + ": " + change(c.Ratio)
	if !c.Lasting {
		words += "?"
	}
	return words
}

// levelName names a level by itself.
func levelName(l Level) string {
	if l.Rate > 0 {
		return l.String()
	}
	return unit.Plural(l.Threads, "thread", "threads")
}
