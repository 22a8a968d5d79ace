package audit

// What counts as evidence. A counter that did not grow in the window is none.
const (
	// missShare and missRate: below one page in a hundred read from disk, or a
	// hundred a second, which one disk of the slow kind serves, the size of the
	// buffer pool is not what statements wait for.
	missShare = 0.01
	missRate  = 100.0
	// poolFull: InnoDB keeps some pages free for the next reads
	// (innodb_lru_scan_depth, 1,024 per instance); a pool with more than one in
	// twenty free has not been filled yet, and a larger one would not help.
	poolFull = 0.05
	// poolRoom is how much of a host's memory a pool may have and still be worth
	// growing; the manual's upper end for a server of its own is 80 %.
	poolRoom = 0.70
	// poolCrowd leaves too little for everything else a server and its system need.
	poolCrowd = 0.90
	// checkpointNear: InnoDB flushes in haste when the age of the checkpoint comes
	// to 7/8 of what the log holds, and stops all writers at 15/16
	// (log0log: LOG_POOL_PREFLUSH_RATIO_ASYNC, _SYNC); adaptive flushing has
	// been at its limits for long by then.
	checkpointNear = 0.75
	// historyLong: purge is behind for sure; InnoDB's own monitor and the usual
	// alarms begin between 100,000 and a million.
	historyLong = 100_000.0
	// spinFar is how many times its default a spin delay must be to be called a
	// mistake: tuned ones are within an order of magnitude.
	spinFar = 10
	// spinRounds a second, on which a delay has an effect at all: each round with
	// the default delay takes about a microsecond at most, so that this many are a
	// percent of a CPU.
	spinRounds = 10_000.0
	// opening is how many sessions at a time must be in "Opening tables": opening
	// takes microseconds, one or two are seen by chance.
	opening = 5.0
	// reopened a second: each costs a file that is opened and statistics that are
	// read, about a millisecond.
	reopened = 1.0
	// nearLimit is when a limit is near.
	nearLimit = 0.90
	// threadsMade a second: making one costs tens of microseconds and memory; a
	// few a second do not matter.
	threadsMade = 5.0
	// mostly is more than half.
	mostly = 0.5
	// tmpDisk a second and tmpDiskShare of all temporary tables: fewer are the
	// unavoidable ones, with columns that memory tables cannot hold.
	tmpDisk      = 1.0
	tmpDiskShare = 0.25
	// mergePasses a second: each writes and reads a file.
	mergePasses = 1.0
	// logged statements a second: at about ten microseconds each, one in a hundred
	// of a CPU, serialised by the log's mutex.
	logged = 1000.0
	// slowLogged is the same for the slow log, whose entries are several lines.
	slowLogged = 100.0
	// lagging is a replica that is behind by more than a hiccup, in seconds.
	lagging = 10.0
	// latchWaits that InnoDB reported on one kind of latch in the window.
	latchWaits = 3
	// queuedLooks is the share of looks in which a group of the pool had a queue.
	queuedLooks = 0.5
)
