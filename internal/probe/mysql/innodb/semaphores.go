package innodb

import (
	"strings"

	"rtrail/internal/recording"
)

// semaphore reads a line of the section:
//
//	--Thread 139678247544512 has waited at lock0wait.cc line 223 for 0.00 seconds the semaphore:
//	Mutex at 0x7f096a0780d8 created file lock0lock.cc line 612, lock var 1
//	S-lock on RW-latch at 0x7f2a8a6ee9d8 created in file buf0buf.cc line 853
//	a writer (thread id 139820199159488) has reserved it in mode  exclusive
//	Last time write locked in file ../../../storage/innobase/row/row0ins.cc line 2461
//	Mutex spin waits 7393, rounds 148015, OS waits 1916
func (p *parser) semaphore(line string) {
	s := &p.s.Semaphores
	switch {
	case strings.HasPrefix(line, "--Thread "):
		p.latchWait(line)
	case strings.HasPrefix(line, "OS WAIT ARRAY INFO"):
		// Servers with several arrays write a line for each.
		add(line, "reservation count ", &s.Reservations)
		add(line, "signal count ", &s.Signals)
	case strings.HasPrefix(line, "Mutex spin waits "):
		spins(line, "Mutex spin waits ", &s.Mutex)
	case strings.HasPrefix(line, "RW-shared spins "):
		// Before MySQL 5.5 both kinds share a line.
		shared, exclusive, _ := strings.Cut(line, ";")
		spins(shared, "RW-shared spins ", &s.Shared)
		spins(exclusive, "RW-excl spins ", &s.Exclusive)
	case strings.HasPrefix(line, "RW-excl spins "):
		spins(line, "RW-excl spins ", &s.Exclusive)
	case strings.HasPrefix(line, "RW-sx spins "):
		spins(line, "RW-sx spins ", &s.SX)
	case len(s.Waits) > 0 && int64(len(s.Waits)) == s.Waiting:
		latch(line, &s.Waits[len(s.Waits)-1])
	}
}

func add(line, label string, to *int64) {
	n := int64(recording.Unknown)
	after(line, label, &n)
	*to = sum(*to, n)
}

func spins(line, label string, to *Spins) {
	after(line, label, &to.Waits)
	after(line, "rounds ", &to.Rounds)
	after(line, "OS waits ", &to.OSWaits)
}

func (p *parser) latchWait(line string) {
	s := &p.s.Semaphores
	thread, rest, ok := between(line, "--Thread ", " has waited at ")
	if !ok {
		return
	}
	s.Waiting++
	if len(s.Waits) >= maxWaits {
		return
	}
	w := LatchWait{Thread: strings.Clone(thread), Waited: recording.Unknown}
	file, rest, _ := strings.Cut(rest, " for ")
	w.File = place(file)
	if took, _, ok := strings.Cut(rest, " seconds"); ok {
		if d, ok := seconds(took); ok {
			w.Waited = d
		}
	}
	s.Waits = append(s.Waits, w)
}

// latch reads a line about what a thread waits for.
func latch(line string, w *LatchWait) {
	mode, what, isLatch := strings.Cut(line, " on RW-latch at ")
	mutex, isMutex := strings.CutPrefix(line, "Mutex at ")
	switch {
	case isLatch && w.Mode == "":
		w.Mode, w.Name = strings.Clone(mode), latchName(what)
	case isMutex && w.Mode == "":
		w.Mode, w.Name = "Mutex", latchName(mutex)
	case strings.HasPrefix(line, "a writer (thread id "):
		if holder, _, ok := between(line, "(thread id ", ")"); ok {
			w.Holder = strings.Clone(holder)
		}
	case strings.HasPrefix(line, "Last time write locked in file "):
		w.Written = place(strings.TrimPrefix(line, "Last time write locked in file "))
	}
	if w.Holder == "" {
		if holder, _, ok := between(line, "locked by ", ","); ok && isMutex {
			w.Holder = strings.Clone(holder)
		}
	}
}

// latchName is the name in the description of a latch, after its address:
//
//	0x7f096a0780d8 created file lock0lock.cc line 612, lock var 1
//	0x2d37668, Mutex LOCK_SYS created lock0lock.cc:451, lock var 1
//	0x1e7c8a8 '&dict_operation_lock'
func latchName(s string) string {
	if name, _, ok := between(s, "'", "'"); ok {
		return strings.Clone(strings.TrimPrefix(name, "&"))
	}
	if name, _, ok := between(s, ", Mutex ", " created"); ok {
		return strings.Clone(name)
	}
	_, rest, ok := strings.Cut(s, " created ")
	if !ok {
		return ""
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "in "), "file ")
	rest, _, _ = strings.Cut(rest, ",")
	return place(rest)
}

// place makes "../../storage/innobase/row/row0ins.cc line 2461" row0ins.cc:2461.
func place(s string) string {
	file, line, _ := strings.Cut(strings.TrimSpace(s), " line ")
	file = file[strings.LastIndexByte(file, '/')+1:]
	if line == "" {
		return strings.Clone(file)
	}
	return file + ":" + line
}
