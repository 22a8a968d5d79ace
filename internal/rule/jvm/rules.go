// Package jvm judges Java virtual machines, as dumps of their threads show them.
package jvm

import "rtrail/internal/rule"

// Rules are the rules of this domain.
var Rules = []rule.Rule{deadlock}
