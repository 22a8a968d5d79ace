package stack

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strconv"
	"strings"

	"rtrail/internal/probe/procmem"
)

// sleepStack is how much of a sleeping thread's stack is copied.
const sleepStack = 64 << 10

// sleepers looks at the threads of a process that do not run, without stopping
// them: the kernel says in which system call they are, in which of its
// functions they wait, and where their stack is; the stack is copied while they
// sleep, and thrown away if they moved meanwhile.
type sleepers struct {
	space    *space
	buffer   []byte
	noStack  int // kernel stacks that may not be read
	noCall   int // system calls that may not be read
	noMemory int // user stacks that may not be read
	moved    int // threads that went on while they were looked at
	cut      int // user stacks that could be followed only in part
	whole    int
}

// look adds the stacks of all threads that sleep now, each guarded.
func (l *sleepers) look(guarded func(func()), add func(frames []string, state string, tid int32, thread string)) error {
	tids, err := threadsOf(l.space.pid)
	if err != nil {
		return err
	}
	for _, tid := range tids {
		dir := fmt.Sprintf("%s/task/%d/", l.space.proc, tid)
		comm, state, ok := taskState(dir)
		if !ok || state == "R" || state == "Z" || state == "X" || state == "I" {
			continue
		}
		guarded(func() {
			if frames, ok := l.stack(dir); ok {
				add(frames, state, tid, comm)
			}
		})
	}
	return nil
}

// stack puts together what is known of one sleeping thread.
func (l *sleepers) stack(dir string) (frames []string, ok bool) {
	call, err := os.ReadFile(dir + "syscall")
	if err != nil {
		if errors.Is(err, fs.ErrPermission) {
			l.noCall++
		}
		call = nil
	}
	kernel := l.kernel(dir)
	sp, pc, known := userPlace(string(call))
	var user []string
	whole := false
	if known && followsFrames {
		user, whole = l.user(sp, pc)
		if after, err := os.ReadFile(dir + "syscall"); err != nil || string(after) != string(call) {
			l.moved++
			return nil, false
		}
	} else if known {
		user = []string{l.space.name(pc)}
	}
	if len(user) > 0 {
		if whole {
			l.whole++
		} else {
			l.cut++
		}
	}
	if len(user) > 1 && len(kernel) > 0 && ordinary(kernel) {
		// What follows below a futex or poll is the same everywhere.
		kernel = kernel[:1]
	}
	return append(kernel, user...), len(kernel)+len(user) > 0
}

// ordinary says whether a kernel stack says no more than its innermost
// function: of waits in a futex, for sockets and timers.
func ordinary(kernel []string) bool {
	for _, word := range []string{"futex", "poll", "nanosleep", "select", "do_wait", "skb_wait", "sk_wait", "timedwait", "io_cqring", "schedule_hrtimeout"} {
		if strings.Contains(kernel[0], word) {
			return true
		}
	}
	return false
}

// kernel reads the kernel's part: all of it with CAP_SYS_ADMIN, else the
// function the thread waits in.
func (l *sleepers) kernel(dir string) []string {
	data, err := os.ReadFile(dir + "stack")
	if err == nil {
		var frames []string
		for line := range strings.Lines(string(data)) {
			_, name, ok := strings.Cut(strings.TrimSpace(line), "] ")
			if name, _, _ = strings.Cut(name, "+"); ok && name != "" && !strings.HasPrefix(name, "0x") {
				frames = append(frames, name)
			}
		}
		return frames
	}
	if errors.Is(err, fs.ErrPermission) {
		l.noStack++
	}
	channel, err := os.ReadFile(dir + "wchan")
	if name := strings.TrimSpace(string(channel)); err == nil && name != "" && name != "0" {
		return []string{name}
	}
	return nil
}

// userPlace reads the stack pointer and the address in the program from
// /proc/PID/task/TID/syscall: "202 arg1 ... arg6 sp pc", "-1 sp pc".
func userPlace(text string) (sp, pc uint64, ok bool) {
	fields := strings.Fields(text)
	if len(fields) < 3 {
		return 0, 0, false // "running"
	}
	sp, err1 := strconv.ParseUint(fields[len(fields)-2], 0, 64)
	pc, err2 := strconv.ParseUint(fields[len(fields)-1], 0, 64)
	return sp, pc, err1 == nil && err2 == nil && pc != 0
}

// user copies the stack of a thread and follows it.
func (l *sleepers) user(sp, pc uint64) (frames []string, whole bool) {
	if l.buffer == nil {
		l.buffer = make([]byte, sleepStack)
	}
	n := procmem.Read(l.space.pid, sp, l.buffer)
	if n == 0 {
		l.noMemory++
	}
	var regs registers
	regs.set(regSP, sp)
	regs.set(regPC, pc)
	return l.space.unwind(regs, stackMemory(l.buffer[:n], sp))
}

// taskState reads name and state of a thread from its stat file.
func taskState(dir string) (comm, state string, ok bool) {
	data, err := os.ReadFile(dir + "stat")
	if err != nil {
		return "", "", false
	}
	text := string(data)
	open, end := strings.IndexByte(text, '('), strings.LastIndexByte(text, ')')
	if open < 0 || end < open || len(text) < end+3 {
		return "", "", false
	}
	return text[open+1 : end], text[end+2 : end+3], true
}

func threadsOf(pid int32) ([]int32, error) {
	dir, err := os.Open(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	tids := make([]int32, 0, len(names))
	for _, n := range names {
		if tid, err := strconv.ParseInt(n, 10, 32); err == nil {
			tids = append(tids, int32(tid))
		}
	}
	return tids, nil
}
