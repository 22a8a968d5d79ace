// Package memory holds the rules about memory: who runs out of it, who is
// killed for it, and who waits for it to come back from swap.
package memory

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this package.
var Rules = rule.WithPages(pages, cgroupNearLimit, fragmentation, numa, swapping, oomKill, cgroupOOM, reclaim, cacheDropped, directRead, leak)
