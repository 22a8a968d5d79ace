package audit

import (
	"rtrail/internal/rule"
	"rtrail/internal/unit"
)

// redoSettings are the redo log, durability, and how pages get to the disk.
// Settings that trade durability for speed have no advice: what may be lost is
// for people to decide.
var redoSettings = []Setting{
	{
		Name: "innodb_redo_log_capacity", Topic: Redo, Only: "MySQL", Unit: Bytes, Apply: Dynamic,
		Why:  "when the log is full of changes whose pages are not on disk yet, all writers wait until some are",
		Cost: "disk space, and a longer recovery after a crash", Advise: adviseRedo,
	},
	{
		Name: "innodb_log_file_size", Topic: Redo, Unit: Bytes, Apply: Mixed,
		Why:  "when the log is full of changes whose pages are not on disk yet, all writers wait until some are",
		Cost: "disk space, and a longer recovery after a crash", Advise: adviseRedo,
	},
	{
		Name: "innodb_log_files_in_group", Topic: Redo, Apply: Restart,
		Why:  "the redo log holds this many times innodb_log_file_size",
		Cost: "as for innodb_log_file_size",
	},
	{
		Name: "innodb_log_buffer_size", Topic: Redo, Unit: Bytes, Apply: Mixed,
		Why:  "a transaction that changes more than fits waits until the buffer is written",
		Cost: "memory", Advise: adviseLogBuffer,
	},
	{
		Name: "innodb_flush_log_at_trx_commit", Topic: Redo, Apply: Dynamic,
		Why:  "1: every commit waits for the disk. 2 and 0: once a second; at few threads commits are that much faster",
		Cost: "2 loses up to a second of commits when the host dies, 0 also when the server does",
	},
	{
		Name: "sync_binlog", Topic: Redo, Apply: Dynamic,
		Why:  "1: every group of commits waits for the disk a second time, for the binary log. 0: the OS decides when to flush",
		Cost: "commits that are missing on replicas after a crash of the host; bursts of writes",
	},
	{
		Name: "innodb_flush_method", Topic: Redo, Apply: Restart,
		Why:  "without O_DIRECT pages are in the page cache as well as in the buffer pool, and writes wait for it",
		Cost: "O_DIRECT makes a small pool slower, since reads lose the page cache",
	},
	{
		Name: "innodb_doublewrite", Topic: Redo, Apply: Restart,
		Why:  "every page is written twice, so that a torn one can be repaired",
		Cost: "off: a crash in the middle of a write destroys the page, unless the file system never tears 16 KiB",
	},
	{
		Name: "innodb_log_writer_threads", Topic: Redo, Only: "MySQL", Apply: Dynamic,
		Why:  "threads of their own write the log: better with many writers, worse with few",
		Cost: "CPU time and one more hand-over per commit",
	},
	{
		Name: "innodb_io_capacity", Topic: IO, Apply: Dynamic,
		Why:  "how many pages a second InnoDB flushes in the background; too few, and statements have to wait for free pages",
		Cost: "pages that change often are written more often; a disk that cannot do as much gets slow for all",
		With: []string{"innodb_io_capacity_max"}, Advise: adviseIOCapacity,
	},
	{
		Name: "innodb_io_capacity_max", Topic: IO, Apply: Dynamic, Auto: "twice innodb_io_capacity, if only that is set",
		Why:  "how far flushing may go when it is behind",
		Cost: "as for innodb_io_capacity",
	},
	{
		Name: "innodb_max_dirty_pages_pct", Topic: IO, Apply: Dynamic,
		Why:  "beyond this share of changed pages InnoDB flushes as fast as it may",
		Cost: "lower: more writes; higher: longer shutdown and recovery",
	},
	{
		Name: "innodb_max_dirty_pages_pct_lwm", Topic: IO, Apply: Dynamic,
		Why:  "from this share of changed pages on InnoDB flushes before it must",
		Cost: "more writes in exchange for fewer bursts",
	},
	{
		Name: "innodb_lru_scan_depth", Topic: IO, Apply: Dynamic,
		Why:  "how many pages each instance of the pool keeps free for reads to come",
		Cost: "too many: the page cleaner does nothing else",
	},
	{
		Name: "innodb_page_cleaners", Topic: IO, Only: "MySQL", Apply: Restart, Auto: "as many as pool instances",
		Why:  "threads that flush; one cannot keep several instances clean",
		Cost: "none known up to the number of instances",
	},
	{
		Name: "innodb_flush_neighbors", Topic: IO, Apply: Dynamic,
		Why:  "writes pages beside the one that must be written: good for turning disks, wasted on flash",
		Cost: "0 on a turning disk: more seeks",
	},
	{
		Name: "innodb_read_io_threads", Topic: IO, Apply: Mixed,
		Why:  "how many reads ahead are worked on at a time",
		Cost: "threads; statements read their own pages themselves",
	},
	{
		Name: "innodb_write_io_threads", Topic: IO, Apply: Mixed,
		Why:  "how many flushed pages are worked on at a time",
		Cost: "threads",
	},
	{
		Name: "innodb_use_native_aio", Topic: IO, Apply: Restart,
		Why:  "without it a thread waits for each write of a page; the server turns it off, with a line in the error log, where the kernel refuses (fs.aio-max-nr)",
		Cost: "none",
	},
}

// redoCapacity is how many bytes the redo log holds.
func (f *Facts) redoCapacity() float64 {
	if n, ok := f.int("innodb_redo_log_capacity"); ok {
		return float64(n)
	}
	size, ok := f.int("innodb_log_file_size")
	if !ok {
		return 0
	}
	files, ok := f.int("innodb_log_files_in_group")
	if !ok || f.server.MariaDB() && f.server.AtLeast(10, 5) {
		files = 1 // there is one file since
	}
	return float64(size) * float64(files)
}

func adviseRedo(f *Facts, _ Value) *Advice {
	capacity := f.redoCapacity()
	rows := f.server.InnoDB()
	most, grew, seconds := 0.0, 0.0, 0.0
	for i, r := range rows {
		if r.LSN <= 0 || r.Checkpoint <= 0 {
			continue
		}
		most = max(most, float64(r.LSN-r.Checkpoint))
		if i > 0 && r.LSN >= rows[0].LSN && rows[0].LSN > 0 {
			grew, seconds = float64(r.LSN-rows[0].LSN), r.At.Sub(rows[0].At).Seconds()
		}
	}
	if capacity <= 0 || most < checkpointNear*capacity || grew <= 0 {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "so much that an hour of writes fits, or what recovery may take allows", Sure: rule.Likely,
		Evidence: []rule.Text{
			rule.T("up to %s of the log's %s were changes not on disk yet: at 7/8 InnoDB flushes in haste, at 15/16 writers stop",
				unit.Share(most/capacity), unit.Bytes(capacity)),
			rule.T("%s of log were written a second: it holds %s", unit.Bytes(grew/seconds), unit.Seconds(capacity/(grew/seconds))),
		},
	}
}

func adviseLogBuffer(f *Facts, _ Value) *Advice {
	waits := f.grown("Innodb_log_waits")
	if waits <= 0 {
		return nil
	}
	return &Advice{
		Direction: Raise, To: "until Innodb_log_waits stays as it is", Sure: rule.Certain,
		Evidence: []rule.Text{rule.T("threads waited for room in the log buffer: %s", f.times(waits))},
	}
}

func adviseIOCapacity(f *Facts, _ Value) *Advice {
	waits := f.grown("Innodb_buffer_pool_wait_free")
	if waits <= 0 || f.host && f.busy.IOWait > 0.3 { // a disk that is busy gets no faster by more writes
		return nil
	}
	a := &Advice{
		Direction: Raise, To: "what the disk can do beside its reads", Sure: rule.Possible,
		Evidence: []rule.Text{rule.T("threads waited for a free page: %s", f.times(waits))},
		Pushes:   map[string]Direction{"innodb_io_capacity_max": Raise},
	}
	if f.host {
		a.Sure = rule.Likely
		a.Evidence = append(a.Evidence, rule.T("while the CPUs waited for disks %s of the time only", unit.Share(f.busy.IOWait)))
	}
	return a
}
