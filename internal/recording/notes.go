package recording

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxReadNotes is how many things are told that could not be read: of a
	// recording damaged everywhere, some tell enough.
	maxReadNotes = 100
	// maxKeptNotes and maxNoteBytes bound the notes of a manifest, so that one
	// that is continued for years can still be read: JSON writes up to six bytes
	// for one.
	maxKeptNotes = 500
	maxNoteBytes = 300
)

// noteList is what could not be read, each told once.
type noteList struct {
	list []string
	more int // that are not listed
}

func (n *noteList) add(format string, args ...any) {
	note := clipNote(fmt.Sprintf(format, args...))
	switch {
	case slices.Contains(n.list, note):
	case len(n.list) < maxReadNotes:
		n.list = append(n.list, note)
	default:
		n.more++
	}
}

func (n *noteList) all() []string {
	if n.more == 0 {
		return n.list
	}
	return append(slices.Clip(n.list), fmt.Sprintf("%d more notes of this kind are left out", n.more))
}

// keep adds notes to a manifest, each once. The newest are kept.
func (m *Manifest) keep(notes ...string) {
	for _, n := range notes {
		if n = clipNote(n); !slices.Contains(m.Notes, n) {
			m.Notes = append(m.Notes, n)
		}
	}
	if over := len(m.Notes) - maxKeptNotes; over > 0 {
		m.Notes = slices.Delete(m.Notes, 0, over)
	}
}

// clipNote shortens a note at the end of a character.
func clipNote(note string) string {
	if len(note) <= maxNoteBytes {
		return note
	}
	end := maxNoteBytes
	for !utf8.RuneStart(note[end]) && end > maxNoteBytes-utf8.UTFMax {
		end--
	}
	return strings.ToValidUTF8(note[:end], "") + "..."
}
