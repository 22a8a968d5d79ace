package beside

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// settling is how long a program may take to start before it is measured, and
// the load to recover after it has ended.
const settling = 1500 * time.Millisecond

// Run is a run of a program beside a load.
type Run struct {
	Rate Rate    // of the load while it ran
	CPU  float64 // of the program meanwhile, in seconds per second
	Once float64 // what it took to start and to end, in seconds of CPU
}

// Run starts a program, measures the load beside it when it has settled, and
// interrupts it. What it prints goes to the error if it fails.
func (l *Load) Run(cmd *exec.Cmd, length time.Duration) (r Run, err error) {
	var out strings.Builder
	if cmd.Stdout == nil {
		cmd.Stdout = &out
	}
	cmd.Stderr = &out
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("run %s: %w; make build makes it", cmd.Path, err)
	}
	failed := l.wait(settling)
	before, begin := CPUOf(int32(cmd.Process.Pid)), time.Now()
	if failed == nil {
		r.Rate, failed = l.Rate(length)
	}
	used := CPUOf(int32(cmd.Process.Pid)) - before
	r.CPU = used.Seconds() / time.Since(begin).Seconds()
	_ = cmd.Process.Signal(os.Interrupt)
	if err := cmd.Wait(); err != nil && failed == nil {
		failed = fmt.Errorf("run %s: %w: %s", cmd.Path, err, out.String())
	}
	r.Once = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime() - used).Seconds()
	if failed == nil {
		failed = l.wait(settling)
	}
	return r, failed
}

// Whole runs a program that ends by itself, and measures the load from its start to its
// end.
func (l *Load) Whole(cmd *exec.Cmd) (r Run, err error) {
	began := time.Now()
	if err := cmd.Run(); err != nil {
		return r, fmt.Errorf("run %s: %w; make build makes it", cmd.Path, err)
	}
	ended := time.Now()
	r.CPU = (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds() / ended.Sub(began).Seconds()
	if err := l.wait(settling); err != nil {
		return r, err
	}
	r.Rate, err = l.rate(began, ended)
	return r, err
}

// CPUOf is what the threads of a process have run: the first number of
// schedstat, in nanoseconds.
func CPUOf(pid int32) (sum time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid)) // the only error is a bad pattern
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // the thread ended
		}
		number, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(number, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}
