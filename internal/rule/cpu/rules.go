// Package cpu holds the rules about processors: who waits for one, who fills
// them, and why.
package cpu

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this package.
var Rules = rule.WithPages(pages,
	saturated, oneThreadLimit, shortLivedProcesses, contextSwitches, throttled, interruptsOnOneCore, softirq, hotFunction, spinning, syscallStorm, exceptionStorm, steal,
)
