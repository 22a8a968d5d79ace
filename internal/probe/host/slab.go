package host

import (
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// slab reads /proc/slabinfo, version 2 (kernel mm/slab_common.c).
type slab struct {
	file  procfile.File
	names procfile.Names
	rows  []recording.SlabSample
}

func newSlab(fs FS) *slab { return &slab{file: fs.file("proc/slabinfo")} }

func (s *slab) read(w *recording.Writer, _ bool) error {
	return readRows(w, &s.file, &s.rows, s.parse)
}

// parse fills s.rows with the caches that hold objects.
func (s *slab) parse(at time.Time, b []byte) error {
	s.rows = s.rows[:0]
	for len(b) > 0 {
		var line []byte
		line, b = procfile.Line(b)
		name, rest := procfile.Field(line)
		switch {
		case len(name) == 0 || name[0] == '#':
			continue
		case string(name) == "slabinfo":
			continue
		}
		var v [3]uint64 // active objects, objects, object size
		for i := range v {
			var ok bool
			if v[i], rest, ok = procfile.NextUint(rest); !ok {
				return fmt.Errorf("cannot read cache %q in /proc/slabinfo", name)
			}
		}
		if v[1] > 0 {
			s.rows = append(s.rows, recording.SlabSample{
				At: at, Name: s.names.String(name),
				Active: int64(min(v[0], 1<<62)), Objects: int64(min(v[1], 1<<62)), ObjectSize: int64(min(v[2], 1<<62)),
			})
		}
	}
	return nil
}
