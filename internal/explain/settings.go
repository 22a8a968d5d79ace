package explain

import (
	"fmt"
	"strings"

	"rtrail/internal/audit"
)

// settingEntries is an entry per check of `rtrail audit`.
func settingEntries() []Entry {
	list := make([]Entry, 0, len(audit.Checks))
	for i := range audit.Checks {
		c := &audit.Checks[i]
		list = append(list, Entry{ID: c.ID, Title: c.Title, Page: settingPage(c), Kind: Setting})
	}
	return list
}

// settingPage is what is known of a setting as Markdown.
func settingPage(c *audit.Check) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n", c.ID, c.Title, c.Why)
	for _, part := range [][2]string{{"What rtrail audit reads", c.Reads}, {"When it remarks", c.When}, {"What to change", c.Change}, {"What that costs", c.Price}, {"Who should leave it alone", c.Leave}} {
		fmt.Fprintf(&b, "## %s\n%s\n\n", part[0], part[1])
	}
	if len(c.Explains) > 0 {
		fmt.Fprintf(&b, "## Faults it may explain\n%s", strings.Join(c.Explains, ", "))
		if len(c.Proves) > 0 {
			fmt.Fprintf(&b, ". With it certain instead of likely: %s", strings.Join(c.Proves, ", "))
		}
		b.WriteString(".\n\n")
	}
	if len(c.Thresholds) > 0 {
		b.WriteString("## Thresholds\n")
		for _, t := range c.Thresholds {
			fmt.Fprintf(&b, "- `%s` %v: %s (%s)\n", t.Name, t, t.Reason, t.Source)
		}
	}
	return b.String()
}
