package ruletest

import (
	"fmt"
	"slices"
	"sync"

	"rtrail/internal/rule"
	"rtrail/internal/view"
)

// undrawn are rules whose findings have no chart, with the reason.
var undrawn = map[string]string{
	"jvm/deadlock":          "a dump of stacks is one moment",
	"mysql/slow-statements": "entries of a slow log are of statements of any length, some of which began long before it",
}

// charted are the rules of which a finding of a test cites evidence with a course in time in what was
// recorded.
var charted struct {
	sync.Mutex
	rules map[string]bool
}

// drawn says whether evidence of a finding has points that a chart can show.
func drawn(v *view.View, f rule.Finding) bool {
	return slices.ContainsFunc(f.Evidence, func(e rule.Evidence) bool {
		m := e.Metric.Drawn()
		return m != nil && len(m.Series.Read(v)) > 0
	})
}

// chart notes whether a rule's findings can be drawn.
func chart(v *view.View, r rule.Rule, found []rule.Finding) {
	charted.Lock()
	defer charted.Unlock()
	if charted.rules == nil {
		charted.rules = map[string]bool{}
	}
	charted.rules[r.ID] = charted.rules[r.ID] || slices.ContainsFunc(found, func(f rule.Finding) bool { return drawn(v, f) })
}

// chartless says what is wrong with a rule's charts after all tests; "": nothing.
func chartless(id string) string {
	switch reason := undrawn[id]; {
	case charted.rules[id] && reason != "":
		return fmt.Sprintf("%s: its findings have charts: remove it from undrawn", id)
	case !charted.rules[id] && reason == "":
		return fmt.Sprintf("%s: no finding of its tests cites a metric with a course in time (metric.Metric.Series or Course) of which the recording has rows", id)
	}
	return ""
}
