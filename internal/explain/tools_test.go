package explain

import (
	"strings"
	"testing"

	"rtrail/internal/rule/catalogue"
)

// Pages of tools and changes lead to others that are there, and the name of a tool opens
// its page, unless it means something else as well.
func TestToolsAndChanges(t *testing.T) {
	entries := Entries(catalogue.Rules)
	exists := func(of string, ids []string) {
		t.Helper()
		if len(ids) == 0 {
			t.Errorf("%s leads nowhere", of)
		}
		for _, id := range ids {
			if e, ok := Find(entries, id); !ok || e.Kind == Heading {
				t.Errorf("%s leads to %s, which does not exist", of, id)
			}
		}
	}
	shown := 0
	for _, tool := range tools {
		exists(tool.name, tool.see)
		shown += len(tool.metrics())
		list, _ := Search(entries, tool.name)
		if !Known(tool.name) && (len(list) == 0 || list[0].ID != "tool/"+tool.name && !strings.HasSuffix(list[0].ID, "."+tool.name)) {
			t.Errorf("%q does not open its page but %v", tool.name, list)
		}
	}
	if shown < 100 {
		t.Errorf("all tools show %d metrics", shown)
	}
	for _, c := range changes {
		exists(c.name, c.see)
	}
	for command, id := range map[string]string{"iostat -xz 1": "tool/iostat", "ss -ltn": "tool/ss", "vmstat 1 5": "tool/vmstat", "docker stats": "tool/docker"} {
		if list, _ := Search(entries, command); len(list) == 0 || list[0].ID != id {
			t.Errorf("%q does not open %s but %v", command, id, list)
		}
	}
}
