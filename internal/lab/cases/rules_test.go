package cases

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"rtrail/internal/rule/catalogue"
)

// reason says of an exception, behind its ID in docs/labs.md, why it has no case.
var reason = regexp.MustCompile("`([a-z]+/[a-z0-9-]+)` \\((proven|needs)[^)]+")

// TestEveryRuleHasACase: a rule without a case is one of the exceptions that
// docs/labs.md names, each with its reason.
func TestEveryRuleHasACase(t *testing.T) {
	page, err := os.ReadFile("../../../docs/labs.md")
	if err != nil {
		t.Fatal(err)
	}
	var excepted []string
	begin, _, _ := strings.Cut(string(page), "    sudo rtrail lab list")
	for _, match := range reason.FindAllStringSubmatch(begin, -1) {
		excepted = append(excepted, match[1])
	}
	proven := map[string]bool{}
	for _, c := range All() {
		proven[c.Rule] = true
		if _, ok := catalogue.Find(c.Rule); c.Rule != "" && !ok {
			t.Errorf("case %s is of %s, which is no rule", c.ID, c.Rule)
		}
	}
	for _, r := range catalogue.Rules {
		if excepted := slices.Contains(excepted, r.ID); excepted == proven[r.ID] {
			t.Errorf("%s: has a case: %v; named in docs/labs.md as an exception, with its reason: %v", r.ID, proven[r.ID], excepted)
		}
	}
}
