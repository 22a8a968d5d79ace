package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"rtrail/internal/crash"
)

// running is a generator that runs.
type running struct {
	command *exec.Cmd
	out     *os.File
	last    []string // that it said, for errors
	kin     *kin
	ended   chan struct{}
	err     error         // of Wait, once it has ended
	left    int           // processes that could not be ended
	givenUp chan struct{} // the command itself cannot be ended
}

var errStays = errors.New("the command cannot be ended: it hangs in the kernel, or belongs to another user")

const (
	// maxLast bounds what is kept of what a generator said, in lines.
	maxLast = 5
	// endWithin is how long a generator may take to end before it is killed.
	endWithin = 3 * time.Second
	// leftOver is how long what a generator has left may keep its output open.
	leftOver = time.Second
)

// startCommand starts a command in a group of processes of its own. It and all that it started end
// with ctx, and what it has left when it ends; the command itself also with rtrail.
func startCommand(ctx context.Context, args []string, extra ...*os.File) (*running, error) {
	c := exec.CommandContext(ctx, args[0], args[1:]...)
	c.ExtraFiles = extra
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	c.WaitDelay = endWithin
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	c.Stdout, c.Stderr = write, write
	k, err := newKin()
	if err != nil {
		return nil, errors.Join(err, read.Close(), write.Close())
	}
	c.Env = append([]string{k.mark}, os.Environ()...)
	c.Cancel = func() error {
		k.signal(syscall.SIGTERM)
		return nil
	}
	p := &running{command: c, out: read, kin: k, ended: make(chan struct{}), givenUp: make(chan struct{})}
	started := make(chan error, 1)
	go func() {
		defer close(p.ended)
		if err := crash.Guard(func() error { p.run(started, write); return nil }); err != nil {
			p.err = err
		}
	}()
	if err := <-started; err != nil {
		<-p.ended
		return nil, errors.Join(err, read.Close())
	}
	context.AfterFunc(ctx, p.giveUp)
	return p, nil
}

// giveUp waits no longer for a command that was told to end and killed, and is still there.
func (p *running) giveUp() {
	late := time.NewTimer(endWithin + killWithin + leftOver)
	defer late.Stop()
	select {
	case <-p.ended:
	case <-late.C:
		close(p.givenUp)
		_ = p.out.SetReadDeadline(time.Now()) // ends lines
	}
}

// run starts the command and waits for it. The thread stays: to the kernel it is the parent,
// with whom the command dies.
func (p *running) run(started chan<- error, write *os.File) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	err := p.command.Start()
	write.Close() // nothing was written to it here
	if err == nil {
		p.kin.begin(p.command.Process.Pid)
	}
	started <- err
	if err != nil {
		p.kin.end()
		return
	}
	p.err = p.command.Wait()
	p.left = p.kin.end()
	_ = p.out.SetReadDeadline(time.Now().Add(leftOver)) // or what is out of reach
}

// lines gives what is printed, line by line, until the generator ends. Of a line that is too
// long it gives parts.
func (p *running) lines(each func(string)) {
	in := bufio.NewReaderSize(p.out, maxLine)
	for {
		line, err := in.ReadSlice('\n')
		text := string(bytes.TrimRight(line, "\r\n"))
		if strings.TrimSpace(text) != "" {
			if p.last = append(p.last, text); len(p.last) > maxLast {
				p.last = p.last[1:]
			}
		}
		if len(line) > 0 {
			each(text)
		}
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return
		}
	}
}

// wait waits for the end, and says with what words it came.
func (p *running) wait() error {
	select {
	case <-p.ended:
	case <-p.givenUp:
		return errStays
	}
	if err := p.out.Close(); p.err == nil {
		return err
	}
	for _, line := range slices.Backward(p.last) {
		if strings.Contains(line, "error ") {
			return fmt.Errorf("%s (%w)", line, p.err)
		}
	}
	if len(p.last) > 0 {
		return fmt.Errorf("%s (%w)", p.last[len(p.last)-1], p.err)
	}
	return p.err
}

// Lines runs a command in a group of processes of its own, all of which end with ctx or with
// rtrail, and gives what it prints, errors included, line by line; of a line that is too long,
// parts. Its files are extra, from descriptor 3 on. An error has the last words of the command.
func Lines(ctx context.Context, args []string, each func(string), extra ...*os.File) error {
	p, err := startCommand(ctx, args, extra...)
	if err != nil {
		return err
	}
	p.lines(each)
	return p.wait()
}
