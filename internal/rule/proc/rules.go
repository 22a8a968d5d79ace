// Package proc judges processes and the limits they run into.
package proc

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this domain.
var Rules = rule.WithPages(pages, zombies, uninterruptible, fdLimit, taskLimits, crashLoop, deadlock, lockContention)
