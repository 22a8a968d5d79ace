package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	watch     = 10 * time.Second // that verdicts are asked for
	maxBytes  = 500 << 20
	helperEnv = "RTRAIL_ROBUST_HELPER"
)

// manyProcesses watches a host with 20,000 more processes.
func manyProcesses(ctx context.Context, e *env) (string, error) {
	return e.beside(ctx, "processes", 20_000)
}

// manySockets watches a host with 10,000 more sockets.
func manySockets(ctx context.Context, e *env) (string, error) {
	return e.beside(ctx, "sockets", 10_000)
}

// beside asks for a verdict while a helper holds very many of something.
func (e *env) beside(ctx context.Context, what string, n int) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	h := exec.Command(self)
	h.Env = append(os.Environ(), helperEnv+"="+what+" "+strconv.Itoa(n))
	h.Stderr = os.Stderr
	// A group of its own, so that all of it can be ended.
	h.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
	in, err := h.StdinPipe()
	if err != nil {
		return "", err
	}
	out, err := h.StdoutPipe()
	if err != nil {
		return "", err
	}
	if err := h.Start(); err != nil {
		return "", err
	}
	e.after(func() error {
		in.Close()
		end := time.AfterFunc(20*time.Second, func() { _ = syscall.Kill(-h.Process.Pid, syscall.SIGKILL) })
		defer end.Stop()
		return h.Wait()
	})
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		return "", fmt.Errorf("the helper made no %d %s: %w", n, what, err)
	}
	p, err := e.start("diagnose", "--for", watch.String(), "--json")
	if err != nil {
		return "", err
	}
	if err := p.ends(ctx); err != nil {
		return "", err
	}
	figure := fmt.Sprintf("verdict %.1f s after the %v, %.0f MB, %.1f s of CPU time", (p.took - watch).Seconds(), watch, float64(p.maxRSS())/1e6, p.cpu().Seconds())
	switch {
	case p.err != nil:
		return figure, fmt.Errorf("it ended with %w", p.err)
	case p.took > watch+10*time.Second:
		return figure, errors.New("it took longer")
	case p.maxRSS() > maxBytes:
		return figure, errors.New("it took more memory")
	}
	return figure, nil
}

// helper is this program as one that holds many processes or sockets until its
// standard input ends.
func helper() bool {
	var what string
	var n int
	if _, err := fmt.Sscanf(os.Getenv(helperEnv), "%s %d", &what, &n); err != nil {
		return false
	}
	runtime.LockOSThread() // whose end would end the processes
	var err error
	switch what {
	case "processes":
		err = sleepers(n)
	case "sockets":
		err = connections(n / 2) // each has two ends
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "robust:", err)
		os.Exit(1)
	}
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
	for _, pid := range asleep {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	for _, pid := range asleep {
		_, _ = syscall.Wait4(pid, nil, 0, nil)
	}
	return true
}

// sleepers makes processes that do nothing, and die with this one. The runtime of
// Go does not run in them: they make system calls only.
func sleepers(n int) error {
	for range n {
		pid, err := sleeper()
		if err != 0 {
			return fmt.Errorf("make a process: %w", err)
		}
		asleep = append(asleep, int(pid))
	}
	return nil
}

// asleep are the processes that sleepers made.
var asleep []int

//go:norace
//go:nosplit
//go:noinline
func sleeper() (uintptr, syscall.Errno) {
	pid, _, err := syscall.RawSyscall6(syscall.SYS_CLONE, uintptr(syscall.SIGCHLD), 0, 0, 0, 0, 0)
	if err != 0 || pid != 0 {
		return pid, err
	}
	syscall.RawSyscall6(syscall.SYS_PRCTL, unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0, 0)
	for {
		syscall.RawSyscall6(unix.SYS_PPOLL, 0, 0, 0, 0, 0, 0)
	}
}

// connections holds open connections to itself.
func connections(n int) error {
	var most unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &most); err != nil {
		return err
	}
	if need := uint64(2*n + 100); most.Cur < need {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: need, Max: max(need, most.Max)}); err != nil {
			return fmt.Errorf("allow %d open files: %w", need, err)
		}
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	for range n {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			return err
		}
		a, err := l.Accept()
		if err != nil {
			return err
		}
		kept = append(kept, c, a)
	}
	return nil
}

// kept are the connections, which would else be closed when nobody refers to them.
var kept []net.Conn
