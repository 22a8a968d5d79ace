package view

import (
	"cmp"
	"encoding/binary"
	"slices"
	"time"

	"rtrail/internal/recording"
)

// Process is one process over the window. The embedded sample is its last
// reading with all fields (the last light one if there is no full one). Rates
// are per second between its first and last reading in the window; they are
// NaN where the source could not be read.
type Process struct {
	recording.ProcessSample
	First   recording.ProcessSample
	Samples []recording.Reading[recording.ProcessSample]
	// Seconds is the time rates are taken over: between the first and the last
	// reading, or since it started when that was inside the window. A process
	// that lived for less than a second counts as if it had lived for one.
	Seconds float64

	CPUSeconds  float64 // CPU time used in the window, User + System
	CPU         float64 // cores: User + System
	User        float64
	System      float64
	ChildCPU    float64 // cores used by children that ended and were waited for
	RunDelay    float64 // seconds its threads waited for a CPU, per second
	BlockDelay  float64 // seconds its threads waited for block I/O, per second
	SwapDelay   float64 // seconds its threads waited for swap-in, per second
	Voluntary   float64 // context switches because it waited for something
	Involuntary float64 // context switches because its time was up
	MinorFaults float64
	MajorFaults float64
	ReadBytes   float64 // from storage
	WriteBytes  float64 // dirtied, to go to storage
	Cancelled   float64 // bytes dirtied by anybody that it deleted or cut off before they were written
	ReadChars   float64
	WriteChars  float64
	ReadCalls   float64
	WriteCalls  float64

	Own  bool // rtrail itself
	Gone bool // not there any more at the window's last reading of processes
}

// ProcessKey identifies a process: a PID is used again, with another start.
type ProcessKey struct {
	PID     int32
	Started int64 // nanoseconds since the epoch
}

// Processes lists every process seen in the window, the busiest first.
func (v *View) Processes() []Process {
	return Memo(v, "processes", v.processes)
}

func (v *View) processes() []Process {
	all := Readings[recording.ProcessSample](v)
	var last time.Time
	for _, r := range all {
		if r.At().After(last) {
			last = r.At()
		}
	}
	own, missing := v.Manifest().Host, v.holesOf(recording.Processes)
	series := seriesOf(all, func(s *recording.ProcessSample) ProcessKey {
		return ProcessKey{s.PID, s.Started.UnixNano()}
	})
	list := make([]Process, len(series)) // they are large: none is copied
	for i, samples := range series {
		p := &list[i]
		p.fill(samples, v.start, missing)
		p.Own = own.PID != 0 && p.PID == int32(own.PID) && (own.Comm == "" || p.Comm == own.Comm)
		// One pass over /proc takes milliseconds; a process that misses the
		// last pass was read at least a sampling interval before it.
		p.Gone = last.Sub(p.Samples[len(p.Samples)-1].At()) > 200*time.Millisecond
	}
	order := make([]int32, len(list))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortStableFunc(order, func(a, b int32) int { return cmp.Compare(list[b].CPUSeconds, list[a].CPUSeconds) })
	arrange(list, order)
	return list
}

// arrange puts what is at order[i] to place i, moving each once at most. It
// changes order.
func arrange[T any](list []T, order []int32) {
	for i := range order {
		if order[i] == int32(i) {
			continue
		}
		first := list[i]
		to := int32(i)
		for order[to] != int32(i) {
			from := order[to]
			list[to], order[to] = list[from], to
			to = from
		}
		list[to], order[to] = first, to
	}
}

// fill forms the process of its readings in the window.
func (p *Process) fill(samples []recording.Reading[recording.ProcessSample], windowStart time.Time, missing holes) {
	p.ProcessSample, p.First, p.Samples = samples[len(samples)-1].Row(), samples[0].Row(), samples
	var rates [numRated]knownRate
	begin := p.First.At
	if p.Started.After(windowStart) && p.Started.Before(begin) {
		// It began inside the window, with all counters at zero.
		begin = p.Started
		for i := range rates {
			rates[i].add(0, begin)
			rates[i].born = true
		}
	}
	for i, r := range samples {
		if amongRepeats(samples, i) {
			continue
		}
		s := r.Row()
		rateAll(&rates, &s)
		if s.Full {
			p.ProcessSample = s
		}
	}
	per := func(r ratedValue) float64 { return rates[r].perSecond(missing) }
	p.User, p.System = OrZero(per(ratedUser)), OrZero(per(ratedSystem))
	p.CPU = p.User + p.System
	p.Seconds = max(missing.without(begin, samples[len(samples)-1].At()).Seconds(), shortLife)
	p.CPUSeconds = p.CPU * p.Seconds
	p.ChildCPU = OrZero(per(ratedChildUser)) + OrZero(per(ratedChildSystem))
	p.RunDelay, p.BlockDelay, p.SwapDelay = per(ratedRunDelay), per(ratedBlockDelay), per(ratedSwapDelay)
	p.Voluntary, p.Involuntary = per(ratedVoluntary), per(ratedInvoluntary)
	p.MinorFaults, p.MajorFaults = per(ratedMinorFaults), per(ratedMajorFaults)
	p.ReadBytes, p.WriteBytes = per(ratedReadBytes), per(ratedWriteBytes)
	p.Cancelled = per(ratedCancelled)
	p.ReadChars, p.WriteChars = per(ratedReadChars), per(ratedWriteChars)
	p.ReadCalls, p.WriteCalls = per(ratedReadCalls), per(ratedWriteCalls)
}

// amongRepeats says that the readings before and after one repeat the same row
// as it does, of an earlier time: it slept, and what the three hold differs in
// nothing but time.
func amongRepeats(samples []recording.Reading[recording.ProcessSample], i int) bool {
	if i == 0 || i == len(samples)-1 {
		return false
	}
	row := samples[i].Of()
	return samples[i-1].Of() == row && samples[i+1].Of() == row && !samples[i-1].At().Equal(row.At)
}

// Age is how old the process was at the end of the window.
func (p Process) Age(end time.Time) time.Duration { return end.Sub(p.Started) }

// Process finds a process by its PID; the youngest one if the PID was used
// more than once in the window.
func (v *View) Process(pid int32) (Process, bool) {
	if i, ok := v.processIndex()[pid]; ok {
		return v.Processes()[i], true
	}
	return Process{}, false
}

// processIndex is at which place of Processes a PID is.
func (v *View) processIndex() map[int32]int {
	return Memo(v, "process-index", func() map[int32]int {
		all := v.Processes()
		m := map[int32]int{}
		for i := range all {
			if have, ok := m[all[i].PID]; !ok || all[i].Started.After(all[have].Started) {
				m[all[i].PID] = i
			}
		}
		return m
	})
}

// ProcessThat finds a process by its PID and when it began, as events tell both: none if the PID
// is now another one's.
func (v *View) ProcessThat(pid int32, started time.Time) (Process, bool) {
	p, ok := v.Process(pid)
	if !ok || !p.Is(pid, started) {
		return Process{}, false
	}
	return p, true
}

// maxHolders is how many processes are told of a socket. Servers that fork for connections have
// hundreds of workers; any user can start thousands that inherit a socket.
const maxHolders = 1024

// SocketOwners lists the processes that hold a socket, by its inode, oldest
// process first: with forked workers that is the one people call the server. Of more than
// maxHolders it has the oldest. The list is shared: nobody may change it.
func (v *View) SocketOwners(inode uint64) []Process {
	if inode == 0 {
		return nil
	}
	return Memo(v, "socket-owners", v.socketOwners)[inode]
}

// socketOwners are the holders of each socket. Sockets that the same processes hold, as those
// that a server's children inherit, have one list: a Process is large.
func (v *View) socketOwners() map[uint64][]Process {
	type hold struct {
		inode uint64
		pid   int32
	}
	all, index := v.Processes(), v.processIndex()
	known := map[hold]bool{}
	holders := map[uint64][]int32{} // places in all
	for _, o := range Rows[recording.SocketOwner](v) {
		h := hold{o.Inode, o.PID}
		if i, ok := index[o.PID]; ok && !known[h] {
			known[h] = true
			holders[o.Inode] = append(holders[o.Inode], int32(i))
		}
	}
	shared := map[string][]Process{}
	owners := make(map[uint64][]Process, len(holders))
	var key []byte
	for inode, places := range holders {
		slices.SortStableFunc(places, func(a, b int32) int { return all[a].Started.Compare(all[b].Started) })
		places = places[:min(len(places), maxHolders)]
		key = key[:0]
		for _, i := range places {
			key = binary.NativeEndian.AppendUint32(key, uint32(i))
		}
		list, ok := shared[string(key)]
		if !ok {
			list = make([]Process, len(places))
			for n, i := range places {
				list[n] = all[i]
			}
			shared[string(key)] = list
		}
		owners[inode] = list
	}
	return owners
}

// startSlack is how far two tables may differ in when a process began: one has it from
// ticks in /proc, the other from the kernel's clock.
const startSlack = time.Second

// Is says whether it is the process that another table means; a zero time is not known.
func (p Process) Is(pid int32, started time.Time) bool {
	return p.PID == pid && (started.IsZero() || p.Started.Sub(started).Abs() <= startSlack)
}
