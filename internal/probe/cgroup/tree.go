package cgroup

import (
	"context"
	"fmt"
	"os"
	"slices"
	"syscall"
)

// maxPlaces bounds the directories of one hierarchy that are asked each sample
// whether groups came or went; the deepest are left out first. Empty groups cost
// nobody much to make, and hold nothing a row tells.
const maxPlaces = 2 * maxGroups

// place is a directory of a hierarchy as it was when it was last listed.
type place struct {
	path, dir string
	links     uint64 // of the directory: two, and one for each in it
	below     []*place
	gone      bool
	stale     bool   // below is to be listed again
	cut       bool   // below is not all there is
	names     string // version 2: controllers, comma separated
	named     bool   // names was read
}

// look asks for the links of a place. The link count, which kernfs keeps exact,
// tells when groups came or went, but for as many that went as came: then one of
// those that were there is gone.
func (at *place) look() {
	var stat syscall.Stat_t
	if syscall.Stat(at.dir, &stat) != nil {
		at.gone = true
		return
	}
	links := uint64(stat.Nlink)
	at.stale = at.stale || links != at.links || links < 2
	at.links = links
}

// list reads which groups are below, for as many as there is room. One that says
// it has none is not listed: that is most.
func (at *place) list(room int) (changed bool) {
	was := at.below
	at.below, at.stale, at.cut = nil, false, at.links > 2 && room <= 0
	if at.links == 2 || room <= 0 {
		return len(was) > 0
	}
	names, err := folders(at.dir, room+1)
	if err != nil {
		return len(was) > 0
	}
	if len(names) > room {
		names, at.cut = names[:room], true
	}
	known := make(map[string]*place, len(was))
	for _, p := range was {
		if !p.gone {
			known[p.dir] = p
		}
	}
	path := at.path
	if path == "/" {
		path = ""
	}
	for _, name := range names {
		dir := at.dir + "/" + name
		p := known[dir]
		if p == nil {
			p = &place{path: path + "/" + name, dir: dir}
			changed = true
		}
		at.below = append(at.below, p)
	}
	return changed || len(at.below) != len(was)
}

// folders are the names of at most so many directories in one, sorted.
func folders(dir string, most int) ([]string, error) {
	const batch = 512
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var names []string
	for len(names) < most {
		entries, err := f.ReadDir(batch)
		for _, e := range entries {
			if e.IsDir() {
				names = append(names, e.Name())
			}
		}
		if err != nil {
			break // the end
		}
	}
	slices.Sort(names)
	return names[:min(len(names), most)], nil
}

// missing is how many groups directly below a place are not in the tree, at least.
func (at *place) missing() int {
	if !at.cut {
		return 0
	}
	return max(int(at.links)-2-len(at.below), 1)
}

// refresh brings the tree of a hierarchy up to date, level by level, with at most
// so many places, and counts those it knows it left out.
func (h *hierarchy) refresh(ctx context.Context, most int) (changed bool, err error) {
	if h.top == nil {
		path := h.prefix
		if path == "" {
			path = "/"
		}
		h.top = &place{path: path, dir: h.dir}
	}
	h.lost = 0
	h.top.gone = false
	h.top.look()
	all := []*place{h.top}
	for i := 0; i < len(all); i++ {
		if i%64 == 63 && ctx.Err() != nil {
			return changed, fmt.Errorf("stop after %d of %d groups of %s: %w", i, len(all), h.dir, ctx.Err())
		}
		at, room := all[i], most-len(all)
		if at.stale || at.cut && len(at.below) < room {
			changed = at.list(room) || changed
		} else if len(at.below) > room {
			at.below, at.cut, changed = at.below[:room], true, true
		}
		lost := false
		for _, p := range at.below {
			p.look()
			lost = lost || p.gone
		}
		if lost {
			changed = true
			at.list(room)
			for _, p := range at.below {
				if p.links == 0 {
					p.look()
				}
			}
			at.below = slices.DeleteFunc(at.below, func(p *place) bool { return p.gone })
		}
		h.lost += at.missing()
		all = append(all, at.below...)
	}
	return changed, nil
}

// tree visits the groups of one hierarchy level by level.
func (h *hierarchy) tree(visit func(at *place)) {
	for level := []*place{h.top}; len(level) > 0; {
		var below []*place
		for _, at := range level {
			visit(at)
			below = append(below, at.below...)
		}
		level = below
	}
}
