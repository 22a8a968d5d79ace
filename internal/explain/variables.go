package explain

import (
	"fmt"
	"strings"

	"rtrail/internal/mysqlview/audit"
)

// variableEntries is an entry per variable of MySQL that `rtrail mysql audit` looks at.
// One that servers of several makers have with different meanings has one page.
func variableEntries() []Entry {
	var list []Entry
	at := map[string]int{}
	for _, s := range audit.Settings() {
		i, known := at[s.Name]
		if !known {
			i = len(list)
			at[s.Name] = i
			list = append(list, Entry{ID: "variable/" + s.Name, Title: "of MySQL: " + string(s.Topic), Kind: Variable,
				Page: fmt.Sprintf("# variable/%s: a variable of MySQL\n", s.Name)})
		}
		list[i].Page += variableSection(&s)
	}
	for i := range list {
		list[i].Page += fmt.Sprintf("\n## How to see it\n    rtrail mysql audit SERVER\n    mysql -e \"show global variables like '%s'\"\n", strings.TrimPrefix(list[i].ID, "variable/"))
	}
	return list
}

func variableSection(s *audit.Setting) string {
	var b strings.Builder
	if s.Only != "" {
		fmt.Fprintf(&b, "\nOf %s only.\n", s.Only)
	}
	fmt.Fprintf(&b, "\n## What it does\n%s.\n\n## What a change costs\n%s.\n\n## How to change it\n", upperFirst(s.Why), upperFirst(s.Cost))
	switch s.Apply {
	case audit.Dynamic:
		b.WriteString("SET GLOBAL; sessions may have to connect again.\n")
	case audit.Restart:
		b.WriteString("In the configuration of the server, and a restart.\n")
	default:
		b.WriteString("SET GLOBAL in newer releases, a restart in older ones.\n")
	}
	if s.Auto != "" {
		fmt.Fprintf(&b, "Unless it is set, the server chooses it: %s.\n", s.Auto)
	}
	if len(s.Names) > 0 {
		fmt.Fprintf(&b, "Also named %s.\n", strings.Join(s.Names, ", "))
	}
	if s.Advise == nil {
		b.WriteString("No counter of the server says whether it is right.\n")
	}
	return b.String()
}

// upperFirst is a text that begins with a capital, unless with a name of a variable.
func upperFirst(text string) string {
	first, _, _ := strings.Cut(text, " ")
	if text == "" || strings.ContainsAny(first, "_.=") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:]
}
