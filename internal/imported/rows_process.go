package imported

import (
	"slices"
	"strconv"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/view"
)

// tickSeconds is the unit of pidstat's iodelay.
const tickSeconds = 0.01

// process takes a line about a process.
func (r *rows) process(n int, h *header, line row, s step) {
	pid, err := strconv.ParseInt(line.key, 10, 32)
	if err != nil || pid <= 0 {
		return
	}
	p := r.procs[int32(pid)]
	if p == nil || p.row.Comm != line.name && p.listed < n {
		const none = recording.Unknown
		p = &process{listed: -1, row: recording.ProcessSample{PID: int32(pid), PPID: none, Comm: line.name, UID: none, Kernel: kernelThread(line.name),
			ChildUser: none, ChildSystem: none, RunTime: none, VirtualSize: none, RSS: none, Anon: none, File: none, Shmem: none, Swap: none,
			ReadChars: none, WriteChars: none, ReadCalls: none, WriteCalls: none}}
		r.procs[int32(pid)] = p
	}
	// top tells all that a process ran since it was started, and before a first report that
	// is not known.
	whole := h.has("TIME+")
	if !whole && (p.listed < 0 || p.listed < n && p.reported.Before(s.began)) {
		// It did nothing, or was not there, until the report began.
		r.processes = append(r.processes, r.sample(p, s.began))
		p.reported = s.began
	}
	p.listed = n
	add := func(sum int, column string, factor float64, names ...string) {
		if v := h.get(line, names...); view.Known(v) {
			r.knows(recording.Processes, column)
			p.sums[sum] = min(p.sums[sum]+v*factor, maxNumber)
		}
	}
	add(sumUser, "user_ns", s.seconds/100, "%usr", "%user")
	add(sumUser, "user_ns", s.seconds/100, "%guest") // which pidstat takes out of %usr, and /proc does not
	add(sumSystem, "system_ns", s.seconds/100, "%system")
	add(sumDelay, "run_delay_ns", s.seconds/100, "%wait")
	if v := h.get(line, "TIME+"); view.Known(v) {
		r.knows(recording.Processes, "user_ns", "system_ns")
		// What it used in a hole is left out, as far as that is known: in even parts.
		part := 1.0
		if passed := s.at.Sub(p.told.at); p.whole && r.missing > p.told.missing && passed > 0 {
			part = max(0, 1-(r.missing-p.told.missing).Seconds()/passed.Seconds())
		}
		p.sums[sumUser] += max(v-p.told.seconds, 0) * part
		p.whole, p.told = true, cpuTold{v, s.at, r.missing}
	}
	add(sumMinor, "minor_faults", s.seconds, "minflt/s")
	add(sumMajor, "major_faults", s.seconds, "majflt/s")
	add(sumRead, "read_bytes", s.seconds*1024, "kB_rd/s")
	add(sumWritten, "write_bytes", s.seconds*1024, "kB_wr/s")
	add(sumCancelled, "cancelled_write_bytes", s.seconds*1024, "kB_ccwr/s")
	add(sumVoluntary, "voluntary", s.seconds, "cswch/s")
	add(sumInvoluntary, "involuntary", s.seconds, "nvcswch/s")
	if v := h.get(line, "iodelay"); v > 0 {
		// All zeros are what a kernel without delay accounting tells.
		r.knows(recording.Processes, "block_delay_ns")
		p.sums[sumBlocked] += v * tickSeconds
	}
	if v := h.get(line, "VSZ", "VIRT"); view.Known(v) {
		r.knows(recording.Processes, "virtual_size_bytes")
		p.row.VirtualSize = int64(v * 1024)
		p.sized, p.large = true, p.large || v > 0
	}
	// pidstat lists who did something: the largest may not be among them, so that sizes prove
	// nothing.
	if v := h.get(line, "RES"); view.Known(v) {
		r.knows(recording.Processes, "rss_bytes")
		p.row.RSS = int64(v * 1024)
	}
	if line.state != "" {
		r.knows(recording.Processes, "state")
		p.row.State = line.state
	}
	if v := h.get(line, "NI"); view.Known(v) {
		p.row.Nice = int32(min(v, 19))
	}
}

// sample is the process at a time.
func (r *rows) sample(p *process, at time.Time) recording.ProcessSample {
	row := p.row
	row.At = at
	length := func(sum int) time.Duration { return time.Duration(min(p.sums[sum], 9e9) * float64(time.Second)) }
	row.User, row.System, row.RunDelay, row.BlockDelay, row.SwapDelay = length(sumUser), length(sumSystem), length(sumDelay), length(sumBlocked), recording.Unknown
	for sum, to := range map[int]*int64{sumMinor: &row.MinorFaults, sumMajor: &row.MajorFaults, sumRead: &row.ReadBytes, sumWritten: &row.WriteBytes,
		sumCancelled: &row.Cancelled, sumVoluntary: &row.Voluntary, sumInvoluntary: &row.Involuntary} {
		*to = int64(p.sums[sum])
	}
	return row
}

// processRows keeps the rows of those that a report lists, and of those that the report
// before listed: they did nothing since.
func (r *rows) processRows(n int, s step) {
	for _, p := range r.procs {
		if p.listed == n || p.listed >= 0 && p.reported.Equal(s.began) {
			r.processes = append(r.processes, r.sample(p, s.at))
			p.reported = s.at
			if p.listed != n {
				p.reported = s.at.Add(1) // one row is enough
			}
		}
	}
}

// rest ends the series of all processes at the last report, and says what is not known of
// them.
func (r *rows) rest() {
	for _, p := range r.procs {
		if p.reported.Before(r.last) {
			r.processes = append(r.processes, r.sample(p, r.last))
		}
	}
	known := r.only[recording.Processes]
	for i := range r.processes {
		row := &r.processes[i]
		// Threads of the kernel have no memory of their own; nor has a process that just ended.
		if p := r.procs[row.PID]; p != nil && p.row.Comm == row.Comm && p.sized && !p.large && (p.whole || p.sums[sumUser] == 0) {
			row.Kernel = true
		}
		for column, to := range map[string]*time.Duration{"run_delay_ns": &row.RunDelay, "block_delay_ns": &row.BlockDelay} {
			if !slices.Contains(known, column) {
				*to = recording.Unknown
			}
		}
		for column, to := range map[string]*int64{"minor_faults": &row.MinorFaults, "major_faults": &row.MajorFaults, "read_bytes": &row.ReadBytes, "write_bytes": &row.WriteBytes,
			"cancelled_write_bytes": &row.Cancelled, "voluntary": &row.Voluntary, "involuntary": &row.Involuntary} {
			if !slices.Contains(known, column) {
				*to = recording.Unknown
			}
		}
	}
	slices.SortStableFunc(r.processes, func(a, b recording.ProcessSample) int { return a.At.Compare(b.At) })
}
