package watch

import (
	"strings"
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/verdict"
)

// Advice about a group whose path is long has a whole command or none, and says what it may
// destroy.
func TestLongAdvice(t *testing.T) {
	for _, c := range []struct {
		name   string
		length int
		words  string
		whole  bool
	}{
		{"short", 30, "limit it", true},
		{"that just fits", 820, "limit it", true},
		{"that does not fit by a little", 975, "limit it", false},
		{"long", 4000, "limit it", false},
		{"long words, too", 4000, "limit it " + strings.Repeat("é", 2000), false},
		{"words that are escaped", 800, "limit it " + strings.Repeat("\x1b", 40), false},
	} {
		path := strings.Repeat("x", c.length)
		b := brief(verdict.Finding{Finding: rule.Finding{Rule: "mem/swapping", Confidence: rule.Certain, Headline: rule.T("it swaps"),
			Evidence: []rule.Evidence{{What: rule.T("%s", "pages"), Check: shell.Line("cat %s", shell.Path("/sys/fs/cgroup/"+path+"/memory.events"))}},
			Fixes:    []rule.Fix{{Text: rule.T("%s", c.words), Command: shell.Line("systemctl set-property %s MemoryMax=1G", path), Tradeoff: "less page cache"}}}})
		n := Notice{Event: Began, At: midnight, Times: 1, Host: "db1", Key: Key{"mem/swapping", "db1/cgroup/x"}, Brief: b, Since: midnight}
		lines := strings.Split(n.Text(), "\n")
		var look, change string
		for _, line := range lines {
			if strings.HasPrefix(line, "LOOK ") {
				look = line
			}
			if strings.HasPrefix(line, "CHANGE ") {
				change = line
			}
		}
		if !strings.HasPrefix(change, "CHANGE  limit it") || !strings.HasSuffix(change, " (costs: less page cache) (DANGER: processes of the group are killed at this limit)") || len(change) > maxLine {
			t.Errorf("%s: %d bytes: %s", c.name, len(change), change)
		}
		if strings.Contains(change, "MemoryMax=1G") != c.whole || strings.Contains(change, "the command is too long") == c.whole || !c.whole && strings.Contains(change, "set-property") {
			t.Errorf("%s: a whole command is %v: %s", c.name, !c.whole, change)
		}
		if fits := c.length < 930; strings.Contains(look, "/memory.events") != fits || strings.Contains(look, "the command is too long") == fits || len(look) > maxLine {
			t.Errorf("%s: %d bytes: %s", c.name, len(look), look)
		}
		if n.Change != b.Change || len(b.Change) > maxLine || !strings.HasSuffix(b.Change, "limit)") {
			t.Errorf("%s: in JSON: %s", c.name, b.Change)
		}
	}
}
