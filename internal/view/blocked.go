package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// Blocked is one thread that was seen in uninterruptible sleep (state D).
type Blocked struct {
	PID, TID int32
	Comm     string
	Process  Process
	Readings int     // how often its state was read
	InD      int     // in how many of these it was in D
	Longest  int     // readings in a row in D, in the same place
	Seconds  float64 // from the first to the last reading in D
	Where    string  // kernel function it waited in most often; "" when not readable
	Stack    string  // one kernel stack seen there
	Syscall  string
	Stuck    bool // it never left the wait: no time slice between the first and the last reading
	wheres   map[string]int
}

// Share is the part of its readings in which the thread was in D.
func (b Blocked) Share() float64 { return float64(b.InD) / float64(max(b.Readings, 1)) }

// Blocked lists the threads of programs (no kernel threads) that were seen in
// state D, those with the most readings in D first. Threads that were sampled
// are judged by these samples; of others, only the main thread's state is
// known, from the readings of processes.
func (v *View) Blocked() []Blocked {
	return Memo(v, "blocked", func() []Blocked { return v.BlockedAt(func(time.Time) bool { return true }) })
}

// BlockedAt is Blocked with only those readings in D that are of certain moments. Readings still
// counts all, so that Share is of the whole window.
func (v *View) BlockedAt(moment func(time.Time) bool) []Blocked {
	var list []Blocked
	sampled := map[int32]bool{}
	for _, t := range v.ThreadTimes() {
		p, ok := v.Process(t.PID)
		if ok && (p.Kernel || p.Own) {
			continue
		}
		if t.TID == t.PID {
			sampled[t.PID] = true
		}
		inD := func(s recording.ThreadSample) bool { return s.State == "D" && moment(s.At) }
		if !slices.ContainsFunc(t.Samples, inD) {
			continue
		}
		b := Blocked{PID: t.PID, TID: t.TID, Comm: t.Comm, Process: p}
		readings := make([]blockedReading, 0, len(t.Samples))
		for _, s := range t.Samples {
			readings = append(readings, blockedReading{s.At, inD(s), place(s), s.Stack, s.SyscallName})
		}
		b.read(readings)
		b.Stuck = b.InD == b.Readings && b.Readings >= 2 && noSlice(t.Samples)
		list = append(list, b)
	}
	for _, p := range v.Processes() {
		if p.Kernel || p.Own || sampled[p.PID] || !slices.ContainsFunc(p.Samples, inDisk) {
			continue
		}
		b := Blocked{PID: p.PID, TID: p.PID, Comm: p.Comm, Process: p}
		readings := make([]blockedReading, 0, len(p.Samples))
		for _, r := range p.Samples {
			s := r.Row()
			readings = append(readings, blockedReading{s.At, s.State == "D" && moment(s.At), wchan(s.WaitChannel), "", ""})
		}
		b.read(readings)
		b.Stuck = b.InD == b.Readings && b.Readings >= 2 && p.CPU == 0
		if b.InD > 0 {
			list = append(list, b)
		}
	}
	slices.SortStableFunc(list, func(a, b Blocked) int { return cmp.Compare(b.InD, a.InD) })
	return list
}

// AtDisk is how many threads of a process, or of which share of the time one of them (tid
// is not 0), waited for disks, on average, and the system call in which the one did that
// waited most; "" if that could not be read.
func (v *View) AtDisk(pid, tid int32) (waiting float64, call string) {
	most := 0.0
	for _, b := range v.Blocked() {
		if b.PID != pid || tid != 0 && b.TID != tid || !DiskWait(b.Where, b.Stack) {
			continue
		}
		waiting += b.Share()
		if b.Share() > most {
			most, call = b.Share(), b.Syscall
		}
	}
	return waiting, call
}

type blockedReading struct {
	At                    time.Time
	d                     bool
	where, stack, syscall string
}

func (b *Blocked) read(readings []blockedReading) {
	b.wheres = map[string]int{}
	first, run, last := -1, 0, -1
	before := ""
	for i, r := range readings {
		b.Readings++
		if !r.d {
			run = 0
			continue
		}
		b.InD++
		b.wheres[r.where]++
		if b.wheres[r.where] > b.wheres[b.Where] || b.Where == "" {
			b.Where, b.Stack, b.Syscall = r.where, r.stack, r.syscall
		}
		if run > 0 && r.where != before {
			run = 0
		}
		run++
		before = r.where
		b.Longest = max(b.Longest, run)
		if first < 0 {
			first = i
		}
		last = i
	}
	if first >= 0 {
		b.Seconds = readings[last].At.Sub(readings[first].At).Seconds()
	}
}

func noSlice(samples []recording.ThreadSample) bool {
	first, last := samples[0], samples[len(samples)-1]
	return first.Slices >= 0 && first.Slices == last.Slices
}

// place is the kernel function a sampled thread waits in: the wait channel,
// else the first frame of its stack that is not the scheduler.
func place(s recording.ThreadSample) string {
	if w := wchan(s.WaitChannel); w != "" && !schedulerFrames[w] {
		return w
	}
	for frame := range strings.SplitSeq(s.Stack, ";") {
		name, _, _ := strings.Cut(strings.TrimSpace(frame), "+")
		if name != "" && !schedulerFrames[name] {
			return name
		}
	}
	return wchan(s.WaitChannel)
}

func wchan(w string) string {
	if w == "0" {
		return ""
	}
	return w
}

// schedulerFrames say that a thread sleeps, not what for.
var schedulerFrames = map[string]bool{
	"schedule": true, "__schedule": true, "schedule_timeout": true, "io_schedule": true, "io_schedule_timeout": true,
	"schedule_preempt_disabled": true, "schedule_hrtimeout_range": true, "bit_wait_io": true, "bit_wait": true,
	"__wait_on_bit": true, "out_of_line_wait_on_bit": true, "wait_for_completion": true, "__wait_for_common": true,
	"wait_for_completion_io": true, "wait_for_completion_killable": true, "wait_for_completion_state": true,
	"submit_bio_wait": true,
	// ZFS sleeps for everything in condition variables of its own (spl-condvar.c).
	"cv_wait_common": true, "__cv_wait": true, "__cv_wait_io": true, "__cv_wait_idle": true, "__cv_timedwait_common": true,
	"__cv_timedwait": true, "__cv_timedwait_io": true, "__cv_timedwait_idle": true,
	"__cv_timedwait_hires": true, "cv_timedwait_hires_common": true,
}

// DiskWait says whether a thread that waits in a kernel function, with a stack
// if one was readable, waits for a block device. Pages of file servers are
// waited for in the same functions as those of disks; the stack tells.
func DiskWait(where, stack string) bool {
	frames := strings.Split(stack, ";")
	if slices.ContainsFunc(frames, func(f string) bool { return beginsWith(f, remoteFunctions) }) {
		return false
	}
	if where != "" && !schedulerFrames[where] {
		return beginsWith(where, diskFunctions)
	}
	return beginsWith(where, diskFunctions) || slices.ContainsFunc(frames, func(f string) bool { return beginsWith(f, diskFunctions) })
}

func beginsWith(frame string, names []string) bool {
	name, _, _ := strings.Cut(strings.TrimSpace(frame), "+")
	return slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(name, n) })
}

// remoteFunctions are beginnings of names of functions of filesystems that
// have no disk of this host under them.
var remoteFunctions = []string{"fuse_", "nfs_", "nfs4_", "rpc_", "cifs_", "smb2_", "p9_", "v9fs_", "ceph_", "afs_"}

// diskFunctions are beginnings of names of kernel functions that wait for
// block I/O: page cache reads, direct I/O, journals, request allocation,
// throttling by a cgroup (which sleeps in the same places). The log of XFS is
// waited for in xlog_wait_on_iclog (fs/xfs/xfs_log.c), in older kernels in
// __xfs_log_force_lsn or _xfs_log_force_lsn; that of Btrfs in wait_log_commit
// (fs/btrfs/tree-log.c), its transactions in the other two (transaction.c). ext4
// also waits for its journal in do_get_write_access and add_transaction_credits
// (fs/jbd2/transaction.c); in wbt_wait writes are held back for reads (block/blk-wbt.c).
// ZFS shows only cv_wait_common where stacks are not readable.
var diskFunctions = []string{
	"io_schedule", "folio_wait", "wait_on_page", "wait_on_buffer", "__wait_on_buffer", "__lock_page", "folio_lock",
	"blk_", "__blk", "blkdev_", "__blkdev", "bio_", "submit_bio", "rq_qos_wait", "dio_", "do_blockdev_direct_IO",
	"__iomap_dio", "iomap_dio", "jbd2_", "ext4_", "ext2_", "xfs_", "xlog_", "_xfs_", "__xfs_",
	"btrfs_", "wait_log_commit", "wait_current_trans", "wait_for_commit", "f2fs_", "filemap_", "read_pages", "sync_",
	"balance_dirty_pages", "writeback_", "wb_wait", "wait_transaction_locked", "start_this_handle", "dm_", "md_", "raid", "swap_read",
	"do_get_write_access", "add_transaction_credits", "wbt_", "__wbt_",
	"cv_wait", "__cv_wait", "__cv_timedwait", "cv_timedwait", "zio_", "zil_", "txg_", "dmu_", "dbuf_", "arc_read",
}

// inDisk says whether a process was in uninterruptible sleep.
func inDisk(r recording.Reading[recording.ProcessSample]) bool { return r.Of().State == "D" }
