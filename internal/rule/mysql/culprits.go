package mysql

import (
	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// culprits are the statements that a rule holds responsible.
type culprits struct {
	list []work  // dearest first
	took float64 // by all of them, seconds per second
}

// gather finds the statements that take time and are guilty, without those that
// another rule blames. It says whether they matter beside all others.
func (c *culprits) gather(v *view.View, s *view.MySQLServer, guilty func(work) bool) (material bool) {
	blamed, all := accused(v, s), workOf(v, s)
	for _, w := range all {
		if !blamed[w.text] && w.took >= minTime.Value && guilty(w) {
			c.list = append(c.list, w)
			c.took += w.took
		}
	}
	return c.took >= max(2*minTime.Value, materialShare.Value*totalTime(all))
}

// evidenceOf names the first few; counted words what digests counted of one.
func (c *culprits) evidenceOf(s *view.MySQLServer, columns shell.Names, counted func(work) rule.Text) (list []rule.Evidence) {
	for _, w := range c.list[:min(len(c.list), mentioned)] {
		e := rule.Evidence{Metric: metric.MySQLStatementTime, Value: w.took, Counters: w.digest != "",
			What: rule.T("%s s a second: %s", unit.Number(w.took), w.brief()), Check: w.check(s, columns)}
		if w.digest != "" {
			e.What = counted(w)
		}
		list = append(list, e)
	}
	return list
}

// accused are the statements that mysql/full-scan blames: whatever else they
// do, they do because they read too much.
func accused(v *view.View, s *view.MySQLServer) map[string]bool {
	blamed := map[string]bool{}
	for _, x := range scansOf(v, s) {
		if x.sure > rule.Possible {
			blamed[x.text] = true
		}
	}
	for _, x := range costlyOf(v, s) {
		if x.sure > rule.Possible {
			blamed[x.text] = true
		}
	}
	return blamed
}

func explainOf(s *view.MySQLServer, list []work) shell.Command {
	if len(list) == 0 {
		return ask(s, shell.SQL("show full processlist"))
	}
	return explain(s, list[0].text)
}
