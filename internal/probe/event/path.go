package event

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"rtrail/internal/recording"
)

// FileID is struct file_id of bpf/path.h.
type FileID struct {
	Inode      uint64
	Device     uint32 // major << 20 | minor; 0: no file
	Generation uint32 // of the inode number: filesystems give it to another file after a deletion
}

// DeviceNumber is the device of the filesystem as ls and mountinfo have it; "" without a file.
func (f FileID) DeviceNumber() string {
	if f.Device == 0 {
		return ""
	}
	return fmt.Sprintf("%d:%d", f.Device>>20, f.Device&(1<<20-1))
}

// Shape of struct names of bpf/path.h.
const (
	pathRoom    = 1024 + 256
	pathCut     = 1
	pathDeleted = 2
)

// names is struct names of bpf/path.h.
type names struct {
	Bytes, Flags uint32
	Text         [pathRoom]byte
}

// Paths tells the paths of files that programs learned by bpf/path.h. A path is one
// in the mount namespace of the process that used the file first.
type Paths struct {
	set   *Set
	known map[FileID]string
	told  uint64 // files without room that were told
}

// maxPaths bounds the paths that are remembered.
const maxPaths = 16384

// NewPaths reads the paths of a set.
func NewPaths(s *Set) *Paths { return &Paths{set: s, known: map[FileID]string{}} }

// Path is the path of a file; "" if it has none, or is not known. The beginning of one that
// is too long is "...", and one without a name in its directory ends in " (deleted)".
func (p *Paths) Path(id FileID) string {
	if id.Device == 0 {
		return ""
	}
	if path, ok := p.known[id]; ok {
		return path
	}
	var n names
	if p.set.Map("paths").Lookup(id, &n) != nil {
		return ""
	}
	if len(p.known) >= maxPaths {
		clear(p.known)
	}
	path := PathOf(n.Text[:min(int(n.Bytes), len(n.Text))], n.Flags)
	p.known[id] = path
	return path
}

// PathOf is the path that names of struct names of bpf/path.h make, with their flags.
func PathOf(text []byte, flags uint32) string {
	parts := bytes.Split(bytes.TrimSuffix(text, []byte{0}), []byte{0})
	slices.Reverse(parts)
	path := strings.ToValidUTF8(string(bytes.Join(parts, []byte("/"))), "?")
	switch {
	case flags&pathCut != 0:
		path = ".../" + path
	default:
		path = "/" + path
	}
	if flags&pathDeleted != 0 {
		path += " (deleted)"
	}
	return path
}

// Tell says for how many more files there was no room, and makes room: all that are
// known are learned again.
func (p *Paths) Tell(w *recording.Writer, probe string) error {
	var all uint64
	if err := p.set.Get("pathless", &all); err != nil {
		return err
	}
	n := all - p.told
	p.told = all
	if n == 0 {
		return nil
	}
	w.Unseen(probe, "paths of files", int(n), "there were more files than BPF programs keep paths of", "watch for a shorter time; files that are used now are named again")
	clear(p.known)
	m := p.set.Map("paths")
	var old []FileID
	var id FileID
	for it := m.Iterate(); it.Next(&id, new(names)); {
		old = append(old, id)
	}
	for _, id := range old {
		_ = m.Delete(id) // it may be gone
	}
	return nil
}
