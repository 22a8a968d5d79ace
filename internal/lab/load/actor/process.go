package actor

import (
	"os/exec"
	"time"
)

// zombies starts short children and never waits for them.
// Reports how many it could start.
func zombies(args []string) error { return parent(args, (*exec.Cmd).Start) }

// shortLeavers is zombies with the one call that is missing there.
func shortLeavers(args []string) error { return parent(args, (*exec.Cmd).Run) }

func parent(args []string, start func(*exec.Cmd) error) error {
	rate := number(args, 0)
	var started int64
	for {
		cmd := exec.Command("/bin/true")
		cmd.Env = []string{}
		if start(cmd) == nil {
			started++
		}
		if err := report(args[1], started); err != nil {
			return err
		}
		time.Sleep(time.Second / time.Duration(rate))
	}
}
