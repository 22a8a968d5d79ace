package compare

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"slices"

	"rtrail/internal/bench/stat"
	"rtrail/internal/document"
)

// table collects a metric's values; nil: none is known.
func (r *Result) table(m *metric, scenario string, of map[string][]*Run) (*Table, error) {
	t := &Table{Metric: m.name, Scenario: scenario, LowerIsBetter: m.lower, metric: m, Winners: []Winner{}}
	values := map[string]map[Level][]float64{}
	levels := map[Level]bool{}
	for _, e := range r.Environments {
		values[e.Name] = map[Level][]float64{}
		for _, x := range of[e.Name] {
			v := m.of(x)
			if x.Scenario != scenario || !known(v) || v <= 0 {
				continue
			}
			l := x.level()
			if levels[l] = true; len(values[e.Name][l]) == stat.MaxRuns {
				return nil, fmt.Errorf("%s, %s %v: more than %d runs of one step", e.Name, scenario, l, stat.MaxRuns)
			}
			values[e.Name][l] = append(values[e.Name][l], float64(v))
		}
	}
	if len(levels) == 0 {
		return nil, nil
	}
	t.Levels = slices.SortedFunc(maps.Keys(levels), compareLevels)
	for _, e := range r.Environments {
		row := Row{Environment: e.Name, Compared: e.Compared}
		for _, l := range t.Levels {
			v := values[e.Name][l]
			s := stat.MedianOf(v)
			row.Cells = append(row.Cells, Cell{Runs: s.Runs, Median: document.Number(s.Value), Low: document.Number(s.Low), High: document.Number(s.High), values: v})
		}
		t.Rows = append(t.Rows, row)
	}
	return t, nil
}

// toBase compares all rows with the base's.
func (t *Table) toBase(base string) (family []*stat.Difference) {
	b := slices.IndexFunc(t.Rows, func(r Row) bool { return r.Environment == base })
	for i := range t.Rows {
		if i == b || !t.Rows[i].Compared {
			continue
		}
		for k := range t.Levels {
			c, with := &t.Rows[i].Cells[k], &t.Rows[b].Cells[k]
			if c.Runs > 0 && with.Runs > 0 {
				c.ToBase = &Ratio{difference: stat.Compare(c.values, with.values)}
				family = append(family, &c.ToBase.difference)
			}
		}
	}
	return family
}

// rank orders the environments at each level, and compares the best with the next.
func (t *Table) rank() (leads []*stat.Difference) {
	for k, level := range t.Levels {
		var order []*Row
		for i := range t.Rows {
			if t.Rows[i].Compared && t.Rows[i].Cells[k].Runs > 0 {
				order = append(order, &t.Rows[i])
			}
		}
		slices.SortStableFunc(order, func(a, b *Row) int {
			n := cmp.Compare(b.Cells[k].Median, a.Cells[k].Median)
			if t.LowerIsBetter {
				n = -n
			}
			return n
		})
		for i, row := range order {
			row.Cells[k].Rank = i + 1
			if i > 0 && row.Cells[k].Median == order[i-1].Cells[k].Median {
				row.Cells[k].Rank = order[i-1].Cells[k].Rank
			}
		}
		if len(order) < 2 {
			continue
		}
		w := Winner{Level: level, Median: order[0].Cells[k].Median}
		for _, row := range order {
			if row.Cells[k].Rank == 1 {
				w.Environments = append(w.Environments, row.Environment)
				continue
			}
			w.Next, w.Lead = row.Environment, &Ratio{difference: stat.Compare(order[0].Cells[k].values, row.Cells[k].values)}
			if len(w.Environments) == 1 {
				leads = append(leads, &w.Lead.difference)
			}
			break
		}
		t.Winners = append(t.Winners, w)
	}
	return leads
}

// conclude makes what is told of the differences, once they are adjusted.
func (t *Table) conclude() {
	for i := range t.Rows {
		for k := range t.Rows[i].Cells {
			t.Rows[i].Cells[k].ToBase.conclude()
		}
	}
	for i := range t.Winners {
		t.Winners[i].Lead.conclude()
	}
}

func (r *Ratio) conclude() {
	if r == nil {
		return
	}
	d := &r.difference
	r.Ratio, r.Low, r.High = document.Number(d.Ratio), document.Number(d.Low), document.Number(d.High)
	r.P, r.Adjusted, r.Conclusion, r.NoneBeyond = document.Number(d.P), document.Number(d.Adjusted), d.Conclusion(), document.Number(math.NaN())
	if r.Conclusion == stat.NoneShown {
		r.NoneBeyond = document.Number(d.Bound())
	}
}
