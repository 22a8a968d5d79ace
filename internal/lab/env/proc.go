package env

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// mark is the environment variable every process of a lab carries; its value
// is the lab's ID.
const mark = "RTRAIL_LAB"

// Options say where and how a process is started. The zero value is a plain
// process of the host.
type Options struct {
	NetNS     *NetNS    // network namespace
	Cgroups   []*Cgroup // entered before the program is executed
	Env       []string  // additional "KEY=value"
	Dir       string    // working directory; "": the lab's folder
	OpenFiles int       // RLIMIT_NOFILE, soft and hard; 0: inherited
	CPUs      string    // CPUs it may run on, as for taskset -c; "": all
	Stdin     string    // what it reads
}

// Proc is a process that a lab started. It leads its own process group, which
// is killed with it.
type Proc struct {
	Name   string
	PID    int
	Stdout string // path of the file its standard output goes to
	Stderr string

	done chan struct{} // closed when it was waited for
	err  error         // of waiting, set before done is closed
	env  *Env
}

// Start starts a program that runs until it ends, is stopped, or the lab is
// over. The program is found on the PATH or, if it is an actor, given by its
// path (see Actor).
func (e *Env) Start(name string, args ...string) (*Proc, error) {
	return e.StartWith(Options{}, name, args...)
}

// StartWith starts a program in the place that o describes.
func (e *Env) StartWith(o Options, name string, args ...string) (*Proc, error) {
	e.mu.Lock()
	e.started++
	base := e.Path(fmt.Sprintf("%02d-%s", e.started, filepath.Base(name)))
	e.mu.Unlock()

	p := &Proc{Name: filepath.Base(name), Stdout: base + ".out", Stderr: base + ".err", done: make(chan struct{}), env: e}
	stdout, err := os.Create(p.Stdout)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Name, err)
	}
	defer stdout.Close()
	stderr, err := os.Create(p.Stderr)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Name, err)
	}
	defer stderr.Close()

	cmd, err := e.command(o, name, args)
	if err != nil {
		return nil, err
	}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	if err := spawn(cmd); err != nil {
		return nil, fmt.Errorf("start %s: %w", p.Name, err)
	}
	p.PID = cmd.Process.Pid
	start, startErr := startTime(p.PID)
	go func() {
		p.err = cmd.Wait()
		close(p.done)
	}()
	e.mu.Lock()
	e.procs = append(e.procs, p)
	e.mu.Unlock()
	if startErr == nil {
		if err := e.journal.add(made{Kind: madeProcess, Name: p.Name, PID: p.PID, Start: start}); err != nil {
			p.Kill()
			return nil, err
		}
	}
	p.awaitExec(filepath.Base(name))
	return p, nil
}

// command builds the command line: the wrappers that enter namespaces and
// groups all end in exec, so that the PID is that of the program itself.
func (e *Env) command(o Options, name string, args []string) (*exec.Cmd, error) {
	path, err := exec.LookPath(name)
	if err != nil {
		return nil, fmt.Errorf("start %s: %w; install the package it belongs to", name, err)
	}
	argv := append([]string{path}, args...)
	if o.CPUs != "" {
		argv = append([]string{"taskset", "-c", o.CPUs}, argv...)
	}
	if o.NetNS != nil {
		argv = append([]string{"ip", "netns", "exec", o.NetNS.Name}, argv...)
	}
	// Around `ip netns exec`, which mounts a /sys of its own, without groups.
	var script strings.Builder
	for _, g := range o.Cgroups {
		for _, dir := range g.dirs() {
			fmt.Fprintf(&script, "echo $$ > %s/cgroup.procs || exit 126; ", dir)
		}
	}
	if o.OpenFiles > 0 {
		fmt.Fprintf(&script, "ulimit -n %d || exit 126; ", o.OpenFiles)
	}
	if script.Len() > 0 {
		argv = append([]string{"/bin/sh", "-c", script.String() + `exec "$@"`, "sh"}, argv...)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = o.Dir
	if cmd.Dir == "" {
		cmd.Dir = e.Dir
	}
	cmd.Env = append(append(os.Environ(), mark+"="+e.ID), o.Env...)
	if o.Stdin != "" {
		cmd.Stdin = strings.NewReader(o.Stdin)
	}
	// When the lab dies its processes die with it, whatever killed it.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	return cmd, nil
}

// spawn starts a command from one thread that never ends: the parent death
// signal is sent when the *thread* that forked ends, not the process.
func spawn(cmd *exec.Cmd) error {
	startSpawner.Do(func() {
		go func() {
			runtime.LockOSThread()
			for s := range spawns {
				s.err <- s.cmd.Start()
			}
		}()
	})
	s := spawnRequest{cmd, make(chan error)}
	spawns <- s
	return <-s.err
}

type spawnRequest struct {
	cmd *exec.Cmd
	err chan error
}

var (
	startSpawner sync.Once
	spawns       = make(chan spawnRequest)
)

// awaitExec returns when the wrappers have become the program, or after a
// second: a program that is an interpreter's script never has its own name.
func (p *Proc) awaitExec(base string) {
	want := base[:min(len(base), 15)] // TASK_COMM_LEN without the final zero
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); {
		select {
		case <-p.done:
			return
		default:
		}
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", p.PID))
		if err != nil || strings.TrimSpace(string(comm)) == want {
			return
		}
		switch strings.TrimSpace(string(comm)) {
		case "ip", "sh", "taskset", "dash":
		default:
			if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", p.PID)); err == nil && exe != selfExe() {
				return // a program that names itself otherwise, as mariadbd does
			}
		}
		time.Sleep(time.Millisecond)
	}
}

func selfExe() string {
	exe, _ := os.Executable()
	return exe
}

// Alive says whether the process has not ended yet.
func (p *Proc) Alive() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// Wait waits for the process to end and returns how it ended.
func (p *Proc) Wait(ctx context.Context) error {
	select {
	case <-p.done:
		return p.err
	case <-ctx.Done():
		return fmt.Errorf("wait for %s: %w", p.Name, ctx.Err())
	}
}

// Signal sends a signal to the process itself, not to its group.
func (p *Proc) Signal(s syscall.Signal) error {
	if !p.Alive() {
		return fmt.Errorf("signal %s: it has ended", p.Name)
	}
	return syscall.Kill(p.PID, s)
}

// Stop asks the process and its group to end, kills them after two seconds,
// and waits for it.
func (p *Proc) Stop() {
	_ = syscall.Kill(-p.PID, syscall.SIGTERM)
	select {
	case <-p.done:
	case <-time.After(2 * time.Second):
	}
	p.Kill()
}

// Kill kills the process and its group and waits for it. A process that
// cannot die, for it sleeps uninterruptibly, is left to Cleanup after two
// seconds.
func (p *Proc) Kill() {
	_ = syscall.Kill(-p.PID, syscall.SIGKILL)
	select {
	case <-p.done:
	case <-time.After(2 * time.Second):
	}
}

// Output returns what the process has written so far, standard output first.
func (p *Proc) Output() string {
	out, _ := os.ReadFile(p.Stdout)
	errs, _ := os.ReadFile(p.Stderr)
	return string(out) + string(errs)
}

// Run runs a program to its end and returns its standard output. The error
// carries what it wrote to standard error. When ctx ends it is killed.
func (e *Env) Run(ctx context.Context, name string, args ...string) (string, error) {
	return e.RunWith(ctx, Options{}, name, args...)
}

// RunWith runs a program to its end in the place that o describes.
func (e *Env) RunWith(ctx context.Context, o Options, name string, args ...string) (string, error) {
	cmd, err := e.command(o, name, args)
	if err != nil {
		return "", err
	}
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := spawn(cmd); err != nil {
		return "", fmt.Errorf("run %s: %w", name, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) })
	defer stop()
	if err := cmd.Wait(); err != nil {
		if ctx.Err() != nil {
			err = ctx.Err()
		}
		return stdout.String(), fmt.Errorf("run %s %s: %w: %s", name, strings.Join(args, " "), err,
			strings.TrimSpace(LastBytes(stderr.String()+stdout.String(), 500)))
	}
	return stdout.String(), nil
}

// LastBytes returns the end of a text, at most n bytes.
func LastBytes(s string, n int) string {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}
