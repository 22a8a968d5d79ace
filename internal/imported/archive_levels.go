package imported

import (
	"cmp"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"rtrail/internal/budget"
	"rtrail/internal/probe/census"
	"rtrail/internal/probe/cgroup"
	"rtrail/internal/probe/host"
	procprobe "rtrail/internal/probe/process"
	"rtrail/internal/recording"
)

// groupsBelow is where control groups lie in a copy, beside its folder proc.
const groupsBelow = "/sys/fs/cgroup/"

// groupFile says whether a name in an archive is that of a file of a control group that is read: of
// which copy, and its name below groupsBelow, which begins with a slash.
func groupFile(name string) (where, file string, ok bool) {
	name = path.Clean("/" + name)
	i := strings.LastIndex(name, groupsBelow)
	if i < 0 {
		return "", "", false
	}
	where, file = name[:i], name[i+len(groupsBelow)-1:]
	_, ok = cgroup.MemoryFiles[path.Base(file)]
	return where, file, ok
}

// descriptor says whether a link in an archive is an open file of a process: "1/proc/77/fd/3".
func descriptor(name string) (where, pid string, ok bool) {
	name = path.Clean("/" + name)
	i := strings.LastIndex(name, "/proc/")
	if i < 0 {
		return "", "", false
	}
	words := strings.Split(name[i+len("/proc/"):], "/")
	if len(words) != 3 || words[1] != "fd" || strings.Trim(words[0]+words[2], "0123456789") != "" {
		return "", "", false
	}
	return name[:i], words[0], true
}

// openFiles are how many links to open files there are, by copy and process.
type openFiles map[string]map[string]int64

// perOpen is what the first link of a copy or of a process takes, in bytes, besides its name: a map, and
// an entry.
const perOpen = 256

// count takes one more link.
func (o openFiles) count(memory *budget.Budget, where, pid string) error {
	if o[where] == nil {
		if len(o) == maxTrees {
			return fmt.Errorf("it has open files of more than %d copies of /proc", maxTrees)
		}
		if !memory.Take(int64(len(where)) + perOpen) {
			return budget.ErrSpent
		}
		o[strings.Clone(where)] = map[string]int64{}
	}
	if _, known := o[where][pid]; !known {
		if !memory.Take(int64(len(pid)) + perOpen) {
			return budget.ErrSpent
		}
		pid = strings.Clone(pid) // which is a part of the name of the link
	}
	o[where][pid]++
	return nil
}

// limits makes a row of a copy of /proc/PID/limits. Links in its folder fd are the open files; who
// may not look into it sees none.
func (tr *tree) limits(w *recording.Writer, pid int32, name string, b []byte) {
	if s, ok := census.ParseStat(tr.files[name+"/stat"], func([]byte) string { return "" }); ok && s.Kernel {
		return
	}
	row := procprobe.ParseLimits(b)
	row.At, row.PID = tr.at, pid
	if row.Files = tr.descriptors[name]; row.Files == 0 {
		row.Files = recording.Unknown
	}
	recording.Append(w, row)
}

// groups makes rows of the copies of files of control groups.
func (tr *tree) groups(w *recording.Writer) {
	type group struct {
		path    string
		version int32
	}
	all := map[group]map[string][]byte{}
	for name, b := range tr.files {
		if !strings.HasPrefix(name, "/") {
			continue
		}
		g := group{path.Dir(name), cgroup.MemoryFiles[path.Base(name)]}
		below, v1 := strings.CutPrefix(g.path, "/memory")
		if v1 && (below == "" || below[0] == '/') && g.version != 2 {
			g = group{cmp.Or(below, "/"), 1}
		}
		if g.version == 0 {
			g.version = 2
		}
		if all[g] == nil {
			all[g] = map[string][]byte{}
		}
		all[g][path.Base(name)] = b
	}
	for _, g := range slices.SortedFunc(maps.Keys(all), func(a, b group) int {
		return cmp.Or(strings.Compare(a.path, b.path), cmp.Compare(a.version, b.version))
	}) {
		if row, ok := cgroup.Memory(tr.at, strings.ToValidUTF8(g.path, "?"), g.version, all[g]); ok {
			recording.Append(w, row)
		}
	}
}

// copiedLevels says which columns of limits, groups and the whole host copies of /proc tell.
func (r *rows) copiedLevels() {
	if len(r.limits) > 0 && !slices.ContainsFunc(r.limits, func(l recording.LimitSample) bool { return l.Files >= 0 }) {
		r.only[recording.Limits] = []string{"files_soft", "files_hard", "procs_soft"}
	}
	if len(r.groups) > 0 {
		r.only[recording.Cgroups] = []string{"memory_bytes", "memory_max_bytes"}
		if !slices.ContainsFunc(r.groups, func(g recording.CgroupSample) bool { return g.Anon < 0 || g.InactiveFile < 0 }) {
			r.only[recording.Cgroups] = append(r.only[recording.Cgroups], "anon_bytes", "inactive_file_bytes")
		}
	}
	all := len(r.told.trees) > 0 && len(r.system) > 0
	for _, tr := range r.told.trees {
		b, ok := tr.files["sys/fs/file-nr"]
		all = all && ok
		for i := range r.system {
			if ok && r.system[i].At.Equal(tr.at) {
				host.ReadFiles(&r.system[i], b)
			}
		}
	}
	if all {
		r.only[recording.System] = append(r.only[recording.System], "files_open", "files_max")
	}
}

// pidOf is the PID that a folder of /proc is named by; 0: it is none.
func pidOf(name string) int32 {
	n, err := strconv.ParseInt(name, 10, 32)
	if err != nil || n <= 0 {
		return 0
	}
	return int32(n)
}
