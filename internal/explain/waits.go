package explain

import (
	"fmt"
	"strings"

	"rtrail/internal/stack/signatures"
)

// waitEntries is an entry per known wait that is more than a thread without work.
func waitEntries() []Entry {
	var list []Entry
	for _, s := range signatures.Default().All() {
		if s.Kind != signatures.Idle {
			list = append(list, Entry{ID: "wait/" + s.ID, Title: s.Title, Page: waitPage(s), Kind: Wait})
		}
	}
	return list
}

// waitPage is what is known of a wait as Markdown.
func waitPage(s *signatures.Signature) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# wait/%s: %s\n\n%s\n\n## What to do\n%s\n", s.ID, s.Title, s.Meaning, s.Act)
	if s.Versions != "" {
		fmt.Fprintf(&b, "\n## Where\n%s\n", s.Versions)
	}
	if len(s.Frames) > 0 {
		fmt.Fprintf(&b, "\n## Frames, innermost first\n    %s\n", strings.Join(s.Frames, "\n    "))
	}
	if len(s.States) > 0 {
		fmt.Fprintf(&b, "\n## States\n%s\n", strings.Join(s.States, ", "))
	}
	b.WriteString("\n## How to see it\n    rtrail stacks --pid PID\n    rtrail stacks FILE   # of jstack, pstack, gdb\n")
	return b.String()
}
