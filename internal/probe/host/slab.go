package host

import (
	"fmt"
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// parseSlabs reads /proc/slabinfo, version 2 (kernel mm/slab_common.c): the caches
// that hold objects.
func parseSlabs(rows []recording.SlabSample, at time.Time, b []byte, names *procfile.Names) ([]recording.SlabSample, error) {
	for line := range procfile.Lines(b) {
		name, rest := procfile.Field(line)
		if len(name) == 0 || name[0] == '#' || string(name) == "slabinfo" {
			continue
		}
		var v [3]uint64 // active objects, objects, object size
		for i := range v {
			var ok bool
			if v[i], rest, ok = procfile.NextUint(rest); !ok {
				return rows, fmt.Errorf("cannot read cache %q in /proc/slabinfo", name)
			}
		}
		if v[1] > 0 {
			rows = append(rows, recording.SlabSample{
				At: at, Name: names.String(name),
				Active: int64(min(v[0], 1<<62)), Objects: int64(min(v[1], 1<<62)), ObjectSize: int64(min(v[2], 1<<62)),
			})
		}
	}
	return rows, nil
}
