package actor

import (
	"fmt"
	"os/exec"
	"time"
)

// zombies PER_SECOND REPORT: starts short children and never waits for them.
// Reports how many it could start.
func zombies(args []string) error {
	rate, err := number(args, 0, "children per second")
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return fmt.Errorf("missing argument 2: the file to report to")
	}
	var started int64
	for {
		cmd := exec.Command("/bin/true")
		cmd.Env = []string{}
		if err := cmd.Start(); err == nil {
			started++
		}
		if err := report(args[1], started); err != nil {
			return err
		}
		time.Sleep(time.Second / time.Duration(rate))
	}
}

// shortLeavers is zombies with the one line that is missing there.
func shortLeavers(args []string) error {
	rate, err := number(args, 0, "children per second")
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return fmt.Errorf("missing argument 2: the file to report to")
	}
	var started int64
	for {
		cmd := exec.Command("/bin/true")
		cmd.Env = []string{}
		if err := cmd.Run(); err == nil {
			started++
		}
		if err := report(args[1], started); err != nil {
			return err
		}
		time.Sleep(time.Second / time.Duration(rate))
	}
}
