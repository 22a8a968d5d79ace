package view

import (
	"cmp"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// HeldLock is one lock of a program for which threads were seen to wait while another
// thread of it held it.
type HeldLock struct {
	PID     int32
	Address uint64 // in the process
	Waiters []LockWaiter
	Holders []LockHolder  // those that were seen to hold it most often first
	Looks   int           // at which threads waited
	Mean    float64       // threads that waited at a time
	Longest time.Duration // that a thread was seen to wait for one holder
}

// LockWaiter is a thread that waited for a lock.
type LockWaiter struct {
	TID   int32
	Comm  string
	Share float64 // of the looks at its process
}

// lockMoment is how far apart a look at a thread that waits and one at the holder may be.
const lockMoment = 150 * time.Millisecond

// HeldLocks lists the locks for which threads were seen to wait, those with most
// waiting first. Locks of glibc and those with priority inheritance are seen, others not.
func (v *View) HeldLocks() []HeldLock {
	return Memo(v, "held-locks", func() []HeldLock {
		type lock struct {
			pid     int32
			address uint64
		}
		type looksOf struct{ pid, tid int32 }
		threads, looked, waited := map[int32]ThreadTime{}, map[int32]int{}, map[looksOf]int{}
		for _, t := range v.ThreadTimes() {
			threads[t.TID] = t
			looked[t.PID] = max(looked[t.PID], len(t.Samples))
		}
		for _, w := range Rows[recording.LockWait](v) {
			seen := looksOf{w.PID, w.TID}
			if waited[seen]++; waited[seen] > looked[w.PID] {
				looked[w.PID] = waited[seen]
			}
		}
		keys, waits := Group(Rows[recording.LockWait](v), func(w recording.LockWait) lock { return lock{w.PID, w.Lock} })
		list := make([]HeldLock, 0, len(keys))
		for _, k := range keys {
			h := HeldLock{PID: k.pid, Address: k.address}
			looks := map[time.Time]bool{}
			tids, series := Group(waits[k], func(w recording.LockWait) int32 { return w.TID })
			// Threads may live for a few looks only: it counts how often the process was looked at.
			all := max(looked[k.pid], 1)
			h.Holders = v.holdersOf(waits[k], threads, all)
			for _, tid := range tids {
				s := series[tid]
				share := min(1, float64(len(s))/float64(all))
				h.Waiters = append(h.Waiters, LockWaiter{tid, s[len(s)-1].Thread, share})
				h.Mean += share
				for i, r := range s {
					looks[r.At.Truncate(lockMoment)] = true
					h.Longest = max(h.Longest, r.At.Sub(sameHolder(s[:i+1])))
				}
			}
			h.Looks = len(looks)
			if l := v.lockTold(k.pid, k.address); l != nil {
				h.Mean, h.Longest = l.Mean, max(h.Longest, l.Longest)
			}
			slices.SortStableFunc(h.Waiters, func(a, b LockWaiter) int { return cmp.Compare(b.Share, a.Share) })
			list = append(list, h)
		}
		slices.SortStableFunc(list, func(a, b HeldLock) int { return cmp.Compare(b.Mean, a.Mean) })
		return list
	})
}

// sameWait is since when the wait of the last row was seen: the thread did not run since.
func sameWait(rows []recording.LockWait) time.Time {
	last := rows[len(rows)-1]
	since := last.At
	for i := len(rows) - 2; i >= 0; i-- {
		if r := &rows[i]; r.Slices < 0 || r.Slices != last.Slices || r.Lock != last.Lock {
			break
		}
		since = rows[i].At
	}
	return since
}

// Deadlock is a cycle of threads of one process, each of which waits for a lock that
// the next one holds.
type Deadlock struct {
	PID    int32
	Cycle  []recording.LockWait // the last look at each of them
	Behind []recording.LockWait // threads that wait for these, directly or not
	For    time.Duration        // as far as it was seen: none of the cycle ran in that time
}

// Deadlocks are the cycles in which the threads stand that wait for locks at the end of
// the window. Each of their threads was seen at least twice in the same wait, without
// having run between, and no wait ends by itself.
func (v *View) Deadlocks() []Deadlock {
	return Memo(v, "deadlocks", func() []Deadlock {
		last, since := map[int32]recording.LockWait{}, map[int32]time.Time{}
		tids, series := Group(Rows[recording.LockWait](v), func(w recording.LockWait) int32 { return w.TID })
		ended := map[int32]time.Time{}
		for _, t := range v.ThreadTimes() {
			ended[t.TID] = t.Samples[len(t.Samples)-1].At
		}
		for _, tid := range tids {
			s := series[tid]
			if w := s[len(s)-1]; !ended[tid].After(w.At) { // else it got the lock
				last[tid], since[tid] = w, sameHolder(s)
			}
		}
		var list []Deadlock
		in := map[int32]bool{}
		for _, tid := range tids {
			d, ok := cycleFrom(tid, last, since)
			if !ok || in[d.Cycle[0].TID] {
				continue
			}
			for _, w := range d.Cycle {
				in[w.TID] = true
			}
			for _, other := range tids {
				if w, waits := last[other]; waits && !in[other] && leadsTo(w, d, last) {
					d.Behind = append(d.Behind, w)
				}
			}
			list = append(list, d)
		}
		return list
	})
}

// sameHolder is since when the wait of the last row was seen with the same holder.
func sameHolder(rows []recording.LockWait) time.Time {
	since := sameWait(rows)
	holder := rows[len(rows)-1].Holder
	for i := len(rows) - 1; i >= 0 && !rows[i].At.Before(since); i-- {
		if rows[i].Holder != holder {
			return rows[i+1].At
		}
	}
	return since
}

// cycleFrom follows the holders from a thread; it is in a cycle if it comes back to it.
func cycleFrom(tid int32, last map[int32]recording.LockWait, since map[int32]time.Time) (d Deadlock, ok bool) {
	from, until := time.Time{}, time.Time{}
	seen := map[int32]bool{}
	for at := tid; ; {
		w, waits := last[at]
		if !waits || w.Timed || seen[at] {
			return Deadlock{}, false
		}
		seen[at] = true
		d.PID = w.PID
		d.Cycle = append(d.Cycle, w)
		if since[at].After(from) {
			from = since[at]
		}
		if until.IsZero() || w.At.Before(until) {
			until = w.At
		}
		if at = w.Holder; at == tid {
			break
		}
	}
	d.For = until.Sub(from)
	return d, d.For > 0
}

// leadsTo says whether a thread waits for one of a cycle.
func leadsTo(w recording.LockWait, d Deadlock, last map[int32]recording.LockWait) bool {
	for range len(last) {
		if slices.ContainsFunc(d.Cycle, func(c recording.LockWait) bool { return c.TID == w.Holder }) {
			return true
		}
		next, waits := last[w.Holder]
		if !waits {
			return false
		}
		w = next
	}
	return false
}
