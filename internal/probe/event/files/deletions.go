package files

import (
	"path"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/recording"
)

// withDeletions adds deletions of paths to the rows of the same process and file. Files
// that have none get one, as far as there is room; all others are counted by process.
func (s *Source) withDeletions(rows []recording.FileSum, deletions []event.Named, now time.Time, of event.Traced) []recording.FileSum {
	type file struct {
		pid  int32
		path string
	}
	room := len(rows) + maxDeletedRows
	at := map[file]int{}
	for i := range rows {
		if rows[i].Path != "" || rows[i].Kind == recording.FileNone {
			at[file{rows[i].PID, rows[i].Path}] = i // without a path: what its process does with no file
		}
	}
	for i := range deletions {
		d := &deletions[i]
		k := file{d.PID, cleanPath(d.Path)}
		n, ok := at[k]
		if !ok { // its path was asked for after its end
			n, ok = at[file{k.pid, k.path + " (deleted)"}]
		}
		if !ok && len(rows) >= room {
			k.path = ""
			n, ok = at[k]
		}
		if !ok {
			n = len(rows)
			at[k] = n
			rows = append(rows, recording.FileSum{At: now, PID: d.PID, Started: s.clock.Started(d.Started), Process: d.Process, Kind: kindOf(d, k.path), Path: k.path, Span: of.Span, Traced: of.Part})
		}
		rows[n].Deleted++
	}
	return rows
}

// kindOf is the kind of what was deleted, as far as the call tells.
func kindOf(d *event.Named, path string) string {
	switch {
	case path == "":
		return recording.FileNone
	case d.Flags&unix.AT_REMOVEDIR != 0:
		return recording.FileDirectory
	}
	return recording.FileRegular
}

// cleanPath leaves out what stands for the same directory. What leads up stays: links may be before it.
func cleanPath(p string) string {
	if p == "" || strings.Contains(p, "..") {
		return p
	}
	return path.Clean(p)
}
