// Package grant says how rtrail gets capabilities without being run as root.
package grant

import (
	"os"
	"slices"
	"strings"

	"rtrail/internal/shell"
)

// all are the capabilities with which everything is watched and captured. setcap
// replaces those that a file has: a line with fewer would take some away.
var all = []string{"cap_bpf", "cap_dac_read_search", "cap_net_admin", "cap_net_raw", "cap_perfmon", "cap_sys_admin", "cap_sys_nice", "cap_sys_ptrace", "cap_syslog"}

// Command gives the file that runs all capabilities, and some more if they are missing,
// for everybody who may run it.
func Command(missing ...string) shell.Command {
	file, err := os.Executable()
	if err != nil {
		file = "rtrail"
	}
	return shell.Line("sudo setcap %s %s", strings.Join(list(missing), ",")+"+ep", shell.Path(file))
}

func list(missing []string) []string {
	names := slices.Concat(all, missing)
	slices.Sort(names)
	return slices.Compact(names)
}
