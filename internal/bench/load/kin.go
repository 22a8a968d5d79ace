package load

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/crash"
)

// kin are the processes that a command started, also those that it left: rtrail is the reaper of
// its descendants while the command runs, so that whoever forks away becomes a child of rtrail, and
// not of init. Only these are ever ended.
type kin struct {
	mu     sync.Mutex
	main   int            // the command; 0: it is not there yet, or was waited for
	begun  bool           // main was set
	before map[int]uint64 // children that rtrail had when the command began, with their start
	stop   chan struct{}
	done   sync.WaitGroup
}

// relative is a process in the table of processes.
type relative struct {
	pid, parent, group int
	start              uint64 // ticks since boot: with pid, its identity
	dead               bool   // nobody has waited for it yet
}

var (
	// running are the commands that run, to end them if rtrail ends at once.
	runningMu sync.Mutex
	kins      = map[*kin]bool{}
)

const (
	// endRounds is how often is looked whether any are left, endPause apart: processes in the
	// kernel end later.
	endRounds = 200
	endPause  = 10 * time.Millisecond
	// reapEvery is the time between two looks for those that ended by themselves.
	reapEvery = time.Second
)

// newKin has rtrail take over what the command will leave behind.
func newKin() (*kin, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	k := &kin{before: map[int]uint64{}, stop: make(chan struct{})}
	for _, r := range table() {
		if r.parent == os.Getpid() {
			k.before[r.pid] = r.start
		}
	}
	runningMu.Lock()
	kins[k] = true
	runningMu.Unlock()
	k.done.Go(func() { _ = crash.Guard(k.follow) })
	return k, nil
}

func (k *kin) setMain(pid int) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.main, k.begun = pid, true
}

// isMain says that a process is a command itself, for which os/exec waits.
func isMain(pid int) bool {
	runningMu.Lock()
	defer runningMu.Unlock()
	for k := range kins {
		k.mu.Lock()
		is := k.main == pid
		k.mu.Unlock()
		if is {
			return true
		}
	}
	return false
}

// adopted says that a child of rtrail came from the command: it is new, and not in rtrail's group
// of processes, in which all are that rtrail starts beside commands.
func (k *kin) adopted(r relative) bool {
	k.mu.Lock()
	begun := k.begun
	k.mu.Unlock()
	start, was := k.before[r.pid]
	return begun && r.parent == os.Getpid() && r.group != syscall.Getpgrp() && !(was && start == r.start) && !isMain(r.pid)
}

// find lists the processes of the command that are there.
func (k *kin) find() (list []relative) {
	k.mu.Lock()
	main := k.main
	k.mu.Unlock()
	children := map[int][]relative{}
	var todo []relative
	for _, r := range table() {
		children[r.parent] = append(children[r.parent], r)
		if main != 0 && r.pid == main || k.adopted(r) {
			todo = append(todo, r)
		}
	}
	seen := map[int]bool{}
	for len(todo) > 0 {
		r := todo[0]
		todo = todo[1:]
		if !seen[r.pid] {
			seen[r.pid] = true
			list = append(list, r)
			todo = append(todo, children[r.pid]...)
		}
	}
	return list
}

// left are the PIDs of those that the command left.
func (k *kin) left() (list []int) {
	self := os.Getpid()
	tasks, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		return nil
	}
	for _, path := range tasks {
		b, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		for _, c := range strings.Fields(string(b)) {
			pid, err := strconv.Atoi(c)
			if err != nil {
				continue
			}
			if r, ok := readRelative(pid); ok && r.parent == self && k.adopted(r) && len(list) < maxProcesses {
				list = append(list, pid)
			}
		}
	}
	return list
}

// follow waits for those that end by themselves: nobody else does.
func (k *kin) follow() error {
	tick := time.NewTicker(reapEvery)
	defer tick.Stop()
	for {
		select {
		case <-k.stop:
			return nil
		case <-tick.C:
			for _, pid := range k.left() {
				if r, ok := readRelative(pid); ok && r.dead && k.adopted(r) {
					reap(pid)
				}
			}
		}
	}
}

// signal sends all of them a signal.
func (k *kin) signal(s syscall.Signal) {
	for _, r := range k.find() {
		r.signal(s)
	}
}

// end ends what the command has left, and says how many are still there, which only those are that
// hang in the kernel.
func (k *kin) end() (left int) {
	k.setMain(0)
	close(k.stop)
	k.done.Wait()
	left = k.kill(endRounds)
	runningMu.Lock()
	defer runningMu.Unlock()
	delete(kins, k)
	if len(kins) == 0 {
		_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	}
	return left
}

// kill kills them, and those that they start meanwhile.
func (k *kin) kill(rounds int) int {
	for round := 0; ; round++ {
		list := k.find()
		if len(list) == 0 || round == rounds {
			return len(list)
		}
		for _, r := range list {
			if r.dead && k.adopted(r) {
				reap(r.pid)
			} else if !r.dead {
				r.signal(syscall.SIGKILL)
			}
		}
		time.Sleep(endPause)
	}
}

// EndAll kills all commands and what they started, for a program that ends at once.
func EndAll() {
	runningMu.Lock()
	var all []*kin
	for k := range kins {
		all = append(all, k)
	}
	runningMu.Unlock()
	for _, k := range all {
		const rounds = 20
		k.kill(rounds)
	}
}

func reap(pid int) {
	var status unix.WaitStatus
	_, _ = unix.Wait4(pid, &status, unix.WNOHANG, nil)
}

// signal sends a signal to a process, and to no later one of its PID.
func (r relative) signal(s syscall.Signal) {
	fd, err := unix.PidfdOpen(r.pid, 0)
	if err == nil {
		defer unix.Close(fd)
	}
	if now, ok := readRelative(r.pid); !ok || now.start != r.start {
		return
	}
	switch {
	case err == nil:
		if !errors.Is(unix.PidfdSendSignal(fd, s, nil, 0), unix.ENOSYS) {
			return
		}
	case !errors.Is(err, unix.ENOSYS) && !errors.Is(err, unix.EPERM):
		return
	}
	_ = syscall.Kill(r.pid, s) // Linux before 5.3
}

// table is the table of processes.
func table() (list []relative) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil
	}
	defer dir.Close()
	names, err := dir.Readdirnames(maxOthers)
	if err != nil {
		return nil
	}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		if r, ok := readRelative(pid); ok {
			list = append(list, r)
		}
	}
	return list
}

// readRelative reads a process; false: it is not there.
func readRelative(pid int) (r relative, ok bool) {
	b, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return r, false
	}
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	if len(f) < 20 {
		return r, false
	}
	r.pid, r.dead = pid, f[0] == "Z" || f[0] == "X"
	var err1, err2, err3 error
	r.parent, err1 = strconv.Atoi(f[1])
	r.group, err2 = strconv.Atoi(f[2])
	r.start, err3 = strconv.ParseUint(f[19], 10, 64)
	return r, errors.Join(err1, err2, err3) == nil
}
