package recording

import (
	"errors"
	"fmt"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// noRoom says that a filesystem is full, or the quota of the user on it.
func noRoom(err error) bool { return errors.Is(err, unix.ENOSPC) || errors.Is(err, unix.EDQUOT) }

// explainDisk says what can be done about what filesystems refuse.
func explainDisk(err error) error {
	switch {
	case errors.Is(err, unix.ENOSPC):
		return fmt.Errorf("%w: free some space, or limit the recording with --max-size", err)
	case errors.Is(err, unix.EDQUOT):
		return fmt.Errorf("%w: raise the quota, or limit the recording with --max-size", err)
	}
	return err
}

// write appends a sample, if need be in the place of the oldest segments.
func (d *Directory) write(tables map[Table]rows, now time.Time) error {
	if d.journal == nil && d.options.Elapsed() >= d.retryAt {
		if err := d.reopen(); err != nil {
			return err
		}
	}
	if d.journal == nil {
		d.lost.add(now)
		return nil
	}
	err := d.journal.append(tables)
	for noRoom(err) && d.dropForRoom() {
		err = d.journal.put()
	}
	switch {
	case err == nil:
		d.dirty = true
		if d.lost.end() {
			return d.writeManifest()
		}
		return nil
	case !noRoom(err):
		return err
	}
	// Samples are differences to the one before: without this one the segment
	// cannot go on.
	d.lost.add(now)
	d.retryAt = d.options.Elapsed() + syncEvery
	if d.journal.empty() {
		err := errors.Join(d.journal.close(), d.root.Remove(journalFile))
		d.journal, d.dirty = nil, false
		if noRoom(err) {
			return nil
		}
		return err
	}
	return d.endJournal()
}

// journalLimit is how many bytes the next segment may take.
func (d *Directory) journalLimit() int64 {
	room := int64(math.MaxInt64)
	var fs unix.Statfs_t
	if unix.Fstatfs(int(d.root.File().Fd()), &fs) == nil {
		room = d.sealed + int64(min(fs.Bavail*uint64(fs.Bsize), math.MaxInt64/2))
	}
	if d.options.MaxSize > 0 {
		room = min(room, d.options.MaxSize)
	}
	return min(max(room/journalShare, minJournal), maxJournal)
}

// dropOldest removes whole segments until the recording, with room to seal
// the running one, fits its limit.
func (d *Directory) dropOldest() {
	over := func() bool { return d.sealed+2*d.running()+sealReserve > d.options.MaxSize }
	if d.options.MaxSize <= 0 || !over() {
		return
	}
	for have := d.list(); len(have) > 1+len(d.pending) && over(); have = have[1:] {
		if d.drop(have[0], have[1].start) {
			d.dropped.forLimit++
		}
	}
}

// dropForRoom removes the oldest segment of a full disk; false: there is none.
func (d *Directory) dropForRoom() bool {
	for have := d.list(); len(have) > len(d.pending); have = have[1:] {
		until := d.options.Now()
		if len(have) > 1 {
			until = have[1].start
		}
		if d.drop(have[0], until) {
			d.dropped.forRoom++
			return true
		}
	}
	return false
}

// drop removes a segment; false: it cannot be removed, as what only has the name
// of one, or holds a mounted filesystem.
func (d *Directory) drop(id segmentID, until time.Time) bool {
	name := id.String()
	folder, err := d.segments.Sub(name)
	if err != nil {
		return false
	}
	size := segmentBytes(folder)
	folder.Close()
	if d.segments.RemoveTree(name) != nil {
		return false
	}
	d.unsealed = without(d.unsealed, name)
	d.sealed -= size
	d.dropped.until = until
	return true
}

// dropped counts the segments that made room for newer ones.
type dropped struct {
	forLimit int // the limit that was set
	forRoom  int // of the disk
	until    time.Time
}

func (d dropped) notes(limit int64) (notes []string) {
	until := d.until.UTC().Format(time.RFC3339)
	if d.forLimit > 0 {
		notes = append(notes, fmt.Sprintf("%d segments before %s were dropped: the limit is %d bytes", d.forLimit, until, limit))
	}
	if d.forRoom > 0 {
		notes = append(notes, fmt.Sprintf("%d segments before %s were dropped: the disk was full", d.forRoom, until))
	}
	return notes
}

// lost counts the samples for which there was no room.
type lost struct {
	gaps    []gap
	waiting bool // the last gap has not ended
	more    int  // samples in gaps that are not listed
}

// gap is a time in which samples were lost.
type gap struct {
	from, to time.Time
	samples  int
}

// maxGaps is how many gaps are listed.
const maxGaps = 100

func (l *lost) add(at time.Time) {
	switch {
	case l.waiting && l.more == 0:
		g := &l.gaps[len(l.gaps)-1]
		g.to = at
		g.samples++
	case len(l.gaps) < maxGaps:
		l.gaps = append(l.gaps, gap{at, at, 1})
	default:
		l.more++
	}
	l.waiting = true
}

// end says whether a gap has ended just now.
func (l *lost) end() bool {
	ended := l.waiting
	l.waiting = false
	return ended
}

func (l *lost) notes() (notes []string) {
	for _, g := range l.gaps {
		notes = append(notes, fmt.Sprintf("%d samples from %s to %s are lost: the disk was full", g.samples,
			g.from.UTC().Format(time.RFC3339), g.to.UTC().Format(time.RFC3339)))
	}
	if l.more > 0 {
		notes = append(notes, fmt.Sprintf("%d more samples are lost: the disk was full", l.more))
	}
	return notes
}

// Lost is how many samples there was no room for.
func (d *Directory) Lost() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.lost.more
	for _, g := range d.lost.gaps {
		n += g.samples
	}
	return n
}
