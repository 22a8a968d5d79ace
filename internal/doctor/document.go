package doctor

import (
	"cmp"

	"rtrail/internal/document"
	"rtrail/internal/grant"
)

// Document is the report for people.
func (r Report) Document() document.Document {
	user := "as root"
	if !r.Root {
		user = "not root: other users' processes, sockets' owners and the kernel log may be out of sight"
	}
	d := document.Document{Title: "What rtrail sees on this machine", Blocks: []document.Block{
		document.Facts{Items: []string{"Linux " + r.Kernel + " on " + r.Arch, "cgroups " + cmp.Or(r.Cgroup, "unknown"), user}},
		table("PROBES", r.Probes), table("KERNEL", r.Features),
	}}
	if !r.Root {
		d.Blocks = append(d.Blocks, document.List{Title: "TO GRANT CAPABILITIES", Style: document.Strong, Items: []document.Item{
			{Words: "all at once, as setcap replaces those that the file has; for everybody who may run the file:", Command: grant.Command().String()}}})
	}
	return d
}

func table(title string, list []Item) document.Table {
	t := document.Table{Title: title, Columns: []document.Column{{}, {}, {Wrap: true}}, Under: 1}
	for _, i := range list {
		seen := "yes"
		var below []document.Row
		if !i.OK {
			seen = "NO"
			below = append(below, document.Row{Words: i.Problem})
			if i.How != "" {
				below = append(below, document.Row{Label: "get it", Words: i.How})
			}
		}
		t.Add([]string{seen, i.Name, i.What}, below...)
	}
	return t
}
