package audit

import (
	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// latchSettings are what threads inside of InnoDB contend for.
var latchSettings = []Setting{
	{
		Name: "innodb_spin_wait_delay", Topic: Latches, Apply: Dynamic,
		Why:  "how long a thread spins between two tries to get a latch, up to 50 PAUSE instructions for each unit: far too long burns CPUs in ut_delay",
		Cost: "too short: threads are put to sleep and woken more often",
		With: []string{"innodb_sync_spin_loops"}, Advise: adviseSpinDelay,
	},
	{
		Name: "innodb_sync_spin_loops", Topic: Latches, Apply: Dynamic,
		Why:  "how often a thread tries to get a latch before it is put to sleep",
		Cost: "as for innodb_spin_wait_delay",
	},
	{
		Name: "innodb_adaptive_hash_index", Topic: Latches, Apply: Dynamic,
		Why:  "finds rows without walking the tree; its latches become the bottleneck with many CPUs and mixed load",
		Cost: "off: point lookups walk the tree, some percent more CPU",
		With: []string{"innodb_adaptive_hash_index_parts"}, Advise: adviseHashIndex,
	},
	{
		Name: "innodb_adaptive_hash_index_parts", Topic: Latches, Apply: Restart,
		Why:  "how many latches the adaptive hash index has",
		Cost: "none known",
	},
	{
		Name: "innodb_thread_concurrency", Topic: Latches, Apply: Dynamic,
		Why:  "how many threads may be inside of InnoDB; the others queue. 0: all",
		Cost: "a limit protects from collapse and idles CPUs when threads wait for disks",
	},
	{
		Name: "innodb_purge_threads", Topic: Latches, Apply: Mixed,
		Why:  "remove old row versions; while they are behind, reads go through long chains of them",
		Cost: "CPU and disk time that statements do not get", Advise: advisePurge,
	},
	{
		Name: "innodb_max_purge_lag", Topic: Latches, Apply: Dynamic,
		Why:  "beyond this many undo logs every change of a row is delayed on purpose. 0: never",
		Cost: "without it the history may grow as long as a transaction is open",
	},
}

// Defaults of innodb_spin_wait_delay: the manuals', as recorded.
const (
	spinDelayMySQL   = 6
	spinDelayMariaDB = 4
)

func adviseSpinDelay(f *Facts, v Value) *Advice {
	delay, ok := v.Int()
	usual := int64(spinDelayMySQL)
	if f.server.MariaDB() {
		usual = spinDelayMariaDB
	}
	rounds := f.spinRounds()
	if !ok || delay < spinFar*usual || rounds < spinRounds {
		return nil
	}
	return &Advice{
		Direction: Lower, To: unit.Count(usual).String() + ", the default", Sure: rule.Likely,
		Evidence: []rule.Text{
			rule.T("the delay is %s, the default %d", unit.Count(delay), usual),
			rule.T("threads spun %s rounds a second", unit.Count(rounds)),
		},
	}
}

// spinRounds a second.
func (f *Facts) spinRounds() float64 {
	rows := f.server.InnoDB()
	if len(rows) < 2 {
		return 0
	}
	first, last := rows[0], rows[len(rows)-1]
	seconds := last.At.Sub(first.At).Seconds()
	if first.SpinRounds < 0 || last.SpinRounds < first.SpinRounds || seconds <= 0 {
		return 0
	}
	return float64(last.SpinRounds-first.SpinRounds) / seconds
}

func adviseHashIndex(f *Facts, v Value) *Advice {
	waits := f.latches("btr0sea", "btr_search", "adaptive hash")
	if !v.On() || waits < latchWaits {
		return nil
	}
	return &Advice{
		Direction: Change, To: "OFF", Sure: rule.Likely,
		Evidence: []rule.Text{rule.T("%d waits for latches of the adaptive hash index were seen (btr0sea.cc)", waits)},
	}
}

// purgeThreads is how many MySQL 8 and MariaDB start.
const purgeThreads = 4

func advisePurge(f *Facts, v Value) *Advice {
	n, ok := v.Int()
	first, last := f.history()
	if !ok || n >= purgeThreads || last < historyLong || last <= first || f.oldest.Seconds()+1 >= f.Window {
		// One that was open all the while holds the history however many threads
		// there are. Servers tell ages in whole seconds.
		return nil
	}
	return &Advice{
		Direction: Raise, To: "4", Sure: rule.Possible,
		Evidence: []rule.Text{
			rule.T("undo logs not yet purged grew from %s to %s", unit.Count(first), unit.Count(last)),
			rule.T("the oldest transaction was open for %s, less than they grew: none holds them up", unit.Duration(f.oldest)),
		},
	}
}

// history is how many undo logs waited for purge at the beginning and at the
// end; zeros when that is not known.
func (f *Facts) history() (first, last float64) {
	rows := f.server.InnoDB()
	if len(rows) < 2 || rows[0].History < 0 || rows[len(rows)-1].History < 0 {
		return 0, 0
	}
	return float64(rows[0].History), float64(rows[len(rows)-1].History)
}

// lockSettings are locks of rows and tables. Their waits are the work of
// transactions: which one blocks is shown by the lock tree, no setting cures it.
var lockSettings = []Setting{
	{
		Name: "innodb_lock_wait_timeout", Topic: Locks, Unit: Seconds, Apply: Dynamic,
		Why:  "how long a statement waits for a row before it fails with error 1205",
		Cost: "short: work fails that would have succeeded; long: sessions pile up behind one",
	},
	{
		Name: "lock_wait_timeout", Topic: Locks, Unit: Seconds, Apply: Dynamic,
		Why:  "how long ALTER and the like wait for a table; every new statement on the table queues behind them",
		Cost: "short: schema changes fail on busy tables and are to be repeated",
	},
	{
		Name: "innodb_deadlock_detect", Topic: Locks, Apply: Dynamic,
		Why:  "looks for circles at every wait: costly when hundreds wait for one row",
		Cost: "off: deadlocks end by innodb_lock_wait_timeout only",
	},
	{
		Name: "innodb_print_all_deadlocks", Topic: Locks, Apply: Dynamic,
		Why:  "writes every deadlock into the error log; without it only the last one is kept",
		Cost: "lines in the log",
	},
	{
		Name: "innodb_rollback_on_timeout", Topic: Locks, Apply: Restart,
		Why:  "off: after a timeout the transaction stays open with its locks",
		Cost: "on: the whole transaction is lost",
	},
	{
		Name: "innodb_snapshot_isolation", Topic: Locks, Only: "MariaDB", Apply: Dynamic,
		Why:  "on: an UPDATE of a row that changed since the snapshot fails with error 1020",
		Cost: "off: repeatable reads are not quite repeatable",
	},
	{
		Name: "transaction_isolation", Names: []string{"tx_isolation"}, Topic: Locks, Apply: Dynamic,
		Why:  "REPEATABLE-READ keeps old row versions for the length of a transaction and locks gaps; READ-COMMITTED does neither",
		Cost: "the meaning of the application's statements changes",
	},
	{
		Name: "autocommit", Topic: Locks, Apply: Dynamic,
		Why:  "off: even a SELECT begins a transaction that stays open until COMMIT",
		Cost: "the meaning of the application's statements changes",
	},
	{
		Name: "low_priority_updates", Topic: Locks, Apply: Dynamic,
		Why:  "MyISAM: writers wait until there are no readers",
		Cost: "writers starve",
	},
}
