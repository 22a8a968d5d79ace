// Package memory holds the rules about memory: who runs out of it, who is
// killed for it, and who waits for it to come back from swap.
package memory

import "rtrail/internal/rule"

// Rules are the rules of this package.
var Rules = []rule.Rule{
	swapping,
	oomKill,
	cgroupOOM,
	reclaim,
	leak,
}
