package cgroup

import (
	"os"
	"slices"
	"syscall"
)

// place is a directory of a hierarchy as it was when it was last listed.
type place struct {
	path, dir string
	links     uint64 // of the directory: two, and one for each in it
	below     []*place
	gone      bool
}

// current brings a place up to date; changed says that groups came or went. The
// link count, which kernfs keeps exact, tells so, but for as many that went as
// came: then one of those that were there is gone.
func (at *place) current() (changed bool) {
	var stat syscall.Stat_t
	if syscall.Stat(at.dir, &stat) != nil {
		at.gone = true
		return true
	}
	if uint64(stat.Nlink) == at.links && at.links > 1 {
		return false
	}
	at.links = uint64(stat.Nlink)
	return at.list()
}

// list reads which groups are below. One that says it has none is not listed:
// that is most.
func (at *place) list() (changed bool) {
	was := at.below
	at.below = nil
	if at.links == 2 {
		return len(was) > 0
	}
	entries, err := os.ReadDir(at.dir)
	if err != nil {
		return len(was) > 0
	}
	for _, e := range entries {
		if !e.IsDir() {
			continue
		}
		dir := at.dir + "/" + e.Name()
		i := slices.IndexFunc(was, func(p *place) bool { return p.dir == dir && !p.gone })
		if i >= 0 {
			at.below = append(at.below, was[i])
			continue
		}
		path := at.path
		if path == "/" {
			path = ""
		}
		at.below = append(at.below, &place{path: path + "/" + e.Name(), dir: dir})
		changed = true
	}
	return changed || len(at.below) != len(was)
}

// refresh brings the tree of a hierarchy up to date, level by level.
func (h *hierarchy) refresh() (changed bool) {
	if h.top == nil {
		path := h.prefix
		if path == "" {
			path = "/"
		}
		h.top = &place{path: path, dir: h.dir}
	}
	level := []*place{h.top}
	h.top.gone = false
	changed = h.top.current()
	for len(level) > 0 {
		var below []*place
		for _, at := range level {
			lost := false
			for _, p := range at.below {
				changed = p.current() || changed
				lost = lost || p.gone
			}
			if lost {
				at.list()
				for _, p := range at.below {
					if p.links == 0 {
						p.current()
					}
				}
				at.below = slices.DeleteFunc(at.below, func(p *place) bool { return p.gone })
			}
			below = append(below, at.below...)
		}
		level = below
	}
	return changed
}

// tree visits the groups of one hierarchy level by level until visit says no.
func (h *hierarchy) tree(visit func(path, dir string, inner bool) bool) {
	for level := []*place{h.top}; len(level) > 0; {
		var below []*place
		for _, at := range level {
			if !visit(at.path, at.dir, len(at.below) > 0) {
				return
			}
			below = append(below, at.below...)
		}
		level = below
	}
}
