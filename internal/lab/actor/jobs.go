package actor

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"time"
)

// jobs BYTES REPORT: runs one job after the other, each a process that needs so
// much memory for a moment, and reports how many were done and how many were
// killed.
func jobs(args []string) error {
	bytes, err := number(args, 0, "bytes")
	if err != nil {
		return err
	}
	if len(args) < 2 {
		return fmt.Errorf("missing argument 2: the file to report to")
	}
	var done, killed int64
	for {
		// The path it was started with keeps its name: the name of the program
		// below /proc/self/exe would be another one.
		job := exec.Command(os.Args[0], strconv.Itoa(bytes))
		job.Env = append(os.Environ(), Variable+"=job")
		if err := job.Run(); err == nil {
			done++
		} else {
			killed++
		}
		if err := report(args[1], done, killed); err != nil {
			return err
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// job BYTES: takes memory bit by bit, gives it back and ends. It offers itself
// to the kernel: when the host runs out of memory, nothing else is killed.
func job(args []string) error {
	bytes, err := number(args, 0, "bytes")
	if err != nil {
		return err
	}
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0); err != nil {
		return fmt.Errorf("offer itself to the kernel: %w", err)
	}
	const chunk = 32 << 20
	for taken := 0; taken < bytes; taken += chunk {
		if _, err := anonymous(min(chunk, bytes-taken)); err != nil {
			return err
		}
		// Slow enough for what is short of memory to show.
		time.Sleep(4 * time.Millisecond)
	}
	return nil
}
