// Package explain holds what rtrail knows about its own words: the page of
// every rule and the dictionary of every number a verdict can show.
package explain

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"rtrail/internal/metric"
	"rtrail/internal/refusal"
	"rtrail/internal/rule"
)

// Entry is one thing that can be explained: a rule, a setting, a metric, a counter of
// refused or failed work, a tool, a change, a variable of MySQL, a protocol, a stack,
// or a column.
type Entry struct {
	ID       string   `json:"id"`
	Formerly []string `json:"formerly,omitempty"` // IDs of earlier versions
	Kind     Kind     `json:"kind"`
	Title    string   `json:"title"`
	Page     string   `json:"page,omitempty"` // Markdown
	words    func() entryWords
}

// entryWords are the words of an entry, as a search wants them.
type entryWords struct{ id, title, page []string }

// Kind is what an entry is about.
type Kind string

// Kinds of entries, in the order of the list.
const (
	Finding  Kind = "finding" // of a rule
	Setting  Kind = "setting" // that rtrail audit looks at
	Metric   Kind = "metric"
	Counter  Kind = "counter"
	Tool     Kind = "tool"     // that shows metrics
	Change   Kind = "change"   // that makes a system faster
	Variable Kind = "variable" // of MySQL, that rtrail mysql audit looks at
	Protocol Kind = "protocol" // that rtrail packets decodes
	Wait     Kind = "wait"     // that rtrail stacks knows by its frames
	Heading  Kind = "column"   // of a table that rtrail prints
	Missing  Kind = "missing"  // judged by no rule; not in the list
)

// Entries lists them kind by kind, in the order of the kinds.
func Entries(rules []rule.Rule) []Entry {
	var list []Entry
	for _, r := range rules {
		list = append(list, Entry{ID: r.ID, Formerly: r.Formerly, Title: r.Title, Page: r.Page + changesFor(r.ID) + thresholds(r), Kind: Finding})
	}
	list = append(list, settingEntries()...)
	judges := naming(rules)
	for _, m := range metric.All() {
		list = append(list, Entry{ID: m.ID, Formerly: m.Formerly, Title: m.Name, Page: metricPage(m) + judgesOf(judges[m.ID]), Kind: Metric})
	}
	for _, c := range refusal.Pages() {
		page := c.Text
		if unprefixed(c.ID) != "" {
			page += fmt.Sprintf("\n## How to see it\n    nstat -az %s   # before and after\n", c.ID)
		}
		list = append(list, Entry{ID: c.ID, Title: c.Title, Page: page, Kind: Counter})
	}
	list = slices.Concat(list, toolEntries(), changeEntries(), variableEntries(), protocolEntries(), waitEntries(), columnEntries())
	for i, e := range list {
		id := e.ID
		if e.Kind == Counter {
			id += " " + unprefixed(id)
		}
		list[i].words = sync.OnceValue(func() entryWords { return entryWords{words(id), words(e.Title), words(e.Page)} })
	}
	return list
}

// protocolPrefixes are what nstat puts before the kernel's names of counters.
var protocolPrefixes = []string{"MPTcpExt", "TcpExt", "IpExt", "UdpLite6", "UdpLite", "Icmp6", "Udp6", "Ip6", "Tcp", "Udp", "Icmp", "Ip", "Sctp"}

// unprefixed is the name of a counter as /proc/net has it; "" if that is its ID.
func unprefixed(counter string) string {
	for _, p := range protocolPrefixes {
		if rest, ok := strings.CutPrefix(counter, p); ok {
			return rest
		}
	}
	return ""
}

// thresholds is the part of a rule's page that lists the numbers it compares
// evidence with.
func thresholds(r rule.Rule) string {
	if len(r.Thresholds) == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\n## Thresholds\nTo use other values once: `--threshold %s.NAME=VALUE`\n\n", r.ID)
	for _, t := range r.Thresholds {
		fmt.Fprintf(&b, "- `%s` %v: %s (%s)\n", t.Name, t, t.Reason, t.Source)
	}
	return b.String()
}

// Find returns the entry with an ID, or that had it formerly. Case does not count.
func Find(entries []Entry, id string) (Entry, bool) {
	for _, e := range entries {
		if strings.EqualFold(e.ID, id) || slices.Contains(e.Formerly, strings.ToLower(id)) {
			return e, true
		}
	}
	return Entry{}, false
}

// metricPage is what is known of a metric as Markdown.
func metricPage(m *metric.Metric) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n## Unit\n%s\n\n## Source\n%s\n", m.ID, m.Name, m.Help, m.Unit, m.Source)
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
