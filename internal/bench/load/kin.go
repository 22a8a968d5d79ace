package load

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
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
// not of init. Only these are ever ended. One command runs at a time.
type kin struct {
	mark string // a variable of the command's environment, which all that it starts inherit

	mu    sync.Mutex
	first relative // the command; pid 0: it has not begun
	over  bool     // the command was waited for: its PID may be another's
	// shared says that children may come to rtrail that the command did not start: it had some
	// before, which leave theirs, or is init of a container.
	shared bool
	before map[int]uint64 // children that rtrail had when the command began, with their start
	stop   chan struct{}
	done   sync.WaitGroup
}

// relative is a process in the table of processes.
type relative struct {
	pid, parent, group, session int
	start                       uint64 // ticks since boot: with pid, its identity
	dead                        bool   // nobody has waited for it yet
}

// current is the command that runs, to end it if rtrail ends at once; nil: none.
var current struct {
	sync.Mutex
	kin *kin
}

const (
	// endPause is the time between two looks whether any are left: processes in the kernel end
	// later. killWithin bounds them; at once, if rtrail itself ends.
	endPause      = 10 * time.Millisecond
	killWithin    = 2 * time.Second
	killAtOnce    = 200 * time.Millisecond
	reapEvery     = time.Second            // between two looks for those that ended by themselves,
	reapManyEvery = 100 * time.Millisecond // while there are any
	// maxEnvironment bounds what is read of an environment.
	maxEnvironment = 256 << 10
)

// newKin has rtrail take over what the command will leave behind.
func newKin() (*kin, error) {
	current.Lock()
	defer current.Unlock()
	if current.kin != nil {
		return nil, errors.New("another command still runs")
	}
	all, err := table()
	if err != nil {
		return nil, fmt.Errorf("read the table of processes: %w", err)
	}
	k := &kin{before: map[int]uint64{}, stop: make(chan struct{}), mark: fmt.Sprintf("RTRAIL_LOAD=%d.%d", os.Getpid(), time.Now().UnixNano())}
	for _, r := range all {
		if r.parent == os.Getpid() {
			k.before[r.pid] = r.start
		}
	}
	k.shared = os.Getpid() == 1 || len(k.before) > 0
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return nil, err
	}
	current.kin = k
	k.done.Go(func() { _ = crash.Guard(k.follow) })
	return k, nil
}

// begin says which process the command is. It is not waited for yet.
func (k *kin) begin(pid int) {
	r, ok := readRelative(pid)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.first = r; !ok {
		k.first = relative{pid: pid}
	}
}

// adopted says that a child of rtrail came from the command: it is new, and not in rtrail's group
// of processes, in which all are that rtrail starts beside commands. os/exec waits for the command
// itself.
func (k *kin) adopted(r relative) bool {
	k.mu.Lock()
	first := k.first
	k.mu.Unlock()
	start, was := k.before[r.pid]
	if first.pid == 0 || r.parent != os.Getpid() || r.group == syscall.Getpgrp() || was && start == r.start || r.is(first) {
		return false
	}
	return !k.shared || r.group == first.pid || r.session == first.pid || k.marked(r.pid)
}

// is says whether two are the same process.
func (r relative) is(other relative) bool { return r.pid == other.pid && r.start == other.start }

// marked says that a process has the command's environment.
func (k *kin) marked(pid int) bool {
	f, err := os.Open(filepath.Join("/proc", strconv.Itoa(pid), "environ"))
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxEnvironment))
	return err == nil && slices.Contains(strings.Split(string(b), "\x00"), k.mark)
}

// find lists the processes of the command that are there.
func (k *kin) find() (list []relative) {
	all, err := table()
	if err != nil {
		return nil
	}
	k.mu.Lock()
	first, over := k.first, k.over
	k.mu.Unlock()
	children := map[int][]relative{}
	var todo []relative
	for _, r := range all {
		children[r.parent] = append(children[r.parent], r)
		if !over && r.is(first) || k.adopted(r) {
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

// left are the PIDs of those that the command left, some thousands of them at most.
func (k *kin) left() (list []int) {
	for _, r := range k.leftBehind() {
		if len(list) < maxProcesses {
			list = append(list, r.pid)
		}
	}
	return list
}

func (k *kin) leftBehind() (list []relative) {
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
			if r, ok := readRelative(pid); ok && k.adopted(r) {
				list = append(list, r)
			}
		}
	}
	return list
}

// follow waits for those that end by themselves: nobody else does.
func (k *kin) follow() error {
	next := time.NewTimer(reapEvery)
	defer next.Stop()
	for {
		select {
		case <-k.stop:
			return nil
		case <-next.C:
		}
		pause := reapEvery
		for _, r := range k.leftBehind() {
			if r.dead {
				reap(r.pid)
				pause = reapManyEvery
			}
		}
		next.Reset(pause)
	}
}

// signal sends all of them a signal.
func (k *kin) signal(s syscall.Signal) {
	for _, r := range k.find() {
		r.signal(s)
	}
}

// end ends what the command has left, and says how many are still there: those that hang in the
// kernel, or belong to somebody else.
func (k *kin) end() (left int) {
	k.mu.Lock()
	k.over = true
	k.mu.Unlock()
	close(k.stop)
	k.done.Wait()
	left = k.kill(killWithin)
	current.Lock()
	defer current.Unlock()
	current.kin = nil
	_ = unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
	return left
}

// kill kills them, and those that they start meanwhile.
func (k *kin) kill(within time.Duration) int {
	for began := time.Now(); ; time.Sleep(endPause) {
		list := k.find()
		if len(list) == 0 || time.Since(began) > within {
			return len(list)
		}
		for _, r := range list {
			if r.dead && k.adopted(r) {
				reap(r.pid)
			} else if !r.dead {
				r.signal(syscall.SIGKILL)
			}
		}
	}
}

// EndAll kills a command that runs and what it started, for a program that ends at once.
func EndAll() {
	current.Lock()
	k := current.kin
	current.Unlock()
	if k != nil {
		k.kill(killAtOnce)
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
func table() (list []relative, err error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1) // as many as the kernel lets there be
	if err != nil {
		return nil, err
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
	return list, nil
}

// readRelative reads a process; false: it is not there.
func readRelative(pid int) (r relative, ok bool) {
	_, f, ok := statOf(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if !ok || len(f) < 20 {
		return r, false
	}
	r.pid, r.dead = pid, f[0] == "Z" || f[0] == "X"
	var err1, err2, err3, err4 error
	r.parent, err1 = strconv.Atoi(f[1])
	r.group, err2 = strconv.Atoi(f[2])
	r.session, err3 = strconv.Atoi(f[3])
	r.start, err4 = strconv.ParseUint(f[19], 10, 64)
	return r, errors.Join(err1, err2, err3, err4) == nil
}
