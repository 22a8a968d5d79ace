package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// measure runs a program to its end. What it prints goes nowhere, as long as it
// does not fail.
func (b *comparison) measure(name string, args ...string) (measured, error) {
	cmd := exec.Command(name, args...)
	var complaint strings.Builder
	cmd.Stderr = &complaint
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return measured{}, fmt.Errorf("run %s: %w", name, err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			return measured{}, fmt.Errorf("run %s: %w: %s", name, err, complaint.String())
		}
	case s := <-b.stop:
		_ = cmd.Process.Kill()
		<-done
		return measured{}, fmt.Errorf("%w by %v", errStopped, s)
	}
	return usage(cmd, time.Since(begin)), nil
}

// usage is what an ended process took.
func usage(cmd *exec.Cmd, took time.Duration) measured {
	m := measured{took: took, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		m.rss = float64(u.Maxrss) / 1024 // KB, getrusage(2)
	}
	return m
}

// machine says on what, and how busy it is with other things.
func machine() string {
	model := "unknown processor"
	if b, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(b)) {
			if name, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(name) == "model name" {
				model = strings.TrimSpace(value)
				break
			}
		}
	}
	load := "unknown"
	if b, err := os.ReadFile("/proc/loadavg"); err == nil {
		load = strings.Join(strings.Fields(string(b))[:3], " ")
	}
	return fmt.Sprintf("%d CPUs, %s, load average %s", runtime.NumCPU(), model, load)
}
