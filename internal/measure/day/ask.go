package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// question is asked about the day, with what its answer must say and may cost.
type question struct {
	args   []string // of rtrail; DIR stands for the recording
	says   []string // parts of the answer
	within time.Duration
	bytes  int64 // largest resident set
}

// anyMemory: nothing is promised about memory.
const anyMemory = 1 << 62

func questions() []question {
	return []question{
		{[]string{"diagnose", "DIR", "--at", "03:10", "--for", "10s"}, []string{"batch"}, time.Second, 300 << 20},
		{[]string{"diagnose", "DIR", "--at", "11:05", "--for", "10s"}, []string{"backup"}, time.Second, 300 << 20},
		{[]string{"timeline", "DIR"}, []string{"03:00:01", "17:00:01", "batch"}, 10 * time.Second, anyMemory},
		{[]string{"diff", "DIR@12:00", "DIR@22:00"}, []string{"mysqld", "15"}, 2 * time.Second, anyMemory},
	}
}

// patience bounds each answer.
const patience = 2 * time.Minute

// ask measures each answer of program about the recording dir, from start to end of the process.
func ask(ctx context.Context, program, dir string) error {
	broken := 0
	fmt.Println("| command | seconds | allowed | MiB | allowed |\n|---|---|---|---|---|")
	for _, q := range questions() {
		took, bytes, err := q.ask(ctx, program, dir)
		memory := "any"
		if q.bytes != anyMemory {
			memory = fmt.Sprint(q.bytes >> 20)
		}
		fmt.Printf("| %s | %.2f | %.0f | %d | %s |\n", strings.Join(q.args, " "), took.Seconds(), q.within.Seconds(), bytes>>20, memory)
		if err == nil && (took > q.within || bytes > q.bytes) {
			err = errors.New("costs more than is allowed")
		}
		if err != nil {
			fmt.Fprintf(os.Stderr, "day: %s: %v\n", strings.Join(q.args, " "), err)
			broken++
		}
	}
	if broken > 0 {
		return fmt.Errorf("%d of %d answers are not as promised", broken, len(questions()))
	}
	return nil
}

// ask returns what one answer took: time, and the largest resident set in bytes.
func (q question) ask(ctx context.Context, program, dir string) (time.Duration, int64, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var args []string
	for _, a := range q.args {
		args = append(args, strings.Replace(a, "DIR", dir, 1))
	}
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "TZ=UTC")
	var complaint strings.Builder
	cmd.Stderr = &complaint
	began := time.Now()
	answer, err := cmd.Output()
	took := time.Since(began)
	if err != nil {
		return took, 0, fmt.Errorf("%w: %s", err, complaint.String())
	}
	var bytes int64
	if u, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		bytes = u.Maxrss << 10 // KiB, getrusage(2)
	}
	for _, part := range q.says {
		if !strings.Contains(string(answer), part) {
			return took, bytes, fmt.Errorf("the answer does not speak of %q:\n%s", part, answer)
		}
	}
	return took, bytes, nil
}
