package view

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"rtrail/internal/recording"
)

// LockHolder is a thread that held a lock while others waited for it.
type LockHolder struct {
	TID   int32
	Comm  string
	Share float64 // of the waits that were seen
	Deed          // what it mostly did then; DoesShare 0: not known
	// Looks is how often it was looked at then. Next is what it was seen to do second most
	// often, if it is not sure that Deed is what it did for most of the time.
	Looks int
	Next  Deed
	// Measured says that sums of events tell what it did, and DoesShare is of the time for
	// which it held the lock; else it is of the looks.
	Measured bool
	RunDelay float64 // share of the window in which it had no CPU
}

// Sure says whether the thread is known to have done that for most of the time.
func (h *LockHolder) Sure() bool {
	return h.DoesShare >= mostOfTheTime && (h.Measured || h.Next.DoesShare == 0)
}

// Deed is what a thread does.
type Deed struct {
	Does Activity
	// Where is in which system call or, without one, in which function of the kernel.
	Where     string
	DoesShare float64 // 0 to 1
}

// holdersOf says who held a lock in some looks of all at the process, and what they did.
func (v *View) holdersOf(waits []recording.LockWait, threads map[int32]ThreadTime, all int) []LockHolder {
	var list []LockHolder
	tids, series := Group(waits, func(w recording.LockWait) int32 { return w.Holder })
	for _, tid := range tids {
		t := threads[tid]
		h := LockHolder{TID: tid, Comm: t.Comm, Share: float64(len(series[tid])) / float64(len(waits)), RunDelay: t.RunDelay}
		looks := looksDuring(series[tid], t.Samples)
		held := min(1, float64(momentsOf(series[tid]))/float64(max(all, 1)))
		ran := 1.0
		if last := len(t.Samples) - 1; last > 0 && t.Seconds > 0 && t.Samples[last].CPUTime >= 0 {
			ran = min(1, (t.CPU+t.RunDelay)/held)
		}
		h.look(looks, ran)
		h.measure(v, waits[0].PID, waits[0].Lock, looks, t, held)
		list = append(list, h)
	}
	slices.SortStableFunc(list, func(a, b LockHolder) int { return cmp.Compare(b.Share, a.Share) })
	return list
}

// momentsOf is at how many moments somebody was seen to wait.
func momentsOf(waits []recording.LockWait) int {
	moments := map[time.Time]bool{}
	for _, w := range waits {
		moments[w.At.Truncate(lockMoment)] = true
	}
	return len(moments)
}

// looksDuring are the looks at a thread at the moments of some waits.
func looksDuring(waits []recording.LockWait, samples []recording.ThreadSample) (looks []recording.ThreadSample) {
	for _, w := range waits {
		i, _ := slices.BinarySearchFunc(samples, w.At, func(s recording.ThreadSample, at time.Time) int { return s.At.Compare(at) })
		if i > 0 && (i == len(samples) || w.At.Sub(samples[i-1].At) < samples[i].At.Sub(w.At)) {
			i--
		}
		if i < len(samples) && samples[i].At.Sub(w.At).Abs() <= lockMoment {
			looks = append(looks, samples[i])
		}
	}
	return looks
}

// look tells what the holder did by looks at it. It ran for no more of the time than its
// own counters allow, which is ran: a thread that sleeps for some microseconds at a time is
// seen to run more often than it does.
func (h *LockHolder) look(looks []recording.ThreadSample, ran float64) {
	type doing struct {
		activity Activity
		where    string
	}
	did, moments := map[doing]float64{}, map[time.Time]bool{}
	for _, s := range looks {
		d := doing{activity: Classify(s)}
		if d.activity != OnCPU {
			d.where = cmp.Or(s.SyscallName, syscallIn(s.Stack), place(s))
		}
		did[d]++
		moments[s.At] = true
	}
	for d := range did {
		did[d] /= float64(len(looks))
	}
	h.Looks = len(moments)
	if on := did[doing{}]; on > ran {
		for d := range did {
			if d.activity != OnCPU {
				did[d] *= (1 - ran) / (1 - on)
			}
		}
		did[doing{}] = ran
	}
	var deeds []Deed
	for d, share := range did {
		deeds = append(deeds, Deed{d.activity, d.where, share})
	}
	slices.SortFunc(deeds, func(a, b Deed) int {
		return cmp.Or(cmp.Compare(b.DoesShare, a.DoesShare), cmp.Compare(a.Does, b.Does), cmp.Compare(a.Where, b.Where))
	})
	if len(deeds) > 0 {
		h.Deed = deeds[0]
	}
	if len(deeds) > 1 && shareAtLeast(h.DoesShare, float64(h.Looks)) < mostOfTheTime {
		h.Next = deeds[1]
	}
}

// mostOfTheTime is the share of the time from which what a thread does is what it does.
const mostOfTheTime = 0.5

// measure tells what the holder did by sums of events, if it was for most of the time in
// one system call. Sums of a process are divided among its threads by the times for which
// they were blocked in that call or, without any, by the looks that found them there. A
// call counts only if the holder was seen in it while it held the lock.
func (h *LockHolder) measure(v *View, pid int32, lock uint64, looks []recording.ThreadSample, t ThreadTime, held float64) {
	calls := v.callsOf(pid)
	with := map[string]Activity{} // calls in which it was seen while it held the lock
	for _, s := range looks {
		if call := callOf(&s); call != "" && call != "futex" {
			with[call] = Classify(s)
		}
	}
	for call, does := range v.sleptWith(pid, lock, h.TID) {
		if _, ok := with[call]; !ok {
			with[call] = does
		}
	}
	for call, does := range with {
		share := min(1, calls.of(t, call)*duringHold(call, looks, t)/held)
		if share >= mostOfTheTime && (!h.Measured || share > h.DoesShare || share == h.DoesShare && call < h.Where) {
			h.Deed, h.Next, h.Measured = Deed{does, call, share}, Deed{}, true
		}
	}
}

// duringHold is the part of the looks in a system call at which the thread held the lock.
func duringHold(call string, looks []recording.ThreadSample, t ThreadTime) float64 {
	all := countIn(call, t.Samples)
	if all == 0 {
		return 1
	}
	held := map[time.Time]bool{}
	for i := range looks {
		if callOf(&looks[i]) == call {
			held[looks[i].At] = true
		}
	}
	return float64(len(held)) / float64(all)
}

func countIn(call string, samples []recording.ThreadSample) (n int) {
	for i := range samples {
		if callOf(&samples[i]) == call {
			n++
		}
	}
	return n
}

// callOf is the system call in which a thread was seen to wait; "" if it was in none.
func callOf(s *recording.ThreadSample) string {
	return cmp.Or(s.SyscallName, syscallIn(s.Stack))
}

// callTimes is what events tell of the system calls of one process.
type callTimes struct {
	all    map[string]float64           // that were under way at a time
	thread map[int32]map[string]float64 // the same by thread, of those that blocked
	looks  map[string]int               // at all threads that were seen in one
}

// of is how much of the window a thread was in a system call, 0 to 1; 0 where events do not tell.
func (c *callTimes) of(t ThreadTime, call string) float64 {
	own, every := c.thread[t.TID][call], 0.0
	for _, times := range c.thread {
		every += times[call]
	}
	part := 0.0
	if every > 0 {
		part = own / every
	} else if n := c.looks[call]; n > 0 {
		part = float64(countIn(call, t.Samples)) / float64(n)
	}
	return min(1, max(own, c.all[call]*part))
}

// callsOf sums up the system calls of a process by what events told: of syncs, of all
// calls, and of blocked threads.
func (v *View) callsOf(pid int32) *callTimes {
	all := Memo(v, "call-times", func() map[int32]*callTimes {
		m := map[int32]*callTimes{}
		of := func(pid int32) *callTimes {
			if m[pid] == nil {
				m[pid] = &callTimes{map[string]float64{}, map[int32]map[string]float64{}, map[string]int{}}
			}
			return m[pid]
		}
		for _, s := range v.Syncs() {
			if _, ok := v.ProcessThat(s.PID, s.Started); ok {
				of(s.PID).all[s.Call] += s.Mean
			}
		}
		for _, s := range v.Syscalls() {
			if _, ok := v.ProcessThat(s.PID, s.Started); ok {
				c := of(s.PID)
				c.all[s.Call] = max(c.all[s.Call], s.Mean)
			}
		}
		rows := v.OffCPURows()
		span := traced(rows, v.watched("offcpu"), offCPUTime).span.Seconds()
		for i := range rows {
			r := &rows[i]
			call := syscallIn(r.Stack)
			if r.TID == 0 || r.State == "R" || call == "" || span <= 0 {
				continue
			}
			c := of(r.PID)
			if c.thread[r.TID] == nil {
				c.thread[r.TID] = map[string]float64{}
			}
			c.thread[r.TID][call] += r.Waited.Seconds() / span
		}
		for i, samples := 0, Rows[recording.ThreadSample](v); i < len(samples); i++ {
			if call := callOf(&samples[i]); call != "" && m[samples[i].PID] != nil {
				m[samples[i].PID].looks[call]++
			}
		}
		return m
	})
	if c := all[pid]; c != nil {
		return c
	}
	return &callTimes{}
}

// sleptWith are the system calls in which a thread slept while others waited for a lock
// that it released, as the kernel told, and for what.
func (v *View) sleptWith(pid int32, lock uint64, tid int32) map[string]Activity {
	type held struct {
		pid  int32
		lock uint64
		tid  int32
	}
	return Memo(v, "slept-with-lock", func() map[held]map[string]Activity {
		m := map[held]map[string]Activity{}
		rows := Rows[recording.OffCPUWait](v)
		for i := range rows {
			r := &rows[i]
			call := syscallIn(r.HolderStack)
			if r.Lock == 0 || call == "" || call == "futex" {
				continue
			}
			k := held{r.PID, r.Lock, r.WakerTID}
			if m[k] == nil {
				m[k] = map[string]Activity{}
			}
			in, _, _ := strings.Cut(r.HolderStack, ";")
			m[k][call] = Classify(recording.ThreadSample{SyscallName: call, WaitChannel: in})
			if DiskWait(in, r.HolderStack) {
				m[k][call] = WaitDisk
			}
		}
		return m
	})[held{pid, lock, tid}]
}

// lockTold is what the kernel counted of the waits for a lock, if it did for the whole
// window; of slices of the time only short waits are whole.
func (v *View) lockTold(pid int32, address uint64) *Lock {
	if !v.Traced("offcpu") {
		return nil
	}
	list := v.locks()
	for i := range list {
		if l := &list[i]; l.PID == pid && l.Address == address && l.Mutex && !l.Sliced {
			return l
		}
	}
	return nil
}
