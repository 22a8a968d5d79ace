package notify

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/escape"
	"rtrail/internal/watch"
)

// run starts a command with the text of a notice as its standard input. What it leaves
// running in its process group is killed.
func run(ctx context.Context, path string, args []string, n *watch.Notice) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, args...)
	said := &tail{}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(n.Text()), said, said
	cmd.Env, cmd.Dir = environment(n), "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return killGroup(cmd) }
	cmd.WaitDelay = time.Second // for those that keep its output open
	err := cmd.Start()
	if err == nil {
		err = cmd.Wait()
		_ = killGroup(cmd) // mostly nobody is left
	}
	switch {
	case err == nil, errors.Is(err, exec.ErrWaitDelay): // it ended well and left somebody behind
		return nil
	case ctx.Err() == context.DeadlineExceeded:
		return fmt.Errorf("it took more than %v and was killed", timeout)
	}
	if words := said.lastLine(); words != "" {
		return fmt.Errorf("%w: %s", err, words)
	}
	return err
}

func killGroup(cmd *exec.Cmd) error {
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL); err != nil && err != syscall.ESRCH {
		return err
	}
	return nil
}

// environment are the fields of a notice, and of this process's what commands need to
// find others.
func environment(n *watch.Notice) []string {
	var env []string
	for _, name := range []string{"PATH", "HOME", "LANG", "LC_ALL", "TZ"} {
		if v, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+v)
		}
	}
	until := ""
	if n.Until != nil {
		until = n.Until.Format(time.RFC3339)
	}
	for _, x := range [][2]string{
		{"EVENT", string(n.Event)}, {"FAULT", n.Fault}, {"TIMES", fmt.Sprint(n.Times)}, {"HOST", n.Host}, {"RULE", n.Rule}, {"SUBJECT", n.Subject},
		{"CONFIDENCE", n.Confidence}, {"HEADLINE", n.Headline}, {"IMPACT", n.Impact}, {"WHO", n.Who}, {"LOOK", n.Look}, {"CHANGE", n.Change},
		{"SINCE", n.Since.Format(time.RFC3339)}, {"UNTIL", until},
	} {
		env = append(env, "RTRAIL_"+x[0]+"="+escape.Text(x[1]))
	}
	return env
}

// tail keeps the end of what a command prints.
type tail struct{ b []byte }

// maxTail is how much of it is kept, in bytes.
const maxTail = 400

// Write implements io.Writer.
func (t *tail) Write(b []byte) (int, error) {
	t.b = append(t.b, b[max(0, len(b)-maxTail):]...)
	t.b = append(t.b[:0], t.b[max(0, len(t.b)-maxTail):]...)
	return len(b), nil
}

func (t *tail) lastLine() string {
	b := bytes.TrimSpace(t.b)
	return escape.Line(strings.ToValidUTF8(string(b[bytes.LastIndexByte(b, '\n')+1:]), "?"))
}
