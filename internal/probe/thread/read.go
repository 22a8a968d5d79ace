package thread

import (
	"bytes"
	"encoding/binary"
	"strconv"
	"strings"
	"time"

	"rtrail/internal/probe/census"
	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// read looks at one thread and adds its row. Threads that vanish meanwhile
// leave no row.
func (p *Probe) read(w *watched, t *thread, stacks *int, denied *unseen) {
	at := time.Now()
	sched, ok := p.sched(w.PID, t)
	if ok && t.ok && asleep(t.row.State) &&
		sched.Slices == t.row.Slices && sched.RunTime == t.row.CPUTime {
		// Still in the same wait. If it was woken and waits for a CPU, its run
		// delay will tell when it got one.
		t.row.At = at
		p.rows = append(p.rows, t.row)
		p.lock(w, t)
		return
	}
	b, err := p.file(w.PID, t, stat)
	if err != nil {
		t.ok = false
		return
	}
	s, parsed := census.ParseStat(b, p.names.String)
	if !parsed {
		t.ok = false
		return
	}
	row := recording.ThreadSample{
		At: at, PID: w.PID, TID: t.tid, Comm: s.Comm, State: state(s.State), Processor: s.Processor,
		CPUTime: recording.Unknown, RunDelay: recording.Unknown, Slices: recording.Unknown, Syscall: recording.Unknown, FD: recording.Unknown,
	}
	if ok {
		row.CPUTime, row.RunDelay, row.Slices = sched.RunTime, sched.RunDelay, sched.Slices
	}
	t.futex = futexCall{}
	if s.State != 'R' {
		p.wait(w, t, &row, stacks, denied)
	}
	p.add(w, t, row)
}

// add adds the row of a thread that moved.
func (p *Probe) add(w *watched, t *thread, row recording.ThreadSample) {
	if row.State == "D" {
		w.calm = calm{}
	}
	t.row, t.ok = row, true
	p.rows = append(p.rows, row)
	p.lock(w, t)
}

// sched reads the thread's scheduler counters.
func (p *Probe) sched(pid int32, t *thread) (census.Sched, bool) {
	b, err := p.file(pid, t, schedstat)
	if err != nil {
		return census.Sched{}, false
	}
	return census.ParseSched(b)
}

// file is one of the files of a thread that are read again and again.
type file int

const (
	schedstat file = iota
	stat
	syscall
	wchan
	filesOfThread
)

var fileNames = [filesOfThread]string{"schedstat", "stat", "syscall", "wchan"}

// file reads one of them. It stays open where there is room: that saves half of
// what reading it costs. The bytes are valid until the next read.
func (p *Probe) file(pid int32, t *thread, f file) ([]byte, error) {
	if t.fds[f] > 0 {
		b, err := p.dir.ReadOpen(t.fds[f] - 1)
		if err == nil || census.Denied(err) {
			return b, err
		}
		p.close(t) // it ended; the number may be another thread's now
	}
	name := census.TaskName(pid, t.tid, fileNames[f])
	if p.files >= p.limit {
		return p.dir.Read(name)
	}
	fd, err := p.dir.Open(name)
	if err != nil {
		return nil, err
	}
	t.fds[f] = fd + 1
	p.files++
	b, err := p.dir.ReadOpen(fd)
	if err != nil {
		p.closeFile(t, f)
	}
	return b, err
}

// wait reads what a thread that is not running waits for.
func (p *Probe) wait(w *watched, t *thread, row *recording.ThreadSample, stacks *int, denied *unseen) {
	t.held, t.futex = 0, futexCall{}
	b, err := p.file(w.PID, t, syscall)
	switch {
	case err == nil:
		row.Syscall = parseSyscall(b)
		if !w.foreign {
			row.SyscallName = SyscallName(row.Syscall)
			row.Input = row.SyscallName == "read" && readsInput(b)
			if row.State == "D" && usesFile[row.SyscallName] {
				row.FD = firstDescriptor(b)
			}
			t.futex = parseFutex(b)
		}
	case census.Denied(err):
		denied.syscalls++
	}
	b, err = p.file(w.PID, t, wchan)
	if err == nil {
		row.WaitChannel = p.names.String(census.Function(b))
	}
	if *stacks <= 0 || !telling(row) {
		return
	}
	b, err = p.dir.Read(census.TaskName(w.PID, t.tid, "stack"))
	switch {
	case err == nil:
		*stacks--
		row.Stack = p.names.String([]byte(parseStack(b)))
	case census.Denied(err):
		denied.stacks++
	}
}

// telling says whether the kernel stack adds something: of a wait for disk or
// a kernel lock, and of a sleep in a call that may wait for many things.
func telling(row *recording.ThreadSample) bool {
	if row.State == "D" {
		return true
	}
	if row.State != "S" {
		return false
	}
	switch row.SyscallName {
	case "read", "write", "readv", "writev", "pread64", "pwrite64", "ioctl", "fsync", "fdatasync", "openat", "unlink", "rename", "close", "fcntl", "flock":
		return true
	}
	return false
}

// parseSyscall reads the number from /proc/PID/task/TID/syscall: "202 0x...",
// "-1 ..." outside of system calls, "running".
func parseSyscall(b []byte) int32 {
	field, _ := procfile.Field(bytes.TrimRight(b, "\n"))
	n, ok := procfile.Int(field)
	if !ok || n < 0 || n > 1<<20 {
		return recording.Unknown
	}
	return int32(n)
}

// readsInput says whether the first argument of a system call, which follows its
// number, is the descriptor of standard input.
func readsInput(b []byte) bool {
	_, b = procfile.Field(b)
	argument, _ := procfile.Field(b)
	return string(argument) == "0x0"
}

// usesFile are the calls the first argument of which is the file that they wait for.
var usesFile = map[string]bool{
	"read": true, "pread64": true, "readv": true, "preadv": true, "preadv2": true, "getdents64": true,
	"write": true, "pwrite64": true, "writev": true, "pwritev": true, "pwritev2": true, "fallocate": true, "ftruncate": true,
	"fsync": true, "fdatasync": true, "sync_file_range": true, "syncfs": true,
}

// firstDescriptor is the first argument of a system call, as a descriptor.
func firstDescriptor(b []byte) int32 {
	_, b = procfile.Field(b)
	argument, _ := procfile.Field(b)
	hex, ok := bytes.CutPrefix(argument, []byte("0x"))
	n, err := strconv.ParseUint(string(hex), 16, 31)
	if !ok || err != nil {
		return recording.Unknown
	}
	return int32(n)
}

// maxFrames is how much of a stack is kept: what it waits in is at the top.
const maxFrames = 24

// parseStack turns lines of "[<0>] function+0x10/0x40" into one string,
// innermost first.
func parseStack(b []byte) string {
	var frames [][]byte
	for line := range procfile.Lines(b) {
		_, name, _ := bytes.Cut(line, []byte("] "))
		name, _, _ = bytes.Cut(name, []byte{'+'})
		if name = census.Function(name); len(name) > 0 && len(frames) < maxFrames {
			frames = append(frames, name)
		}
	}
	return string(bytes.Join(frames, []byte{';'}))
}

// foreign says that a process runs code of another word size than rtrail,
// whose system calls have other numbers: the auxiliary vector that the kernel gave it begins
// with the type of an entry, a small number, and with 32 bits its value, never 0, comes at
// once. The file of its program may be on a filesystem that never answers.
func (p *Probe) foreign(pid int32) bool {
	if !p.dir.Live() {
		return false
	}
	head, err := p.dir.Head(census.Name(pid, "auxv"))
	return err == nil && len(head) >= 8 && binary.LittleEndian.Uint32(head[4:]) != 0
}

func asleep(state string) bool { return state != "R" && state != "D" }

// state turns the letter into a string without allocation.
func state(c byte) string {
	const letters = "RSDZTtIXxKWP"
	if i := strings.IndexByte(letters, c); i >= 0 {
		return letters[i : i+1]
	}
	return string(rune(c))
}

// unseen counts what permissions kept from the probe in one look.
type unseen struct{ syscalls, stacks int }

func (u unseen) report(w *recording.Writer, name string) {
	if u.syscalls > 0 {
		w.Unseen(name, string(recording.UnseenSyscalls), u.syscalls, "permission denied", census.MoreSight())
	}
	if u.stacks > 0 {
		w.Unseen(name, "kernel stacks of waiting threads", u.stacks, "permission denied", census.MoreSight())
	}
}
