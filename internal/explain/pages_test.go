package explain_test

import (
	"regexp"
	"strings"
	"testing"

	"rtrail/internal/explain"
	"rtrail/internal/rule/catalogue"
)

// reference is what can be an ID under See also: of a rule, a metric or a counter.
var reference = regexp.MustCompile(`^[a-zA-Z0-9_-]+[/.][a-zA-Z0-9_./-]+$`)

// TestSeeAlsoLeadsSomewhere opens what pages of rules refer to.
func TestSeeAlsoLeadsSomewhere(t *testing.T) {
	entries := explain.Entries(catalogue.Rules)
	followed := 0
	for _, r := range catalogue.Rules {
		_, part, _ := strings.Cut(r.Page, "\n## See also\n")
		part, _, _ = strings.Cut(part, "\n## ")
		for word := range strings.FieldsSeq(part) {
			id := strings.Trim(word, "`,.;:()")
			if !reference.MatchString(id) {
				continue
			}
			followed++
			if _, ok := explain.Find(entries, id); !ok {
				t.Errorf("%s: See also names %s, which does not exist", r.ID, id)
			}
		}
	}
	if followed < 20 {
		t.Errorf("only %d IDs found under See also", followed)
	}
}
