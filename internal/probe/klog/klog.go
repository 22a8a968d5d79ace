// Package klog reads the kernel log from /dev/kmsg: first what it holds of the
// last minutes, then every new line.
package klog

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
	"rtrail/internal/recording"
	"rtrail/internal/redact"
)

const (
	// history is how far the first sample looks back: far enough for a fault
	// that made somebody start rtrail, near enough to be about now.
	history = 5 * time.Minute
	// maxLines bounds one sample. What a flood has more is counted as lost.
	maxLines = 1000
	// maxRecords bounds the reads of one sample; the rest waits for the next
	// one. The first sample walks the whole ring, which holds a few thousand
	// records with the usual CONFIG_LOG_BUF_SHIFT.
	maxRecords = 50000
	// checkEvery is how many records are read between two looks at the deadline.
	checkEvery = 256
)

// Probe reads the kernel log.
type Probe struct {
	open   func() (source, error)
	clocks func() (wall time.Time, monotonic time.Duration)

	log      source
	buf      []byte
	begun    bool      // the records that were there at the start have been read
	next     uint64    // the sequence number that should come next
	lastRead time.Time // when there was nothing more to read
}

var _ probe.Probe = (*Probe)(nil)

// New makes the probe "klog".
func New() *Probe { return &Probe{open: openDevice, clocks: clocks} }

// Name is "klog".
func (p *Probe) Name() string { return "klog" }

// Brief says that samples wait for nobody.
func (p *Probe) Brief() {}

// Help says what the probe reads.
func (p *Probe) Help() string {
	return "the kernel's messages of the last minutes and new ones, from /dev/kmsg"
}

// Fills lists the tables.
func (p *Probe) Fills() []recording.Table { return []recording.Table{recording.KernelLog} }

// Start opens the log and reads nothing.
func (p *Probe) Start() error {
	log, err := p.open()
	if err != nil {
		return err
	}
	p.log = log
	// The largest record is PRINTK_MESSAGE_MAX, 2 KiB; older kernels had 8.
	p.buf = make([]byte, 16<<10)
	return nil
}

// Close gives the log back.
func (p *Probe) Close() error {
	if p.log == nil {
		return nil
	}
	err := p.log.Close()
	p.log = nil
	return err
}

// Sample reads what is new. Records that the kernel overwrote before they
// could be read, and those above the bound of a sample, count as lost.
func (p *Probe) Sample(ctx context.Context, w *recording.Writer) error {
	if p.log == nil { // the last sample could not read it
		if err := p.Start(); err != nil {
			return err
		}
	}
	wall, monotonic := p.clocks()
	c := collector{
		at: wall, boot: wall.Add(-monotonic), latest: wall, first: !p.begun,
		earliest: p.lastRead, lost: w.Lost,
	}
	if c.first {
		// What is there already was logged before the window.
		c.latest, c.earliest = w.Started.Add(-time.Nanosecond), time.Time{}
	}
	err := p.drain(ctx, &c)
	recording.Append(w, c.lines...)
	return err
}

// drain reads until nothing is left.
func (p *Probe) drain(ctx context.Context, c *collector) error {
	for n := range maxRecords {
		if n%checkEvery == checkEvery-1 && ctx.Err() != nil {
			return fmt.Errorf("stop reading the kernel log after %d records: %w", n, ctx.Err())
		}
		size, err := p.log.Read(p.buf)
		switch {
		case errors.Is(err, unix.EAGAIN):
			p.begun, p.lastRead = true, c.at
			return nil
		case errors.Is(err, unix.EINTR), errors.Is(err, unix.EPIPE):
			continue // overwritten ones show as a gap in the sequence
		case err != nil:
			p.log.Close()
			p.log = nil
			return fmt.Errorf("read %s: %w", devicePath, err)
		case size == 0:
			p.begun, p.lastRead = true, c.at
			return nil
		}
		r, err := parseRecord(p.buf[:size])
		if err != nil {
			c.lost(1)
			continue
		}
		if r.sequence < p.next {
			continue // read again after the log was reopened
		}
		if p.next != 0 && r.sequence > p.next {
			c.lost(int(min(r.sequence-p.next, 1<<31-1)))
		}
		p.next = r.sequence + 1
		c.add(r)
	}
	return nil
}

// collector turns the records of one sample into rows.
type collector struct {
	at               time.Time
	boot             time.Time // the wall clock's time when the kernel's clock was 0
	earliest, latest time.Time // when the records can have been logged
	first            bool
	lost             func(int)
	lines            []recording.KernelLogLine
}

func (c *collector) add(r record) {
	// Other facilities are programs that write to /dev/kmsg, as systemd does:
	// their words prove nothing about the kernel.
	if r.facility != 0 {
		return
	}
	if n := len(c.lines); r.fragment && n > 0 && c.lines[n-1].Sequence+1 == r.sequence && len(c.lines[n-1].Text) <= maxText {
		c.lines[n-1].Text = withoutSecrets(c.lines[n-1].Text + r.text) // one may begin in one part and end in the next
		c.lines[n-1].Sequence = r.sequence
		return
	}
	logged := c.logged(r.since)
	if c.first {
		if c.at.Sub(logged) > history {
			return
		}
		if len(c.lines) == maxLines { // the newest are worth more
			copy(c.lines, c.lines[1:])
			c.lines = c.lines[:maxLines-1]
			c.lost(1)
		}
	} else if len(c.lines) == maxLines {
		c.lost(1)
		return
	}
	// Secrets are looked for only in what is kept: most of the ring is older.
	c.lines = append(c.lines, recording.KernelLogLine{
		At: c.at, Logged: logged, Sequence: r.sequence, Text: withoutSecrets(r.text),
	})
}

// logged turns the kernel's time of a record into the wall clock's. The log is
// stamped by the scheduler's clock (local_clock), which nobody adjusts: after
// weeks it may be seconds to minutes off the monotonic clock, and like that one
// it stands still while the machine sleeps. What is known for certain, between
// which two reads the record came, bounds the error.
func (c *collector) logged(since time.Duration) time.Time {
	t := c.boot.Add(since)
	if t.After(c.latest) {
		t = c.latest
	}
	if t.Before(c.earliest) {
		t = c.earliest
	}
	return t
}

// withoutSecrets is a line without them. Without auditd the kernel logs its audit
// records, in which command lines and what was typed stand in hexadecimal or one
// argument after the other: of those only the beginning is kept.
func withoutSecrets(text string) string {
	if strings.HasPrefix(text, "audit: ") {
		for _, typed := range auditTexts {
			if at := strings.Index(text, typed); at >= 0 {
				return text[:at+len(typed)] + redact.Mask
			}
		}
	}
	return redact.Text(text)
}

// auditTexts are the fields from which on audit records hold command lines, input
// of terminals and messages of programs (linux/audit.h: EXECVE, PROCTITLE, TTY,
// USER_CMD, USER).
var auditTexts = []string{" a0=", " proctitle=", " data=", " cmd=", " msg="}
