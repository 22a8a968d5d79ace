// Package disk judges block devices and filesystems.
package disk

import "rtrail/internal/rule"

// Rules are the rules of this domain.
var Rules = []rule.Rule{saturated, full, inodesFull}
