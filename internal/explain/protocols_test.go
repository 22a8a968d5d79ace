package explain

import (
	"strings"
	"testing"

	"rtrail/internal/protocol"
	"rtrail/internal/rule/catalogue"
)

// The name of a protocol opens its page, unless synonyms know better.
func TestProtocols(t *testing.T) {
	entries := Entries(catalogue.Rules)
	for _, name := range protocol.Names() {
		list, _ := Search(entries, name)
		if !Known(name) && (len(list) == 0 || list[0].ID != "protocol."+name) {
			t.Errorf("%q does not open its page", name)
		}
		e, ok := Find(entries, "protocol."+name)
		if !ok || strings.Contains(e.Page, " by .") {
			t.Errorf("%s has no page, or one that does not say how requests are added up:\n%s", name, e.Page)
		}
		for code, cause := range protocol.Of(name).Causes {
			if !strings.Contains(e.Page, codeWords(code)+": "+cause+"\n") {
				t.Errorf("%s: the page lacks what %q means", name, code)
			}
		}
	}
}
