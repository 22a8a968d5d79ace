package explain

import (
	"slices"

	"rtrail/internal/document"
)

// List is all that can be explained, a table for each kind.
func List(entries []Entry) document.Document {
	d := document.Document{Title: "What rtrail explains"}
	for _, part := range []struct {
		kind  Kind
		title string
	}{{Finding, "FINDINGS"}, {Setting, "SETTINGS that rtrail audit looks at"}, {Metric, "METRICS"}, {Counter, "COUNTERS of refused, failed and delayed work"}, {Tool, "TOOLS that show metrics"}, {Change, "CHANGES that make systems faster"}, {Variable, "VARIABLES of MySQL that rtrail mysql audit looks at"}, {Protocol, "PROTOCOLS"}, {Wait, "WAITS that rtrail stacks knows by their frames"}, {Heading, "COLUMNS"}} {
		list := slices.DeleteFunc(slices.Clone(entries), func(e Entry) bool { return e.Kind != part.kind })
		d.Blocks = append(d.Blocks, Table(part.title, list))
	}
	return d
}

// Table lists entries.
func Table(title string, list []Entry) document.Table {
	t := document.Table{Title: title, Columns: []document.Column{{}, {Wrap: true}}}
	for _, e := range list {
		t.Add([]string{e.ID, e.Title})
	}
	return t
}

// Names are entries without their pages.
func Names(list []Entry) []Entry {
	list = slices.Clone(list)
	for i := range list {
		list[i].Page = ""
	}
	return list
}
