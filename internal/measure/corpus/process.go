package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// limits are what a run may take.
type limits struct {
	time   time.Duration
	memory int64 // bytes of its own, without the pages of files that it maps
}

const (
	// polling is how often the memory of a run is looked at.
	polling = 10 * time.Millisecond
	// grace is how long a run that is too long has to end when it is asked to.
	grace = time.Second
	// reserve is what the kernel lets a run take above the limit: what comes in a
	// burst between two looks, and what the Go runtime maps in advance.
	reserve = 512 << 20
)

// ending is how a run ended.
type ending struct {
	code   int
	fault  string // crash, hang, memory, output; "" if it held
	what   string
	took   time.Duration
	memory int64 // the most that was seen
	stdout []byte
}

// run runs the program and watches it.
func (l limits) run(ctx context.Context, program string, args []string, isJSON, keep bool) (end ending) {
	// The kernel's own limit is the net below the one that is watched: of data, since
	// captures are mapped, which takes address space and no memory.
	shell := fmt.Sprintf(`ulimit -c 0; ulimit -d %d; exec "$@"`, (l.memory+reserve)>>10)
	cmd := exec.CommandContext(ctx, "/bin/sh", append([]string{"-c", shell, "sh", program}, args...)...)
	out := newOutput(isJSON, keep)
	complaint := &tail{}
	cmd.Stdout, cmd.Stderr = out, complaint
	cmd.WaitDelay = grace
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return ending{fault: "check", what: err.Error()}
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	end.watch(l, cmd.Process, done)
	end.took = time.Since(begin)
	end.code = cmd.ProcessState.ExitCode()
	end.stdout = out.kept.Bytes()
	broken := out.close()
	if end.fault != "" || ctx.Err() != nil {
		return end
	}
	switch said := complaint.String(); {
	case strings.Contains(said, "out of memory") || strings.Contains(said, "cannot allocate memory"):
		end.fault, end.what = "memory", fmt.Sprintf("more than %d MB: %s", (l.memory+reserve)>>20, firstLine(said, "memory"))
	case end.code < 0 || end.code > 3 || strings.Contains(said, "panic:") || strings.Contains(said, "fatal error:") || strings.Contains(said, "goroutine 1 ["):
		end.fault, end.what = "crash", fmt.Sprintf("%v: %s", cmd.ProcessState, firstLine(said, "panic:", "fatal error:"))
	case end.code == 2:
		end.fault, end.what = "check", "wrong usage: "+firstLine(said)
	case end.code == 1 && strings.TrimSpace(said) == "":
		end.fault, end.what = "output", "it failed and did not say why"
	case broken != "" && end.code == 0:
		end.fault, end.what = "output", broken
	case complaint.dirty != "":
		end.fault, end.what = "output", "standard error: "+complaint.dirty
	}
	return end
}

// watch waits for the end of a run, and ends it where it takes too much.
func (end *ending) watch(l limits, p *os.Process, done <-chan error) {
	tick := time.NewTicker(polling)
	defer tick.Stop()
	late := time.After(l.time)
	for {
		select {
		case <-done:
			return
		case <-tick.C:
			if end.memory = max(end.memory, memoryOf(p.Pid)); end.memory > l.memory && end.fault == "" {
				end.fault, end.what = "memory", fmt.Sprintf("%d MB", end.memory>>20)
				_ = p.Kill()
			}
		case <-late:
			if end.fault != "" {
				continue
			}
			end.fault, end.what = "hang", fmt.Sprintf("not done after %v", l.time)
			_ = p.Signal(os.Interrupt)
			late = nil
			select {
			case <-done:
				return
			case <-time.After(grace):
				end.what += fmt.Sprintf(", and %v after SIGINT", grace)
				_ = p.Kill()
			}
		}
	}
}

// memoryOf is what a process holds that is no page of a file, in bytes.
func memoryOf(pid int) (sum int64) {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0 // it has ended
	}
	for line := range strings.Lines(string(status)) {
		name, value, _ := strings.Cut(line, ":")
		if name == "RssAnon" || name == "RssShmem" || name == "VmSwap" {
			kb, _ := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(value), " kB"), 10, 64)
			sum += kb << 10
		}
	}
	return sum
}

// tail keeps the beginning of what a run complains of.
type tail struct {
	bytes.Buffer
	dirty string
}

func (t *tail) Write(p []byte) (int, error) {
	if bad := unprintable(p); bad != "" && t.dirty == "" {
		t.dirty = bad
	}
	if room := 64<<10 - t.Len(); room > 0 {
		t.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}

// firstLine is the first line that holds one of the words, or the first one.
func firstLine(s string, words ...string) string {
	for line := range strings.Lines(s) {
		for _, w := range words {
			if strings.Contains(line, w) {
				return strings.TrimSpace(line)
			}
		}
	}
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}
