package actor

import (
	"os/exec"
	"syscall"
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

// supervise COMMAND ARG...: starts a command again whenever it ends, as process
// supervisors do.
func supervise(args []string) error {
	for {
		cmd := exec.Command(args[0], args[1:]...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
		_ = cmd.Run() // that it fails is what it is started again for
		time.Sleep(300 * time.Millisecond)
	}
}
