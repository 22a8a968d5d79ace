package mysql

import (
	"slices"
	"time"

	"rtrail/internal/recording"
)

// repeatNotes is how often notes are written again: every window that is judged
// later must hold them, and nobody judges less than ten seconds.
const repeatNotes = 10 * time.Second

// maxNotes bounds what is noted of a server that is another one each time.
const maxNotes = 50

// notes are what a server does not tell, each once.
type notes struct {
	list  []note
	wrote time.Time
}

type note struct{ what, why, how string }

// add remembers a note.
func (n *notes) add(what, why, how string) {
	i := slices.IndexFunc(n.list, func(o note) bool { return o.what == what })
	if i < 0 && len(n.list) >= maxNotes {
		return
	}
	if i < 0 {
		n.list, n.wrote = append(n.list, note{what, why, how}), time.Time{}
		return
	}
	n.list[i] = note{what, why, how}
}

// drop forgets a note: it is seen again.
func (n *notes) drop(what string) {
	n.list = slices.DeleteFunc(n.list, func(o note) bool { return o.what == what })
}

// write puts the notes into a sample, if it is time or an edge of the window.
func (n *notes) write(w *recording.Writer, at time.Time, edge bool) {
	if len(n.list) == 0 || !edge && at.Sub(n.wrote) < repeatNotes {
		return
	}
	n.wrote = at
	for _, o := range n.list {
		recording.Append(w, recording.UnseenNote{At: at, Probe: "mysql", What: o.what, Count: 1, Why: o.why, How: o.how})
	}
}
