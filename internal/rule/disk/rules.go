// Package disk judges block devices and filesystems.
package disk

import (
	"embed"

	"rtrail/internal/rule"
)

//go:embed *.md
var pages embed.FS

// Rules are the rules of this domain.
var Rules = rule.WithPages(pages, readAmplified, saturated, cgroupThrottled, slowSync, logFlood, manySmallWrites, full, inodesFull, diskErrors)
