package memory

import (
	"math"

	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/view"
)

// raised completes a fix that gives a group so many bytes of memory: memory.max and memory.high, of it and
// of each group that holds it, or a process in inner below it, to less. More than the host has is no limit.
func raised(v *view.View, f rule.Fix, c view.Cgroup, inner string, to int64) rule.Fix {
	if m, ok := v.MemoryNow(); ok && m.Total > 0 {
		to = min(to, m.Total)
	}
	return rule.MemoryGroups.Loosen(v, f, c, inner, func(g view.Cgroup) (list []rule.Setting) {
		slows := g.MemoryHigh > 0 && g.MemoryHigh < to
		maximum := max(g.MemoryMax, to)
		if slows {
			maximum = max(maximum, g.MemoryMax+to-g.MemoryHigh) // memory.high stays as far below
		}
		if both := maximum + g.SwapMax; g.Version == 1 && g.Limited() && g.SwapMax >= 0 && g.SwapMax < math.MaxInt64/2 && g.MemoryMax+g.SwapMax < maximum {
			// The kernel takes no limit of memory above that of memory and swap together.
			list = append(list, rule.Setting{Value: shell.Line("%d", both), File: memoryFile(g, "", "memory.memsw.limit_in_bytes")})
		}
		if g.Limited() && maximum > g.MemoryMax {
			list = append(list, rule.Setting{Property: shell.Line("MemoryMax=%d", maximum), Value: shell.Line("%d", maximum), File: memoryFile(g, "memory.max", "memory.limit_in_bytes")})
		}
		if slows {
			list = append(list, memoryHigh(g, to))
		}
		return list
	})
}

// memoryHigh has a group of version 2 wait for memory above so many bytes.
func memoryHigh(c view.Cgroup, bytes int64) rule.Setting {
	return rule.Setting{Property: shell.Line("MemoryHigh=%d", bytes), Value: shell.Line("%d", bytes), File: memoryFile(c, "memory.high", "")}
}
