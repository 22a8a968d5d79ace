package procfile

import (
	"slices"
	"strconv"
	"strings"
)

// DelayAccounting says whether the kernel measures how long tasks wait for block I/O and
// swap (Documentation/accounting/delay-accounting.rst), and if not, why.
type DelayAccounting int

// What delay accounting is.
const (
	DelaysOn        DelayAccounting = iota
	DelaysOff                       // by the setting kernel.task_delayacct
	DelaysOffAtBoot                 // by the parameter nodelayacct, before Linux 5.14
	DelaysMissing                   // the kernel was built without it
)

// ReadDelayAccounting tells it from the texts of sys/kernel/task_delayacct, sys/kernel/osrelease
// and cmdline, each "" if the file is not there. The setting came with Linux 5.14. Before, delays
// were accounted unless that was switched off at boot.
func ReadDelayAccounting(setting, release, cmdline string) DelayAccounting {
	switch setting = strings.TrimSpace(setting); {
	case setting == "1":
		return DelaysOn
	case setting != "":
		return DelaysOff
	}
	major, rest, _ := strings.Cut(strings.TrimSpace(release), ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, err1 := strconv.Atoi(major)
	b, err2 := strconv.Atoi(minor)
	switch older := err1 == nil && err2 == nil && (a < 5 || a == 5 && b < 14); {
	case !older:
		return DelaysMissing
	case slices.Contains(strings.Fields(cmdline), "nodelayacct"):
		return DelaysOffAtBoot
	}
	return DelaysOn
}
