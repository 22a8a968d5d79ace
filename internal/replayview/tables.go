package replayview

import (
	"cmp"
	"fmt"
	"slices"

	"rtrail/internal/document"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// maxRows bounds a table: who looks for more asks for a verdict, or reads the tables.
const maxRows = 200

// table is a document of one table, or of why there is none.
func table(t document.Table, none string) document.Document {
	return document.Document{Title: t.Title, Blocks: []document.Block{orNone(t, none)}}
}

func orNone(t document.Table, none string) document.Block {
	if len(t.Rows) == 0 {
		return document.Prose{Label: t.Title, Words: none}
	}
	if more := len(t.Rows) - maxRows; more > 0 {
		t.Rows = t.Rows[:maxRows]
		t.More = fmt.Sprintf("and %d more that did less", more)
	}
	return t
}

// shown prints a number, or a dash where it is not known.
func shown(v float64, as fmt.Stringer) string {
	if !view.Known(v) {
		return "-"
	}
	return as.String()
}

func share(v float64) string   { return shown(v, unit.Share(v)) }
func bytes(v float64) string   { return shown(v, unit.Bytes(v)) }
func seconds(v float64) string { return shown(v, unit.Seconds(v)) }
func number(v float64) string  { return shown(v, unit.Number(v)) }

// level is a number of bytes that is -1 where it could not be read.
func level(n int64) string {
	if n < 0 {
		return "-"
	}
	return unit.Bytes(n).String()
}

// processes are those that did something, and the largest.
func processes(v *view.View) document.Document {
	list := slices.DeleteFunc(slices.Clone(v.Processes()), func(p view.Process) bool { return p.Kernel && p.CPUSeconds == 0 })
	slices.SortStableFunc(list, func(a, b view.Process) int {
		return cmp.Or(cmp.Compare(b.CPUSeconds, a.CPUSeconds), cmp.Compare(b.RSS, a.RSS))
	})
	t := document.Table{Title: "PROCESSES", Columns: []document.Column{{Name: "process", Max: 20}, {Name: "PID", Right: true}, {Name: "cores", Right: true},
		{Name: "run delay", Right: true, Drop: 3}, {Name: "disk wait", Right: true, Drop: 3}, {Name: "RSS", Right: true}, {Name: "read/s", Right: true, Drop: 1}, {Name: "written/s", Right: true, Drop: 1},
		{Name: "switches/s", Right: true, Drop: 4}, {Name: "threads", Right: true, Drop: 2}, {Name: "cgroup", Cut: true, Drop: 5}}}
	for _, p := range list {
		cores := "-"
		if view.Known(p.CPU) {
			cores = fmt.Sprintf("%.2f", p.CPU)
		}
		t.Rows = append(t.Rows, []string{p.Comm, fmt.Sprint(p.PID), cores, share(p.RunDelay), share(p.BlockDelay), level(p.RSS), bytes(p.ReadBytes), bytes(p.WriteBytes),
			number(p.Voluntary + p.Involuntary), fmt.Sprint(p.Threads), p.Cgroup})
	}
	return table(t, "none was recorded")
}

func disks(v *view.View) document.Document {
	t := document.Table{Title: "DISKS", Columns: []document.Column{{Name: "disk"}, {Name: "busy", Right: true}, {Name: "reads/s", Right: true}, {Name: "writes/s", Right: true},
		{Name: "read/s", Right: true}, {Name: "written/s", Right: true}, {Name: "await", Right: true}, {Name: "queue", Right: true, Drop: 1}, {Name: "flushes/s", Right: true, Drop: 2}}}
	for _, d := range v.BlockDevices() {
		t.Rows = append(t.Rows, []string{d.Device, share(d.Utilisation), number(d.Reads), number(d.Writes), bytes(d.ReadBytes), bytes(d.WrittenBytes), seconds(d.Await), number(d.Queue), number(d.Flushes)})
	}
	d := table(t, "none was recorded")
	f := document.Table{Title: "FILESYSTEMS", Columns: []document.Column{{Name: "used", Right: true}, {Name: "size", Right: true}, {Name: "free", Right: true}, {Name: "inodes used", Right: true},
		{Name: "type", Drop: 1}, {Name: "disk"}, {Name: "mounted on", Cut: true}}}
	for _, m := range v.Filesystems() {
		inodes := view.Unknown
		if m.Inodes > 0 {
			inodes = 1 - float64(m.InodesFree)/float64(m.Inodes)
		}
		f.Rows = append(f.Rows, []string{share(1 - float64(m.Free)/float64(m.Size)), level(m.Size), level(m.Free), share(inodes), m.FSType, m.Disk, m.MountPoint})
	}
	d.Blocks = append(d.Blocks, orNone(f, "none was recorded"))
	return d
}

func network(v *view.View) document.Document {
	t := document.Table{Title: "INTERFACES", Columns: []document.Column{{Name: "interface"}, {Name: "namespace", Drop: 1, Max: 24}, {Name: "received/s", Right: true}, {Name: "sent/s", Right: true},
		{Name: "packets in/s", Right: true}, {Name: "out/s", Right: true}, {Name: "dropped", Right: true}, {Name: "errors", Right: true}}}
	for _, i := range v.Interfaces() {
		t.Rows = append(t.Rows, []string{i.Interface, v.NetNSName(i.NetNS), bytes(i.RxBytes), bytes(i.TxBytes), number(i.RxPackets), number(i.TxPackets), number(i.Dropped), number(i.Errors)})
	}
	d := table(t, "none was recorded")
	list := slices.Clone(v.Listeners())
	slices.SortStableFunc(list, func(a, b view.Listener) int {
		return cmp.Or(cmp.Compare(b.Longest, a.Longest), cmp.Compare(a.Port, b.Port))
	})
	l := document.Table{Title: "LISTENERS", Columns: []document.Column{{Name: "server", Max: 20}, {Name: "PID", Right: true}, {Name: "port", Right: true}, {Name: "address", Max: 24}, {Name: "waiting", Right: true},
		{Name: "longest", Right: true}, {Name: "backlog", Right: true}, {Name: "dropped", Right: true}, {Name: "namespace", Cut: true, Drop: 1}}}
	for _, x := range list {
		pid := "-"
		if x.PID() > 0 {
			pid = fmt.Sprint(x.PID())
		}
		l.Rows = append(l.Rows, []string{x.Name(), pid, fmt.Sprint(x.Port), x.Local, fmt.Sprint(x.Queue), fmt.Sprint(x.Longest), fmt.Sprint(x.Backlog), number(x.Dropped), v.NetNSName(x.NetNS)})
	}
	d.Blocks = append(d.Blocks, orNone(l, "none was recorded"))
	return d
}

// cgroups are those that processes are in, or that have a limit.
func cgroups(v *view.View) document.Document {
	list := slices.DeleteFunc(slices.Clone(v.Cgroups()), func(c view.Cgroup) bool { return c.Processes == 0 && !c.Limited() && !c.HasQuota() })
	slices.SortStableFunc(list, func(a, b view.Cgroup) int {
		return cmp.Or(cmp.Compare(view.OrZero(b.CPU), view.OrZero(a.CPU)), cmp.Compare(b.Memory, a.Memory))
	})
	t := document.Table{Title: "CONTROL GROUPS", Columns: []document.Column{{Name: "group", Cut: true}, {Name: "v", Right: true, Drop: 3}, {Name: "cores", Right: true}, {Name: "quota", Right: true}, {Name: "throttled", Right: true},
		{Name: "memory", Right: true}, {Name: "limit", Right: true}, {Name: "stalled", Right: true, Drop: 1}, {Name: "kills", Right: true}, {Name: "tasks", Right: true, Drop: 2}}}
	for _, c := range list {
		cores, quota, limit := "-", "-", "-"
		if view.Known(c.CPU) {
			cores = fmt.Sprintf("%.2f", c.CPU)
		}
		if c.HasQuota() {
			quota = fmt.Sprintf("%.2f", c.Cores())
		}
		if bound, _, ok := view.MemoryBound(c.CgroupSample); ok {
			limit = level(bound)
		}
		tasks := "-"
		if c.Pids >= 0 {
			tasks = fmt.Sprint(c.Pids)
		}
		t.Rows = append(t.Rows, []string{c.Path, fmt.Sprint(c.Version), cores, quota, share(c.ThrottledIn / c.PeriodsIn), level(c.Memory), limit, share(c.MemoryStalled), number(c.Kills), tasks})
	}
	return table(t, "none was recorded")
}
