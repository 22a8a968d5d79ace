package cgroup

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"rtrail/internal/probe/procfile"
)

// hierarchy is one mounted tree of groups.
type hierarchy struct {
	dir         string   // where it is mounted
	prefix      string   // path of its topmost visible group
	version     int32    // 1 or 2
	controllers []string // version 1 only
	top         *place
	lost        int // groups that are not in its tree, as far as it is known
}

// group is one control group; on version 1, in all hierarchies that have it.
type group struct {
	path    string
	version int32
	inner   bool              // has groups below
	dir     string            // version 2
	dirs    map[string]string // version 1: directory by controller
	names   string            // version 2: controllers, comma separated
}

// v1Controllers are those rows speak of. The others, and named hierarchies
// without controllers, hold nothing a row has a column for.
var v1Controllers = []string{"blkio", "cpu", "cpuacct", "cpuset", "hugetlb", "memory", "pids"}

// groupKey is what stays of a group from one sample to the next.
type groupKey struct {
	version int32
	path    string
}

func (g *group) key() groupKey { return groupKey{g.version, g.path} }

// hierarchies finds the mounted ones. A hierarchy mounted twice counts once.
func (p *Probe) hierarchies() ([]*hierarchy, error) {
	b, err := procfile.ReadOnce(filepath.Join(p.root, "proc/self/mountinfo"), p.buf)
	if err != nil {
		return nil, err
	}
	p.buf = b
	var list []*hierarchy
	have := map[string]bool{}
	for line := range procfile.Lines(b) {
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
		list = append(list, &h)
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

// find brings the lists of hierarchies and groups up to date. Mounts and what
// controllers groups have change seldom and are looked at in full samples.
func (p *Probe) find(ctx context.Context, full bool) error {
	if full || p.mounted == nil {
		list, err := p.hierarchies()
		if err != nil {
			return err
		}
		for _, h := range list {
			for _, was := range p.mounted {
				if was.dir == h.dir && was.prefix == h.prefix {
					h.top = was.top
				}
			}
		}
		p.mounted, full = list, true
	}
	p.changed = p.changed || full
	p.lost = 0
	for _, h := range p.mounted {
		changed, err := h.refresh(ctx, maxPlaces)
		p.changed = p.changed || changed
		if err != nil {
			return err
		}
		p.lost += h.lost
	}
	if p.changed {
		p.groups, p.cut = p.walk(p.mounted, full)
		p.changed = false
	}
	return nil
}

// walk lists the groups of all hierarchies, those near the root first, and how
// many had to be left out. A full one asks all again which controllers they have.
func (p *Probe) walk(list []*hierarchy, full bool) (groups []*group, cut int) {
	hasV1 := slices.ContainsFunc(list, func(h *hierarchy) bool { return h.version == 1 })
	merged := map[string]*group{}
	for _, h := range list {
		h.tree(func(at *place) {
			inner := len(at.below) > 0 || at.cut
			if h.version == 2 {
				if !hasV1 && len(groups) >= maxGroups {
					cut++
					return
				}
				if full || !at.named {
					at.names, at.named = p.controllersOf(at.dir), true
				}
				// Beside version 1, groups without controllers only sort
				// processes (systemd's hybrid mode): version 1 has the numbers.
				if hasV1 && at.names == "" {
					return
				}
				if len(groups) >= maxGroups {
					cut++
					return
				}
				groups = append(groups, &group{path: at.path, version: 2, dir: at.dir, inner: inner, names: at.names})
				return
			}
			g := merged[at.path]
			if g == nil {
				if len(groups) >= maxGroups {
					cut++
					return
				}
				g = &group{path: at.path, version: 1, dirs: map[string]string{}}
				merged[at.path] = g
				groups = append(groups, g)
			}
			g.inner = g.inner || inner
			for _, name := range h.controllers {
				g.dirs[name] = at.dir
			}
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
