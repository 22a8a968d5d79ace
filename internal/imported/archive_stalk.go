package imported

import (
	"archive/tar"
	"cmp"
	"errors"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/unit"
)

// stalkArchive is the last collection of pt-stalk in an archive. Files come in any order, and one of them
// says nothing of the others: later ones, of which no file came yet that tells of some time, are kept, too.
type stalkArchive struct {
	kept   []*stalkCollection // the latest one first
	others bool               // there are more
}

// stalkCollection is what pt-stalk wrote at one trigger into one folder.
type stalkCollection struct {
	trigger, folder string
	files           map[string]stalkFile // by what is in them
	lasts           bool                 // one of them tells of more than one moment
	log             *logFile             // what the kernel logged before; nil: there is none
	beside          bool                 // there are packets or stacks
	large           string               // a file that is left out, as it has more text than is read
}

// stalkFile is one of its files.
type stalkFile struct {
	name    string
	written time.Time
	content []byte
}

// maxPending bounds the collections that are kept.
const maxPending = 8

// found says that there is a collection.
func (s *stalkArchive) found() bool { return len(s.kept) > 0 }

// latest names the files of the latest one.
func (s *stalkArchive) latest() string { return s.kept[0].trigger + "-*" }

// take keeps a file of a collection, unless a later one is there that can be read.
func (s *stalkArchive) take(memory *budget.Budget, h *tar.Header, in io.Reader) error {
	name := path.Clean("/" + h.Name)
	m := collected.FindStringSubmatch(path.Base(name))
	if m == nil || h.Size == 0 {
		return nil
	}
	trigger, kind := m[1], m[2]
	beside := slices.Contains(stalkedBeside, kind)
	if !beside && kind != stalkedLog && !slices.Contains(stalked, kind) {
		return nil
	}
	c := s.collection(memory, trigger, path.Dir(name))
	switch {
	case c == nil:
		return nil
	case beside:
		c.beside = true
		return nil
	case kind == stalkedLog:
		return c.takeLog(memory, name, h.ModTime, in)
	case h.Size > maxText:
		c.large = cmp.Or(c.large, name)
		return nil
	case !memory.Take(h.Size):
		return budget.ErrSpent
	}
	b, err := io.ReadAll(io.LimitReader(in, maxText)) // one that is cut off is read as far as it goes
	if errors.Is(err, errBomb) {
		return err
	}
	if kindOf(b[:min(len(b), headBytes)]) == nil || otherIn(b) != nil {
		memory.Give(h.Size)
		return nil
	}
	memory.Give(int64(len(c.files[kind].content)))
	c.files[kind] = stalkFile{name: name, written: h.ModTime, content: b}
	if slices.Contains(stalked[:lasting], kind) {
		c.lasts = true
		s.drop(memory, slices.Index(s.kept, c)+1, len(s.kept))
	}
	return nil
}

// collection is that of a trigger; nil: it is not kept.
func (s *stalkArchive) collection(memory *budget.Budget, trigger, folder string) *stalkCollection {
	c := &stalkCollection{trigger: trigger, folder: folder, files: map[string]stalkFile{}}
	at, there := slices.BinarySearchFunc(s.kept, c, func(a, b *stalkCollection) int {
		return cmp.Or(strings.Compare(b.trigger, a.trigger), strings.Compare(b.folder, a.folder))
	})
	n := len(s.kept)
	switch {
	case there:
		return s.kept[at]
	case at == n && n > 0 && s.kept[n-1].lasts:
		s.others = true
		return nil
	}
	s.kept = slices.Insert(s.kept, at, c)
	if n == maxPending {
		earliest := n
		if s.kept[n].lasts {
			earliest--
		}
		dropped := s.kept[earliest]
		if s.drop(memory, earliest, earliest+1); dropped == c {
			return nil
		}
	}
	return c
}

// drop forgets some of the collections.
func (s *stalkArchive) drop(memory *budget.Budget, from, to int) {
	for _, c := range s.kept[from:to] {
		s.others = true
		for _, f := range c.files {
			memory.Give(int64(len(f.content)))
		}
		if c.log != nil {
			c.log.forget(memory, len(c.log.lines))
		}
	}
	s.kept = slices.Delete(s.kept, from, to)
}

// read reads the last collection, as its directory is read; none: nothing in it tells of some time.
func (s *stalkArchive) read(file string) (all []*told, err error) {
	last := slices.IndexFunc(s.kept, func(c *stalkCollection) bool { return c.lasts })
	if last < 0 {
		return nil, nil
	}
	c := s.kept[last]
	var notes []string
	var failed error // of the first file that is left out
	for _, kind := range stalked {
		f, there := c.files[kind]
		if !there {
			continue
		}
		if !sane(f.written) {
			f.written = time.Now()
		}
		t, err := kindOf(f.content[:min(len(f.content), headBytes)])(file+":"+f.name, string(f.content), f.written)
		if err != nil {
			failed, notes = cmp.Or(failed, err), append(notes, leftOutFor(err))
			continue
		}
		t.written = f.written
		all = append(all, t)
	}
	if len(all) == 0 {
		return nil, failed
	}
	all[0].notes = append(all[0].notes, notes...)
	if c.log != nil {
		c.log.put(file, all, all[0])
	}
	if s.others || len(s.kept) > 1 {
		all[0].note("%s: of several collections of pt-stalk in it the last one was read, %s; for another one unpack it and give its files", file, path.Join(c.folder, c.trigger))
	}
	if c.beside {
		all[0].note("%s: packets and stacks in it are left out: for %s unpack it and give its directory", file, strings.Join(stalkedBeside, " and "))
	}
	if c.large != "" {
		all[0].note("%s: %s in it is left out, as it has more than %v of text", file, c.large, unit.Bytes(maxText))
	}
	return all, nil
}
