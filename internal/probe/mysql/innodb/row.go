package innodb

import (
	"time"

	"rtrail/internal/recording"
)

// Row makes the row of a recording of what was read at a time.
func (s Status) Row(at time.Time, server string) recording.MySQLInnoDB {
	r := recording.MySQLInnoDB{
		At: at, Server: server,
		History: s.History,
		LSN:     s.Log.Sequence, Flushed: s.Log.Flushed, Checkpoint: s.Log.Checkpoint,
		PendingFsyncs: s.IO.PendingFsyncs(),
		PendingReads:  s.Pool.PendingReads, PendingWrites: s.Pool.PendingWrites(),
		PoolPages: s.Pool.Size, FreePages: s.Pool.Free, DirtyPages: s.Pool.Dirty,
		Transactions: s.Open, LockWaits: s.LockWaits,
		Semaphores: s.Semaphores.Waiting,
	}
	for _, t := range s.Transactions {
		r.OldestAge = max(r.OldestAge, t.Age)
	}
	for _, w := range s.Semaphores.Waits {
		r.LongestLatch = max(r.LongestLatch, w.Waited)
	}
	all := s.Semaphores
	r.SpinWaits = sum(all.Mutex.Waits, all.Shared.Waits, all.Exclusive.Waits, all.SX.Waits)
	r.SpinRounds = sum(all.Mutex.Rounds, all.Shared.Rounds, all.Exclusive.Rounds, all.SX.Rounds)
	r.OSWaits = sum(all.Mutex.OSWaits, all.Shared.OSWaits, all.Exclusive.OSWaits, all.SX.OSWaits)
	if s.Deadlock != nil {
		r.Deadlock = s.Deadlock.At
	}
	return r
}

// Latches makes the rows of the threads that wait for latches.
func (s Status) Latches(at time.Time, server string) []recording.MySQLLatch {
	var rows []recording.MySQLLatch
	for _, w := range s.Semaphores.Waits {
		rows = append(rows, recording.MySQLLatch{At: at, Server: server, Thread: short(w.Thread), Waited: w.Waited, File: short(w.File), Name: short(w.Name), Mode: short(w.Mode)})
	}
	return rows
}

// short bounds a name: of threads, files of the source and latches none has more
// than 100 bytes.
func short(s string) string { return s[:min(len(s), 200)] }
