package recording

import "time"

// KernelLogLine is one line of the kernel log, from /dev/kmsg. Lines older
// than the window are recorded too, as far as they are of the last minutes;
// whoever judges must compare Logged with the window.
type KernelLogLine struct {
	At       time.Time `parquet:"at,timestamp(nanosecond)"`     // when rtrail read it
	Logged   time.Time `parquet:"logged,timestamp(nanosecond)"` // when the kernel wrote it
	Sequence uint64    `parquet:"sequence"`
	Text     string    `parquet:"text"`
}

// ProbeRun is one run of one probe: what it cost and what it missed.
type ProbeRun struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)"` // start
	Probe    string        `parquet:"probe,dict"`
	Duration time.Duration `parquet:"duration_ns"`
	CPU      time.Duration `parquet:"cpu_ns"` // of the thread that ran it
	Rows     int64         `parquet:"rows"`
	Lost     int64         `parquet:"lost"` // rows that should have been there
	Late     bool          `parquet:"late"` // over its deadline: its rows were given up
	Error    string        `parquet:"error"`
}

// TableLoss is how many rows of one table a run of a probe should have read and did not. They
// are part of what its row in probe_runs lost, the rest of which may be of any table.
type TableLoss struct {
	At      time.Time `parquet:"at,timestamp(nanosecond)"` // start of the run
	Probe   string    `parquet:"probe,dict"`
	TableOf string    `parquet:"table,dict"` // table of the rows
	Lost    int64     `parquet:"lost"`       // lost rows
}

// UnseenNote is something a probe could not see although it ran: unreadable
// files, a namespace it may not enter, an accounting that is switched off.
type UnseenNote struct {
	At    time.Time `parquet:"at,timestamp(nanosecond)"`
	Probe string    `parquet:"probe,dict"`
	What  string    `parquet:"what,dict"` // "I/O of processes of other users"
	Count int64     `parquet:"count"`     // how many in this sample
	Why   string    `parquet:"why,dict"`  // "permission denied"
	How   string    `parquet:"how,dict"`  // what the user can do: "run as root"
	Of    int64     `parquet:"of"`        // how many there were, seen or not; 0: not known
}

// Sight is what of notes by which rules know that they are blind: a rule that found
// nothing may have missed what it looks for.
type Sight string

// Sights that rules need, as notes name them.
const (
	UnseenPacketFilter Sight = "packet filter rules"
	UnseenTransactions Sight = "open transactions"
	UnseenSessions     Sight = "sessions of other users"
	UnseenInnoDB       Sight = "the inside of InnoDB"
	UnseenPoolGroups   Sight = "groups of the thread pool"
	UnseenSyscalls     Sight = "system calls of threads of other users"
	UnseenKernelLog    Sight = "a part of the kernel log"
)

func (KernelLogLine) Table() Table { return KernelLog }
func (ProbeRun) Table() Table      { return ProbeRuns }
func (TableLoss) Table() Table     { return TableLosses }
func (UnseenNote) Table() Table    { return Unseen }
