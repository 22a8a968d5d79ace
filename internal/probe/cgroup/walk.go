package cgroup

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"rtrail/internal/probe/procfile"
)

// hierarchy is one mounted tree of groups.
type hierarchy struct {
	dir         string   // where it is mounted
	prefix      string   // path of its topmost visible group
	version     int32    // 1 or 2
	controllers []string // version 1 only
}

// group is one control group; on version 1, in all hierarchies that have it.
type group struct {
	path    string
	version int32
	inner   bool              // has groups below
	dir     string            // version 2
	dirs    map[string]string // version 1: directory by controller
	names   string            // controllers, comma separated
}

// v1Controllers are those rows speak of. The others, and named hierarchies
// without controllers, hold nothing a row has a column for.
var v1Controllers = []string{"blkio", "cpu", "cpuacct", "cpuset", "memory", "pids"}

func (g *group) key() string {
	if g.version == 1 {
		return "1" + g.path
	}
	return "2" + g.path
}

func (g *group) controllerList() string {
	if g.names == "" && g.version == 1 {
		var have []string
		for _, name := range v1Controllers {
			if g.dirs[name] != "" {
				have = append(have, name)
			}
		}
		g.names = strings.Join(have, ",")
	}
	return g.names
}

// hierarchies finds the mounted ones. A hierarchy mounted twice counts once.
func (p *Probe) hierarchies() ([]hierarchy, error) {
	b, err := procfile.ReadOnce(filepath.Join(p.root, "proc/self/mountinfo"), p.buf)
	if err != nil {
		return nil, err
	}
	p.buf = b
	var list []hierarchy
	have := map[string]bool{}
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		h, ok := parseMount(line)
		key := "v2"
		if h.version == 1 {
			key = strings.Join(h.controllers, ",")
		}
		if !ok || have[key] {
			continue
		}
		have[key] = true
		h.dir = filepath.Join(p.root, h.dir)
		list = append(list, h)
	}
	return list, nil
}

// parseMount reads a line of mountinfo; it is false for other filesystems and
// for version 1 hierarchies without a controller that matters.
func parseMount(line []byte) (hierarchy, bool) {
	front, back, ok := bytes.Cut(line, []byte(" - "))
	fields, tail := bytes.Fields(front), bytes.Fields(back)
	if !ok || len(fields) < 5 || len(tail) < 2 {
		return hierarchy{}, false
	}
	h := hierarchy{dir: string(fields[4]), prefix: string(fields[3])}
	// "/.." stands for a mount made outside of the own cgroup namespace.
	if h.prefix == "/" || strings.HasPrefix(h.prefix, "/..") {
		h.prefix = ""
	}
	switch string(tail[0]) {
	case "cgroup2":
		h.version = 2
		return h, true
	case "cgroup":
		h.version = 1
		for option := range bytes.SplitSeq(tail[len(tail)-1], []byte{','}) {
			if slices.Contains(v1Controllers, string(option)) {
				h.controllers = append(h.controllers, string(option))
			}
		}
		return h, len(h.controllers) > 0
	}
	return h, false
}

// walk lists the groups of all hierarchies, those near the root first, and how
// many had to be left out.
func (p *Probe) walk(list []hierarchy) (groups []*group, cut int) {
	hasV1 := slices.ContainsFunc(list, func(h hierarchy) bool { return h.version == 1 })
	merged := map[string]*group{}
	for _, h := range list {
		p.tree(h, func(path, dir string, inner bool) bool {
			if h.version == 2 {
				names := p.controllersOf(dir)
				// Beside version 1, groups without controllers only sort
				// processes (systemd's hybrid mode): version 1 has the numbers.
				if hasV1 && names == "" {
					return true
				}
				if len(groups) >= mostGroups {
					cut++
					return cut < mostGroups
				}
				groups = append(groups, &group{path: path, version: 2, dir: dir, inner: inner, names: names})
				return true
			}
			g := merged[path]
			if g == nil {
				if len(groups) >= mostGroups {
					cut++
					return cut < mostGroups
				}
				g = &group{path: path, version: 1, dirs: map[string]string{}}
				merged[path] = g
				groups = append(groups, g)
			}
			g.inner = g.inner || inner
			for _, name := range h.controllers {
				g.dirs[name] = dir
			}
			return true
		})
	}
	return groups, cut
}

func (p *Probe) controllersOf(dir string) string {
	b, err := procfile.ReadOnce(filepath.Join(dir, "cgroup.controllers"), p.buf)
	if err != nil {
		return ""
	}
	p.buf = b
	return string(bytes.Join(bytes.Fields(b), []byte{','}))
}

// tree visits the groups of one hierarchy level by level until visit says no.
func (p *Probe) tree(h hierarchy, visit func(path, dir string, inner bool) bool) {
	type place struct{ path, dir string }
	level := []place{{h.prefix, h.dir}}
	for len(level) > 0 {
		var below []place
		for _, at := range level {
			names := children(at.dir)
			path := at.path
			if path == "" {
				path = "/"
			}
			if !visit(path, at.dir, len(names) > 0) {
				return
			}
			for _, name := range names {
				below = append(below, place{at.path + "/" + name, at.dir + "/" + name})
			}
		}
		level = below
	}
}

// children lists the directories in a directory. One that says it has none (a
// link count of 2, which kernfs keeps exact) is not listed: that is most.
func children(dir string) []string {
	var stat syscall.Stat_t
	if syscall.Stat(dir, &stat) != nil || stat.Nlink == 2 {
		return nil
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return names
}
