// Package probe defines how evidence gets into a recording: the interface all
// sources implement, and the runner that calls them within a budget.
package probe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"rtrail/internal/recording"
)

// Probe reads one source of evidence. Its life is Start, any number of Sample, and
// Close; the Runner leads it.
type Probe interface {
	// Name is the word users see: host, process, thread, socket...
	Name() string
	// Help says in one line what it reads and from where.
	Help() string
	// Fills lists the tables it writes.
	Fills() []recording.Table
	// Start says whether it can run here, and may open what samples read. A
	// *MissingError tells what is missing and how to get it; Start is then asked
	// again now and then, as servers come up and modules are loaded. A probe that
	// can run with less than its full sight returns nil and writes Unseen notes.
	Start() error
	// Sample reads the source once. Rows of a sample that returns an error are
	// kept: they are what could be read. ctx ends at the probe's deadline.
	Sample(ctx context.Context, w *recording.Writer) error
	// Close gives back what Start and Sample opened. It is called once, after a
	// Start that succeeded.
	Close() error
}

// Paced is implemented by probes that want another interval than the run's.
type Paced interface {
	// Interval is the wished time between two samples, given the run's.
	Interval(run time.Duration) time.Duration
}

// Bracketed is implemented by probes that do more at the edges of a window
// than in between. Before the last sample of a run the runner calls Closing.
type Bracketed interface{ Closing() }

// Unhurried is implemented by probes whose samples may take longer than Deadline, as
// they do not wait for what may never answer.
type Unhurried interface{ Deadline() time.Duration }

// Brief is implemented by probes that read files of the kernel and wait for
// nobody. They are read by one thread, one after the other: waking several
// costs more than some of them do. One that takes long in spite of that gets a
// thread of its own.
type Brief interface{ Brief() }

// MissingError says why a probe cannot run and what would let it.
type MissingError struct {
	What string // "CAP_SYSLOG", "file /dev/kmsg"
	How  string // "run as root, or grant cap_syslog: rtrail doctor says how"
	Err  error  // what was tried, may be nil
}

func (e *MissingError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("needs %s: %v", e.What, e.Err)
	}
	return "needs " + e.What
}

func (e *MissingError) Unwrap() error { return e.Err }

// Remedy returns what the user can do about err, or "".
func Remedy(err error) string {
	if m, ok := errors.AsType[*MissingError](err); ok {
		return m.How
	}
	return ""
}
