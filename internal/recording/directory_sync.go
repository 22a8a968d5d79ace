package recording

import (
	"errors"
	"fmt"
	"time"

	"golang.org/x/sys/unix"
)

// fail ends the recording and remembers why.
func (d *Directory) fail(err error) error {
	if gone := d.gone(); gone != nil {
		err = gone
	}
	d.failure = fmt.Errorf("recording into %s stopped at %s: %w", d.path,
		d.options.Now().UTC().Format(time.RFC3339), explainDisk(err))
	return d.failure
}

// gone says that somebody removed the recording while it runs.
func (d *Directory) gone() error {
	var st unix.Stat_t
	journal := d.journal != nil && unix.Fstat(int(d.journal.file.Fd()), &st) == nil && st.Nlink == 0
	if d.root.Gone() || d.segments.Gone() || journal {
		return errGone
	}
	return nil
}

var errGone = errors.New("the directory, or a file being written in it, was removed: start the recording again")

// syncRegularly puts what was committed on the disk once a second, beside the
// sampling: a slow disk must not delay the evidence of its slowness.
func (d *Directory) syncRegularly() {
	tick := time.NewTicker(syncEvery)
	defer tick.Stop()
	for {
		select {
		case <-d.stop:
			return
		case <-tick.C:
			d.sync()
		}
	}
}

// sync looks after the directory and puts the journal on the disk.
func (d *Directory) sync() {
	d.mu.Lock()
	fd := -1
	if d.failure == nil && d.gone() != nil {
		_ = d.fail(errGone)
	}
	if d.failure == nil && d.outdated {
		if err := d.writeManifest(); err != nil {
			_ = d.fail(err)
		}
	}
	if d.dirty && d.failure == nil {
		// A descriptor of its own: the journal may be closed meanwhile.
		fd, _ = unix.FcntlInt(d.journal.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	}
	d.dirty = false
	d.mu.Unlock()
	if fd < 0 {
		return
	}
	err := unix.Fdatasync(fd)
	_ = unix.Close(fd)
	if err == nil {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch {
	case noRoom(err):
		d.note("the end of a segment may be missing: %v", err)
	case d.failure == nil:
		_ = d.fail(fmt.Errorf("flushing the journal: %w", err))
	}
}
