// Package proc judges processes and the limits they run into.
package proc

import "rtrail/internal/rule"

// Rules are the rules of this domain.
var Rules = []rule.Rule{zombies, uninterruptible, fdLimit}
