// Package explain holds what rtrail knows about its own words: the page of
// every rule and the dictionary of every number a verdict can show.
package explain

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/refusal"
	"rtrail/internal/rule"
)

// Metrics is the dictionary, domain by domain.
func Metrics() []Metric {
	return slices.Concat(generalMetrics, cpuMetrics, memoryMetrics, diskMetrics, procMetrics, netMetrics, packetMetrics, rtMetrics, rtExchangeMetrics, mysqlLockMetrics, mysqlWorkMetrics, mysqlContentionMetrics, jvmMetrics)
}

// MetricByID finds the entry of a metric.
func MetricByID(id string) (Metric, bool) {
	for _, m := range Metrics() {
		if m.ID == id {
			return m, true
		}
	}
	return Metric{}, false
}

// Entry is one thing that can be explained: a rule, a metric, or a counter of
// refused or failed work.
type Entry struct {
	ID      string
	Title   string
	Page    string // Markdown
	Rule    bool   // a rule
	Counter bool   // a counter
}

// Entries lists rules, then metrics, then counters.
func Entries(rules []rule.Rule) []Entry {
	var list []Entry
	for _, r := range rules {
		list = append(list, Entry{ID: r.ID, Title: r.Title, Page: r.Page, Rule: true})
	}
	for _, m := range Metrics() {
		list = append(list, Entry{ID: m.ID, Title: m.Name, Page: m.Page()})
	}
	for _, c := range refusal.Pages() {
		list = append(list, Entry{ID: c.ID, Title: c.Title, Page: c.Text, Counter: true})
	}
	return list
}

// Find returns the entry with an ID. Case does not count.
func Find(entries []Entry, id string) (Entry, bool) {
	for _, e := range entries {
		if strings.EqualFold(e.ID, id) {
			return e, true
		}
	}
	return Entry{}, false
}

// Search returns the entries that hold all words of a query, best first: a
// word counts most as a part of the ID, less in the title, least in the page.
// Entries that match equally stay in their order.
func Search(entries []Entry, query string) []Entry {
	type hit struct {
		entry Entry
		score int
	}
	words := strings.Fields(strings.ToLower(query))
	var hits []hit
	for _, e := range entries {
		total := 0
		for _, w := range words {
			s := score(e, w)
			if s == 0 {
				total = 0
				break
			}
			total += s
		}
		if total > 0 {
			hits = append(hits, hit{e, total})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	list := make([]Entry, 0, len(hits))
	for _, h := range hits {
		list = append(list, h.entry)
	}
	return list
}

// Scores of one word in one entry. Only their order matters: one word in an ID
// outweighs any number of mentions.
const (
	scoreName    = 300 // all of the ID behind its domain: "full" in "disk/full"
	scoreRule    = 80  // such an ID is a rule's: its page leads to the numbers
	scoreIDPart  = 100 // "load" in "sched.load"
	scoreTitle   = 60  // a whole word of the title
	scoreIDSome  = 40  // "over" in "tcp.listen-overflows"
	scoreInside  = 20  // a part of a word of the title
	scoreMention = 1   // per mention in the page, up to ten
)

func score(e Entry, word string) int {
	id, title, page := strings.ToLower(e.ID), strings.ToLower(e.Title), strings.ToLower(e.Page)
	total := 0
	if _, name, ok := strings.Cut(strings.Replace(id, "/", ".", 1), "."); ok && name == word {
		total += scoreName
		if e.Rule {
			total += scoreRule
		}
	}
	switch {
	case slices.Contains(parts(id), word):
		total += scoreIDPart
	case strings.Contains(id, word):
		total += scoreIDSome
	}
	switch {
	case slices.Contains(parts(title), word):
		total += scoreTitle
	case strings.Contains(title, word):
		total += scoreInside
	}
	return total + scoreMention*min(strings.Count(page, word), 10)
}

func parts(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return strings.ContainsRune("/.- ,:;()", r) })
}

// Page is the entry of the dictionary as Markdown.
func (m Metric) Page() string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n## Unit\n%s\n\n## Source\n%s\n", m.ID, m.Name, m.Meaning, m.Unit, m.Source)
	if len(m.Tools) > 0 {
		b.WriteString("\n## Tools that show it\n")
		for _, t := range m.Tools {
			fmt.Fprintf(&b, "    %s\n", t)
		}
	}
	if m.Healthy != "" {
		fmt.Fprintf(&b, "\n## Healthy\n%s\n", m.Healthy)
	}
	if len(m.Traps) > 0 {
		b.WriteString("\n## Traps\n")
		for _, t := range m.Traps {
			fmt.Fprintf(&b, "- %s\n", t)
		}
	}
	return b.String()
}
