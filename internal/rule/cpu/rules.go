// Package cpu holds the rules about processors: who waits for one, who fills
// them, and why.
package cpu

import "rtrail/internal/rule"

// Rules are the rules of this package.
var Rules = []rule.Rule{
	saturated,
	oneThreadLimit,
	shortLivedProcesses,
	contextSwitches,
	throttled,
	softirq,
}
