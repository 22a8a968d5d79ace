package rule

import (
	"cmp"

	"rtrail/internal/cgname"
	"rtrail/internal/shell"
)

// SetProperty is the command that sets properties of the unit of systemd that a control
// group belongs to. Where there is none, the user has to name it.
func SetProperty(cgroup string, properties shell.Command) shell.Command {
	return shell.Line("systemctl set-property %s %s", cmp.Or(cgname.Unit(cgroup), "UNIT"), properties)
}
