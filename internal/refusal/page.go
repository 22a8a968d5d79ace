package refusal

import (
	"fmt"
	"strings"
)

// Page is what is known about one counter, for `rtrail explain COUNTER`.
type Page struct {
	ID    string // the counter, as its source prints it
	Title string
	Text  string // Markdown
}

// Pages describes every counter that is named in full and whose rise means
// something, source by source. Of two sources with a counter of the same name
// the page tells both.
func Pages() []Page {
	var list []Page
	index := map[string]int{}
	for _, s := range sources {
		for _, c := range s.counters {
			if c.Kind == Volume {
				continue
			}
			for _, name := range fields(c.Names) {
				if strings.HasSuffix(name, "*") {
					continue
				}
				if i, have := index[name]; have {
					list[i].Text += "\n" + c.section(s.file)
					continue
				}
				index[name] = len(list)
				list = append(list, Page{ID: name, Title: c.title(), Text: fmt.Sprintf("# %s: %s\n\n%s", name, c.title(), c.section(s.file))})
			}
		}
	}
	return list
}

func (c *Counter) title() string {
	switch c.Kind {
	case Refused:
		return "refused or failed work, in " + c.Unit
	case Slowed:
		return "work that was delayed"
	}
	return "ordinary operation"
}

func (c *Counter) section(file string) string {
	var b strings.Builder
	rules := strings.Join(c.Rules, ", ")
	switch c.Kind {
	case Refused:
		fmt.Fprintf(&b, "One is %s.\n\n## How rtrail judges it\n", c.Means)
		if rules != "" {
			fmt.Fprintf(&b, "A finding of %s accounts for it. While it rises and none of them finds anything", rules)
		} else {
			b.WriteString("No rule judges it. While it rises")
		}
		fmt.Fprintf(&b, ", the verdict lists it as seen and judged by no rule, and does not call %s healthy.\n%s", c.Resource, c.everyday())
	case Slowed:
		fmt.Fprintf(&b, "It rises when %s. The work is done all the same; whether that costs too much is judged by %s.\n", c.Means, rules)
	default:
		fmt.Fprintf(&b, "It rises in ordinary operation: %s. The verdict does not list it.\n", c.Why)
	}
	fmt.Fprintf(&b, "\n## Source\n%s\n", file)
	return b.String()
}

// everyday says which rise is passed over.
func (c *Counter) everyday() string {
	var parts []string
	if least := orElse(c.Least, minCounts); least > 1 {
		parts = append(parts, fmt.Sprintf("fewer than %.0f in the window", least))
	}
	switch {
	case c.PerSecond > 0:
		parts = append(parts, fmt.Sprintf("less than %g a second", c.PerSecond))
	case c.Least == 0:
		parts = append(parts, fmt.Sprintf("less than %g a second", minRate))
	}
	if c.Share > 0 {
		parts = append(parts, fmt.Sprintf("less than %g %% of %s", 100*c.Share, c.Of))
	}
	if len(parts) == 0 {
		return ""
	}
	text := "Passed over: " + strings.Join(parts, ", ")
	if c.Why != "" {
		text += " (" + c.Why + ")"
	}
	return text + ".\n"
}
