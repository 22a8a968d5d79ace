package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"rtrail/internal/protocol"
	"rtrail/internal/shell"
)

// summaries say what a statement in the tables of `rtrail packets` is made of.
var summaries = map[protocol.Summary]string{
	protocol.CommandOnly: "the command",
	protocol.MySQL:       "the statement without literals",
	protocol.PostgreSQL:  "the statement without literals",
	protocol.CQL:         "the statement without literals",
	protocol.TransactSQL: "the statement without literals",
	protocol.Path:        "method and path without identifiers, with the names of the query's parameters",
	protocol.Key:         "the command and the key or name, its numbers left out",
	protocol.Domain:      "the command and the domain name",
	protocol.Name:        "the command and the name it is about",
}

// protocolEntries is an entry per protocol that `rtrail packets` decodes.
func protocolEntries() []Entry {
	var list []Entry
	for _, name := range protocol.Names() {
		list = append(list, Entry{ID: "protocol." + name, Title: "requests and errors as rtrail packets reads them", Page: protocolPage(name), Kind: Protocol})
	}
	return list
}

// protocolPage is what is known of a protocol as Markdown.
func protocolPage(name string) string {
	t := protocol.Of(name)
	var b strings.Builder
	fmt.Fprintf(&b, "# protocol.%s\n\n", name)
	if t.Opaque {
		b.WriteString("Requests are not decoded. ")
		if t.Inferred != "" {
			fmt.Fprintf(&b, "Inferred: %s.", t.Inferred)
		} else {
			b.WriteString("Where one begins is inferred from the change of direction.")
		}
	} else {
		fmt.Fprintf(&b, "`rtrail packets` decodes its requests and adds them up by %s.", summaries[t.Summary])
	}
	b.WriteString("\n\n")
	if len(t.Usual) > 0 {
		fmt.Fprintf(&b, "## Errors that are ordinary answers\n%s\n\n", strings.Join(t.Usual, ", "))
	}
	if len(t.Causes) > 0 {
		b.WriteString("## What errors mean\n")
		byLength := func(a, b string) int { return cmp.Or(-cmp.Compare(min(len(a), 2), min(len(b), 2)), cmp.Compare(a, b)) } // what is left last
		for _, code := range slices.SortedFunc(maps.Keys(t.Causes), byLength) {
			fmt.Fprintf(&b, "- %s: %s\n", codeWords(code), t.Causes[code])
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "## How to ask for many things at once\n%s\n\n## What closes idle connections\n%s\n\n## How to look inside the server\n", t.Batch, t.IdleLimit)
	for _, c := range []shell.Command{t.Inside, t.Log, t.Pool} {
		if !c.Empty() {
			fmt.Fprintf(&b, "    %s\n", c)
		}
	}
	if t.Dissector != "" {
		fmt.Fprintf(&b, "\n## In tshark\n    tshark -r FILE -Y %s\n", t.Dissector)
	}
	return b.String()
}

// codeWords is a key of Traits.Causes in words.
func codeWords(code string) string {
	switch len(code) {
	case 0:
		return "all others"
	case 1:
		return fmt.Sprintf("others that begin with %s", code)
	}
	return "`" + code + "`"
}
