package recording

import "time"

// KernelLogLine is one line of the kernel log, from /dev/kmsg. Lines older
// than the window are recorded too, as far as they tell of the last minutes;
// whoever judges must compare Logged with the window.
type KernelLogLine struct {
	At       time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`         // when rtrail read it
	Logged   time.Time `parquet:"logged,timestamp(nanosecond)" cbor:"logged"` // when the kernel wrote it
	Sequence uint64    `parquet:"sequence" cbor:"sequence"`
	Priority int32     `parquet:"priority" cbor:"priority"` // syslog level, 0 emergency to 7 debug
	Text     string    `parquet:"text" cbor:"text"`
}

// ProbeRun is one run of one probe: what it cost and what it missed.
type ProbeRun struct {
	At       time.Time     `parquet:"at,timestamp(nanosecond)" cbor:"at"` // start
	Probe    string        `parquet:"probe,dict" cbor:"probe"`
	Duration time.Duration `parquet:"duration" cbor:"duration"`
	CPU      time.Duration `parquet:"cpu" cbor:"cpu"` // of the thread that ran it
	Rows     int64         `parquet:"rows" cbor:"rows"`
	Lost     int64         `parquet:"lost" cbor:"lost"` // rows that should have been there
	Late     bool          `parquet:"late" cbor:"late"` // over its deadline: its rows were given up
	Error    string        `parquet:"error" cbor:"error"`
}

// UnseenNote is something a probe could not see although it ran: unreadable
// files, a namespace it may not enter, an accounting that is switched off.
type UnseenNote struct {
	At    time.Time `parquet:"at,timestamp(nanosecond)" cbor:"at"`
	Probe string    `parquet:"probe,dict" cbor:"probe"`
	What  string    `parquet:"what,dict" cbor:"what"` // "I/O of processes of other users"
	Count int64     `parquet:"count" cbor:"count"`    // how many in this sample
	Why   string    `parquet:"why,dict" cbor:"why"`   // "permission denied"
	How   string    `parquet:"how,dict" cbor:"how"`   // what the user can do: "run as root"
	Of    int64     `parquet:"of" cbor:"of"`          // how many there were, seen or not; 0: not known
}

// What of notes that say why a rule which found nothing may have missed what it
// looks for.
const (
	UnseenPacketFilter = "packet filter rules"
	UnseenTransactions = "open transactions"
	UnseenSessions     = "sessions of other users"
	UnseenInnoDB       = "the inside of InnoDB"
	UnseenPoolGroups   = "groups of the thread pool"
)

func (KernelLogLine) Table() Table { return KernelLog }
func (ProbeRun) Table() Table      { return ProbeRuns }
func (UnseenNote) Table() Table    { return Unseen }

func (s KernelLogLine) Time() time.Time { return s.At }
func (s ProbeRun) Time() time.Time      { return s.At }
func (s UnseenNote) Time() time.Time    { return s.At }
