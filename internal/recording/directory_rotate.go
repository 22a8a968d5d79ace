package recording

import (
	"context"
	"errors"
	"io/fs"
	"time"
)

// endedJournal is a journal that is complete and no segment yet.
type endedJournal struct {
	id    segmentID
	began time.Time
	bytes int64
}

func (d *Directory) segmentFull() bool {
	j := d.journal
	return j != nil && !j.empty() && (d.options.Elapsed()-d.began >= d.options.SegmentLength ||
		j.rows >= maxSegmentRows || j.texts.bytes >= maxSegmentTextBytes || j.size >= d.share)
}

// rotate begins a new segment and has the last one sealed beside.
func (d *Directory) rotate() error {
	if err := d.endJournal(); err != nil {
		return err
	}
	return d.reopen()
}

// endJournal ends the running segment.
func (d *Directory) endJournal() error {
	err := d.journal.close()
	if noRoom(err) {
		d.note("the end of a segment may be missing: %v", err)
		err = nil
	}
	d.ended = &endedJournal{id: d.next, began: d.options.Now(), bytes: d.journal.size}
	d.next.number++
	d.journal, d.dirty = nil, false
	return err
}

// reopen begins a new segment, if need be in the place of the oldest ones. No
// room for it is no error.
func (d *Directory) reopen() error {
	for {
		err := d.clearWay()
		if err == nil {
			err = d.newJournal()
		}
		if !noRoom(err) {
			return err
		}
		if !d.dropForRoom() {
			d.retryAt = d.options.Elapsed() + syncEvery
			return nil
		}
	}
}

// clearWay makes a segment of the journal that ended, to be sealed.
func (d *Directory) clearWay() error {
	if d.ended == nil {
		return nil
	}
	name, err := d.moveJournal(d.ended.id, d.ended.began)
	if err != nil {
		return err
	}
	d.sealed += d.ended.bytes
	d.ended = nil
	d.pending = append(d.pending, name)
	d.workers.Go(func() { d.seal(name) })
	return nil
}

// moveJournal gives the journal a segment's folder, named by its first row. One
// without a sample that tells its time is named by the time given.
func (d *Directory) moveJournal(id segmentID, otherwise time.Time) (name string, err error) {
	id.start = otherwise
	if f, err := d.root.Open(journalFile); err == nil {
		if at := firstMoment(context.Background(), f); !at.IsZero() {
			id.start = at
		}
		f.Close()
	}
	if _, ok := parseSegment(id.String()); !ok { // no version writes such a year
		id.start = d.options.Now()
	}
	name = id.String()
	folder, err := d.segments.Mkdir(name, folderMode)
	if errors.Is(err, fs.ErrExist) { // left empty for want of room
		folder, err = d.segments.Sub(name)
	}
	if err != nil {
		return "", err
	}
	defer folder.Close()
	if err := d.root.Rename(journalFile, folder, journalFile); err != nil {
		return "", errors.Join(err, d.segments.RemoveDir(name))
	}
	return name, errors.Join(folder.Sync(), d.segments.Sync(), d.root.Sync())
}

func (d *Directory) newJournal() error {
	f, err := d.root.Create(journalFile, fileMode)
	if err != nil {
		return err
	}
	j, err := createJournal(f)
	if err != nil {
		return errors.Join(err, f.Close(), d.root.Remove(journalFile))
	}
	d.journal, d.began, d.share = j, d.options.Elapsed(), d.journalLimit()
	return nil
}

// closeSegment seals the last segment. Where there is no room for that, its
// journal stays and is read instead.
func (d *Directory) closeSegment() error {
	if d.journal != nil && d.journal.empty() {
		err := errors.Join(d.journal.close(), d.root.Remove(journalFile))
		d.journal = nil
		return err
	}
	if d.journal != nil {
		if err := d.endJournal(); err != nil {
			return err
		}
	}
	if d.ended == nil {
		return nil
	}
	name, err := d.moveJournal(d.ended.id, d.ended.began)
	if err == nil {
		d.ended = nil
		notes, _ := d.sealNamed(name)
		d.manifest.keep(notes...)
	}
	d.sealed = d.sealedBytes()
	if noRoom(err) {
		return nil
	}
	return err
}
