package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// took is a notice as the command got it.
type took struct {
	Took       time.Time `json:"took"`
	Event      string    `json:"event"`
	Fault      string    `json:"fault"`
	Rule       string    `json:"rule"`
	Subject    string    `json:"subject"` // HOST/KIND/NAME
	Confidence string    `json:"confidence"`
	Headline   string    `json:"headline"`
}

func (n took) String() string {
	return fmt.Sprintf("%s %s, %s of %s: %s", n.Event, n.Confidence, n.Rule, n.Subject, n.Headline)
}

// watching is the watch that runs.
type watching struct {
	cmd   *exec.Cmd
	file  string // with the notices
	began time.Time
	usage string
}

// startWatch starts a watch and waits until it has judged a window.
func startWatch(ctx context.Context, rtrail, dir string) (*watching, error) {
	self, err := program()
	if err != nil {
		return nil, err
	}
	w := &watching{file: filepath.Join(dir, "notices.jsonl"), began: time.Now()}
	w.cmd = exec.Command(rtrail, "watch", "--json", "--state", filepath.Join(dir, "state.json"), "--notify", fmt.Sprintf("exec:%s -took %s", self, w.file))
	w.cmd.Stderr = os.Stderr
	out, err := w.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := w.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(out)
	if _, err := lines.ReadString('\n'); err != nil {
		return nil, fmt.Errorf("the first line of rtrail watch: %w", err)
	}
	go func() {
		for err := error(nil); err == nil; _, err = lines.ReadString('\n') {
		}
	}()
	return w, sleep(ctx, quiet)
}

// stop ends the watch as systemd does, and says what it cost.
func (w *watching) stop() string {
	if w.usage != "" {
		return w.usage
	}
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	err := w.cmd.Wait()
	state := w.cmd.ProcessState
	cpu, lasted := state.UserTime()+state.SystemTime(), time.Since(w.began)
	w.usage = fmt.Sprintf("rtrail watch: %.2f %% of a core over %v", 100*cpu.Seconds()/lasted.Seconds(), lasted.Round(time.Second))
	if r, ok := state.SysUsage().(*syscall.Rusage); ok {
		w.usage += fmt.Sprintf(", at most %d MiB", r.Maxrss>>10)
	}
	if err != nil {
		w.usage += ", which ended with " + err.Error()
	}
	return w.usage
}

// since are the notices that came after a time.
func (w *watching) since(from time.Time) ([]took, error) {
	b, err := os.ReadFile(w.file)
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	var list []took
	for line := range bytes.Lines(b) {
		var n took
		if err := json.Unmarshal(line, &n); err != nil {
			return nil, fmt.Errorf("%s: %w", w.file, err)
		}
		if n.Took.After(from) {
			list = append(list, n)
		}
	}
	return list, nil
}

// open are the faults that were told and did not end yet.
func (w *watching) open() (map[string]bool, error) {
	list, err := w.since(time.Time{})
	return openOf(list), err
}

// openOf are the faults of notices that did not end.
func openOf(list []took) map[string]bool {
	open := map[string]bool{}
	for _, n := range list {
		if n.Event == "ended" {
			delete(open, n.Fault)
		} else {
			open[n.Fault] = true
		}
	}
	return open
}

// settle waits until all faults ended and nothing more happens, and gives the notices since a time.
func (w *watching) settle(ctx context.Context, from time.Time) ([]took, error) {
	for end := time.Now().Add(allClear); ; {
		if err := sleep(ctx, time.Second); err != nil {
			return nil, err
		}
		list, err := w.since(from)
		if err != nil {
			return nil, err
		}
		last := from
		if len(list) > 0 {
			last = list[len(list)-1].Took
		}
		if len(openOf(list)) == 0 && time.Since(last) >= quiet || time.Now().After(end) {
			return list, nil
		}
	}
}

func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
