package recording

import (
	"slices"
	"strings"
	"time"
)

// FormatVersion is the version of the tables and of the files they lie in.
// Readers accept any version: unknown tables and columns are left out with a
// note, missing ones stay empty. Version 1 had no units in the names of columns:
// earlierName.
const FormatVersion = 2

// Manifest says whose evidence a recording holds and how it was taken.
type Manifest struct {
	Format  int         `json:"format"`
	Tool    string      `json:"tool"` // "rtrail 0.1.0"
	Host    Host        `json:"host"`
	Started time.Time   `json:"started"`
	Ended   time.Time   `json:"ended,omitzero"`
	Probes  []ProbeInfo `json:"probes"`
	// Piece counts how often the clock was set back before the running segment.
	Piece int `json:"piece,omitempty"`
	// Notes tell what happened to the recording itself: segments dropped for
	// the size limit, a torn journal cut, tables that this version ignores.
	Notes []string `json:"notes,omitempty"`
	// Runs are the earlier ones of a recording that was continued, oldest first.
	Runs []Run `json:"runs,omitempty"`
	// Unread are the stretches of time of which rows of a table could not be read. Who reads finds them:
	// they are not written.
	Unread []Unread `json:"-"`
}

// Unread is a stretch of time of which not all rows of a table could be read: its file is missing, cut or damaged.
type Unread struct {
	Table Table
	From  time.Time // the first row of the segment
	To    time.Time // that of the next one; zero: there is none
	Why   string    // names the file
}

// Run is the host as rtrail saw it until it was started again: after an upgrade or a start of
// the host, kernel, CPUs and rtrail's own process are others.
type Run struct {
	Until time.Time `json:"until"`           // the next one began
	Piece int       `json:"piece,omitempty"` // of the recording, in which it ended
	Host  Host      `json:"host"`
}

// maxRuns bounds what a recording tells of earlier runs; the newest are kept.
const maxRuns = 100

// keepRuns lists earlier runs.
func (m *Manifest) keepRuns(runs ...Run) { m.Runs = runs[max(0, len(runs)-maxRuns):] }

// hostAt is the host as the run saw it that recorded a piece up to some time; zero: to its end.
func (m *Manifest) hostAt(piece int, at time.Time) Host {
	for _, r := range m.Runs {
		if piece < r.Piece || piece == r.Piece && !at.IsZero() && !at.After(r.Until) {
			r.Host.Name = m.Host.Name // the same, or it had not been continued
			return r.Host
		}
	}
	return m.Host
}

// Host is what does not change while a machine runs.
type Host struct {
	Name          string    `json:"name"`
	Kernel        string    `json:"kernel"`
	Arch          string    `json:"arch"`
	OS            string    `json:"os"` // PRETTY_NAME of os-release
	CPUs          int       `json:"cpus"`
	MemoryBytes   int64     `json:"memory_bytes"`
	PageSize      int       `json:"page_size"`
	Boot          time.Time `json:"boot"`
	CgroupVersion string    `json:"cgroup_version"` // v1, v2, hybrid, none
	NetNS         uint64    `json:"netns"`          // rtrail's own network namespace
	PID           int       `json:"pid"`            // rtrail's own process while it recorded
	Comm          string    `json:"comm,omitempty"` // what the kernel calls that: the number alone may be another one's at another time
	Root          bool      `json:"root"`           // effective UID 0
	Container     bool      `json:"container"`      // rtrail's PID namespace is not the first one
	DelayAcct     bool      `json:"delay_accounting"`
}

// ProbeInfo is one probe and whether it could run at all.
type ProbeInfo struct {
	Name     string        `json:"name"`
	Fills    []Table       `json:"fills"`
	Interval time.Duration `json:"interval_ns"`
	Missing  string        `json:"missing,omitempty"` // why it did not run
	Remedy   string        `json:"remedy,omitempty"`  // what would make it run
	// Only lists the columns, as "disks.busy_ns", that are known of tables which the source
	// tells in part. The others are blank, which is not what was measured. Tables without a
	// column here are whole.
	Only []string `json:"only,omitempty"`
	// Once: all its rows are of one moment. They tell levels, and no rates.
	Once bool `json:"once,omitempty"`
	// Holes are the stretches of time of which it tells nothing, in order and apart from each
	// other: reports of another tool that was not running, or whose host was off.
	Holes []Hole `json:"holes,omitempty"`
}

// Hole is a stretch of time of which a source tells nothing.
type Hole struct {
	From time.Time `json:"from"` // of the last sample before it
	To   time.Time `json:"to"`
	// Counted: counters went on in it, so that a rate over it is an average. In others they stand
	// still, and no rate is taken over them.
	Counted bool `json:"counted,omitempty"`
}

// Partly says that a source tells only some columns of a table, and whether one of them is
// the one that is asked for ("busy_ns").
func (p ProbeInfo) Partly(t Table) (partly bool, tells func(column string) bool) {
	prefix := string(t) + "."
	partly = slices.ContainsFunc(p.Only, func(c string) bool { return strings.HasPrefix(c, prefix) })
	return partly, func(column string) bool { return !partly || slices.Contains(p.Only, prefix+column) }
}
