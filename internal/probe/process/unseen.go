package process

import (
	"rtrail/internal/probe/census"
	"rtrail/internal/recording"
)

// unseen counts what permissions kept from the probe in one sample.
type unseen struct {
	io, wchan, files, namespaces int
}

func (u unseen) report(w *recording.Writer, name string) {
	note := func(what string, n int) {
		if n > 0 {
			w.Unseen(name, what, n, "permission denied", census.MoreSight())
		}
	}
	note("I/O of processes of other users", u.io)
	note("what processes of other users wait in", u.wchan)
	note("open files of processes of other users", u.files)
	note("network namespaces of processes of other users", u.namespaces)
}
