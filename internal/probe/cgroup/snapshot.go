package cgroup

import (
	"time"

	"rtrail/internal/recording"
)

// MemoryFiles are the files of a group that tell of its memory, with the version of control groups
// that has them; 0: both.
var MemoryFiles = map[string]int32{"memory.current": 2, "memory.max": 2, "memory.usage_in_bytes": 1, "memory.limit_in_bytes": 1, "memory.stat": 0}

// Memory makes a row of copies of MemoryFiles of a group, by their names. What they do not tell is
// Unknown; false: so is what the group uses.
func Memory(at time.Time, path string, version int32, files map[string][]byte) (row recording.CgroupSample, ok bool) {
	row = unknownRow()
	row.At, row.Path, row.Version = at, path, version
	use, limit, prefix := "memory.current", "memory.max", ""
	if version == 1 {
		use, limit, prefix = "memory.usage_in_bytes", "memory.limit_in_bytes", "total_"
	}
	row.Memory, row.MemoryMax = parseNumber(files[use]), parseNumber(files[limit])
	parseMemoryStat(&row, files["memory.stat"], prefix)
	return row, row.Memory >= 0
}
