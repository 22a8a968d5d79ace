package recording

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// begin opens the directory and everything in it that the recording needs.
func (d *Directory) begin() error {
	var err error
	if d.root, err = safefile.MakeDir(d.path, folderMode); err != nil {
		return err
	}
	if os.Geteuid() == 0 && d.root.OthersAdd() {
		return errors.New("all users may write there: choose a directory of root, such as one in /var/log")
	}
	if err := unix.Flock(int(d.root.File().Fd()), unix.LOCK_EX|unix.LOCK_NB); errors.Is(err, unix.EWOULDBLOCK) {
		return errors.New("another rtrail is recording there: stop it, or choose another folder")
	} else if err != nil {
		return err
	}
	before, err := d.takeOver()
	if err != nil {
		return err
	}
	if err := d.openSegments(); err != nil {
		return err
	}
	if err := d.sealLeftovers(before); err != nil {
		return err
	}
	if err := d.newJournal(); err != nil {
		return err
	}
	return d.writeManifest()
}

// takeOver looks at what lies in the directory: nothing, or an earlier
// recording that is then continued.
func (d *Directory) takeOver() (before Manifest, err error) {
	names, err := d.root.Names()
	if err != nil {
		return before, err
	}
	others := foreign(names)
	f, err := d.root.Open(manifestFile)
	if errors.Is(err, fs.ErrNotExist) {
		return before, d.leaveAlone(others, false)
	}
	if err != nil {
		return before, err
	}
	defer f.Close()
	data, err := safefile.ReadAll(f, maxManifestBytes)
	if err == nil {
		before, err = parseManifest(data)
	}
	if err != nil {
		return before, fmt.Errorf("%w; choose another folder", err)
	}
	switch {
	case before.Format > FormatVersion:
		return before, fmt.Errorf("a newer rtrail (%s) recorded there: update rtrail, or choose another folder", clip(before.Tool))
	case before.Host.Name != d.manifest.Host.Name:
		return before, fmt.Errorf("it holds a recording of %s: choose another folder", clip(before.Host.Name))
	}
	note := "recording went on at " + d.manifest.Started.UTC().Format(time.RFC3339)
	d.manifest.keepRuns(append(before.Runs, Run{Until: d.manifest.Started, Piece: before.Piece, Host: before.Host})...)
	d.manifest.Started = before.Started
	d.manifest.Notes = before.Notes
	d.manifest.keep(note)
	return before, d.leaveAlone(others, true)
}

func (d *Directory) openSegments() (err error) {
	d.segments, err = d.root.Sub(segmentsFolder)
	if errors.Is(err, fs.ErrNotExist) {
		d.segments, err = d.root.Mkdir(segmentsFolder, folderMode)
	}
	return err
}

// maxSealing is how long journals that were left behind may delay the first
// sample. The rest is sealed after the first segment of this run.
const maxSealing = 20 * time.Second

// sealLeftovers makes segments of the journals that an ended or killed run
// left behind.
func (d *Directory) sealLeftovers(before Manifest) error {
	latest := before.Ended
	d.next = segmentID{number: 1, piece: before.Piece}
	if have := d.list(); len(have) > 0 {
		last := have[len(have)-1]
		d.next.number = last.number + 1
		d.next.piece = max(last.piece, before.Piece)
		latest = later(latest, last.start)
	}
	switch f, err := d.root.Open(journalFile); {
	case err == nil:
		latest = later(latest, lastMoment(context.Background(), f))
		f.Close()
		if _, err := d.moveJournal(d.next, d.root.Modified(journalFile)); err != nil {
			return err
		}
		d.next.number++
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if n := len(d.manifest.Runs); n > 0 { // the clock may have been set back
		d.manifest.Runs[n-1].Until = later(d.manifest.Runs[n-1].Until, latest)
	}
	if now := d.options.Now(); now.Before(latest.Add(-time.Second)) {
		d.setBack(latest.Sub(now), now)
	}
	if max(d.next.number, d.next.piece) > maxNumber/2 { // none that we counted up to
		return errors.New("the names of its segments leave no number for another one: choose another folder")
	}
	began := time.Now()
	for _, id := range d.list() {
		if time.Since(began) > maxSealing {
			d.unsealed = append(d.unsealed, id.String())
			continue
		}
		notes, _ := d.sealNamed(id.String()) // without room it stays a journal
		d.manifest.keep(notes...)
	}
	d.sealed = d.sealedBytes()
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
