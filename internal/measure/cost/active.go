package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const (
	activeProcesses = 50
	activeSockets   = 100
	activeEvery     = 200 * time.Millisecond
)

// startActive starts processes that wake now and then, as daemons do. They end
// with this process.
func (l *load) startActive(processes int) error {
	for range processes {
		cmd := again(nil, "-role", "active")
		cmd.Env = append(os.Environ(), "GOMAXPROCS=1")
		cmd.SysProcAttr = &unix.SysProcAttr{Pdeathsig: unix.SIGKILL}
		if err := cmd.Start(); err != nil {
			return fmt.Errorf("start an active process: %w", err)
		}
		l.sleepers = append(l.sleepers, cmd)
	}
	return nil
}

// wakeOften is what such a process does.
func wakeOften() error {
	end := time.Now().Add(loadLasts)
	sum := 0
	for time.Now().Before(end) {
		for i := range 10_000 {
			sum += i
		}
		time.Sleep(activeEvery)
	}
	_, err := fmt.Fprint(io.Discard, sum)
	return err
}

// talk sends a byte over some connections now and then, until one fails.
func talk(pairs [][2]net.Conn) {
	var b [1]byte
	for {
		for _, p := range pairs {
			if _, err := p[0].Write(b[:]); err != nil {
				return
			}
			if _, err := p[1].Read(b[:]); err != nil {
				return
			}
		}
		time.Sleep(activeEvery)
	}
}
