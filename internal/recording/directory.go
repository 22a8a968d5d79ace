package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Options of a recording on disk.
type Options struct {
	// MaxSize is how many bytes the recording may take; the oldest segments go
	// first. 0: no limit; the least is SmallestMaxSize.
	MaxSize int64
	// SegmentLength is the time in one segment; 0: ten minutes.
	SegmentLength time.Duration
	// Now is the clock; nil: time.Now.
	Now func() time.Time
}

const (
	// defaultSegment is long enough that what repeats is written once for many
	// samples, and short enough to drop and to load one by one.
	defaultSegment = 10 * time.Minute
	// syncEvery is how much a power cut may cost.
	syncEvery = time.Second
	// A segment ends early when sealing it would take much memory: rows take
	// some 15 bytes each then, texts their length.
	maxSegmentRows      = 4 << 20
	maxSegmentTextBytes = 16 << 20
	// journalShare is the part of MaxSize the running segment may fill: the
	// rest holds it a second time while it is sealed, and what is older.
	journalShare = 4
	// sealReserve is what a segment's tables may take beyond the journal they
	// are made of: headers and statistics of some 30 files.
	sealReserve = 512 << 10
	// SmallestMaxSize leaves room for a few segments.
	SmallestMaxSize = 4 << 20
)

// Directory is a recording on disk that is being written. It is a Sink.
type Directory struct {
	path    string
	options Options
	lock    *os.File
	stop    chan struct{}
	workers sync.WaitGroup
	sealing sync.Mutex // one segment at a time

	mu       sync.Mutex
	manifest Manifest
	journal  *journalWriter
	began    time.Time // of the running segment
	sealed   int64     // bytes in segments
	unsealed int       // segments that wait to be sealed
	dropped  int
	until    time.Time // end of what was dropped
	dirty    bool      // journal has bytes that may not be on the disk
	failure  error     // ends the recording
}

// Create begins a recording in a directory, which is made if need be, or goes
// on with one of the same host that lies there. The directory must hold
// nothing else, and nobody else may be recording into it.
func Create(path string, m Manifest, o Options) (*Directory, error) {
	if o.MaxSize > 0 && o.MaxSize < SmallestMaxSize {
		return nil, fmt.Errorf("recording into %s: a limit of %d bytes is too small: give at least %d", path, o.MaxSize, SmallestMaxSize)
	}
	if o.SegmentLength <= 0 {
		o.SegmentLength = defaultSegment
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	d := &Directory{path: path, options: o, manifest: m, stop: make(chan struct{})}
	d.manifest.Format = FormatVersion
	if d.manifest.Started.IsZero() {
		d.manifest.Started = o.Now()
	}
	if err := d.begin(); err != nil {
		if d.lock != nil {
			d.lock.Close()
		}
		return nil, fmt.Errorf("recording into %s: %w", path, explainDisk(err))
	}
	d.workers.Go(d.syncRegularly)
	return d, nil
}

func (d *Directory) begin() error {
	if err := os.MkdirAll(d.path, 0o750); err != nil {
		return err
	}
	var err error
	if d.lock, err = os.Open(d.path); err != nil {
		return err
	}
	if err := unix.Flock(int(d.lock.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		return errors.New("another rtrail is recording there: stop it, or choose another folder")
	}
	if err := d.takeOver(); err != nil {
		return err
	}
	if err := d.sealLeftovers(); err != nil {
		return err
	}
	if err := d.newJournal(); err != nil {
		return err
	}
	return d.writeManifest()
}

// takeOver looks at what lies in the directory: nothing, or an earlier
// recording that is then continued.
func (d *Directory) takeOver() error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := strings.TrimSuffix(e.Name(), partialSuffix); name {
		case segmentsFolder, manifestFile, journalFile:
		default:
			return fmt.Errorf("%s lies there, which is no part of a recording: choose an empty or a new folder", clip(e.Name()))
		}
	}
	before, err := os.ReadFile(filepath.Join(d.path, manifestFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	var m Manifest
	if err := json.Unmarshal(before, &m); err != nil {
		return fmt.Errorf("%s is damaged: %w; choose another folder", manifestFile, err)
	}
	switch {
	case m.Format > FormatVersion:
		return fmt.Errorf("a newer rtrail (%s) recorded there: update rtrail, or choose another folder", clip(m.Tool))
	case m.Host.Name != d.manifest.Host.Name:
		return fmt.Errorf("it holds a recording of %s: choose another folder", clip(m.Host.Name))
	}
	note := "recording went on at " + d.manifest.Started.UTC().Format(time.RFC3339)
	d.manifest.Started = m.Started
	d.manifest.Notes = append(m.Notes, note)
	return nil
}

// sealLeftovers makes segments of the journals that an ended or killed run
// left behind.
func (d *Directory) sealLeftovers() error {
	if err := os.MkdirAll(filepath.Join(d.path, segmentsFolder), 0o750); err != nil {
		return err
	}
	journal := filepath.Join(d.path, journalFile)
	if info, err := os.Stat(journal); err == nil {
		if _, err := d.moveJournal(info.ModTime()); err != nil {
			return err
		}
	}
	for _, name := range d.segments() {
		folder := filepath.Join(d.path, segmentsFolder, name)
		if _, err := os.Stat(filepath.Join(folder, journalFile)); err != nil {
			continue
		}
		notes, err := sealSegment(folder)
		if err != nil {
			return err
		}
		d.manifest.Notes = append(d.manifest.Notes, notes...)
	}
	d.sealed = folderBytes(filepath.Join(d.path, segmentsFolder))
	return nil
}

// moveJournal gives the running journal a segment's folder. A journal without
// a sample that tells its time is named by the time given.
func (d *Directory) moveJournal(otherwise time.Time) (folder string, err error) {
	journal := filepath.Join(d.path, journalFile)
	start := otherwise
	if f, err := os.Open(journal); err == nil {
		if at := firstMoment(context.Background(), f); !at.IsZero() {
			start = at
		}
		f.Close()
	}
	for ; ; start = start.Add(1) {
		folder = filepath.Join(d.path, segmentsFolder, segmentName(start))
		err := os.Mkdir(folder, 0o750)
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrExist) {
			return "", err
		}
	}
	if err := os.Rename(journal, filepath.Join(folder, journalFile)); err != nil {
		return "", err
	}
	return folder, errors.Join(syncFolder(folder), syncFolder(d.path))
}

func (d *Directory) newJournal() (err error) {
	d.began = d.options.Now()
	d.journal, err = createJournal(filepath.Join(d.path, journalFile))
	return err
}

// Commit appends a sample. After an error, as that of a full disk, the
// recording has ended: what was committed before is kept and readable.
func (d *Directory) Commit(w *Writer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return d.failure
	}
	if len(w.tables) == 0 {
		return nil
	}
	if err := d.journal.append(w.tables); err != nil {
		return d.fail(err)
	}
	w.tables = nil
	d.dirty = true
	if d.segmentFull() {
		if err := d.rotate(); err != nil {
			return d.fail(err)
		}
	}
	d.dropOldest()
	return nil
}

func (d *Directory) segmentFull() bool {
	j := d.journal
	return d.options.Now().Sub(d.began) >= d.options.SegmentLength ||
		j.rows >= maxSegmentRows || j.texts.bytes >= maxSegmentTextBytes ||
		d.options.MaxSize > 0 && j.size >= d.options.MaxSize/journalShare
}

// rotate begins a new segment and has the last one sealed beside.
func (d *Directory) rotate() error {
	if err := d.journal.close(); err != nil {
		return err
	}
	folder, err := d.moveJournal(d.began)
	if err != nil {
		return err
	}
	d.sealed += d.journal.size
	if err := d.newJournal(); err != nil {
		return err
	}
	d.unsealed++
	d.workers.Go(func() { d.seal(folder) })
	return nil
}

func (d *Directory) seal(folder string) {
	d.sealing.Lock()
	defer d.sealing.Unlock()
	notes, err := sealSegment(folder)
	size := folderBytes(filepath.Join(d.path, segmentsFolder))
	d.mu.Lock()
	defer d.mu.Unlock()
	d.unsealed--
	d.sealed = size
	d.manifest.Notes = append(d.manifest.Notes, notes...)
	d.dropOldest()
	if err == nil {
		err = d.writeManifest()
	}
	if err != nil && d.failure == nil {
		_ = d.fail(err)
	}
}

// dropOldest removes whole segments until the recording, with room to seal
// the running one, fits its limit.
func (d *Directory) dropOldest() {
	over := func() bool { return d.sealed+2*d.journal.size+sealReserve > d.options.MaxSize }
	if d.options.MaxSize <= 0 || !over() {
		return
	}
	names := d.segments()
	for len(names) > 1+d.unsealed && over() {
		folder := filepath.Join(d.path, segmentsFolder, names[0])
		size := folderBytes(folder)
		if os.RemoveAll(folder) != nil {
			return
		}
		d.sealed -= size
		d.dropped++
		d.until, _ = segmentStart(names[1])
		names = names[1:]
	}
}

// segments lists the folders of segments, oldest first.
func (d *Directory) segments() []string {
	entries, _ := os.ReadDir(filepath.Join(d.path, segmentsFolder))
	var names []string
	for _, e := range entries {
		if _, ok := segmentStart(e.Name()); ok && e.IsDir() {
			names = append(names, e.Name())
		}
	}
	return slices.Clip(names)
}

// UpdateManifest changes what is known about the host and the probes.
func (d *Directory) UpdateManifest(change func(*Manifest)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.manifest)
	return d.writeManifest()
}

func (d *Directory) writeManifest() error {
	m := d.manifest
	if d.dropped > 0 {
		m.Notes = append(slices.Clip(m.Notes), fmt.Sprintf("%d segments before %s were dropped: the limit is %d bytes",
			d.dropped, d.until.UTC().Format(time.RFC3339), d.options.MaxSize))
	}
	if d.failure != nil {
		m.Notes = append(slices.Clip(m.Notes), d.failure.Error())
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	return writeWhole(filepath.Join(d.path, manifestFile), func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	})
}

// fail ends the recording and remembers why.
func (d *Directory) fail(err error) error {
	d.failure = fmt.Errorf("recording into %s stopped at %s: %w", d.path,
		d.options.Now().UTC().Format(time.RFC3339), explainDisk(err))
	return d.failure
}

// explainDisk says what can be done about what filesystems refuse.
func explainDisk(err error) error {
	switch {
	case errors.Is(err, unix.ENOSPC):
		return fmt.Errorf("%w: what was recorded until then is kept; free some space, or limit the recording with --max-size", err)
	case errors.Is(err, unix.EDQUOT):
		return fmt.Errorf("%w: what was recorded until then is kept; raise the quota, or limit the recording with --max-size", err)
	}
	return err
}

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
		}
		d.mu.Lock()
		dirty, fd := d.dirty, -1
		if dirty && d.failure == nil {
			// A descriptor of its own: the journal may be closed meanwhile.
			fd, _ = unix.FcntlInt(d.journal.file.Fd(), unix.F_DUPFD_CLOEXEC, 0)
		}
		d.dirty = false
		d.mu.Unlock()
		if fd < 0 {
			continue
		}
		err := unix.Fdatasync(fd)
		_ = unix.Close(fd)
		if err != nil {
			d.mu.Lock()
			if d.failure == nil {
				_ = d.fail(fmt.Errorf("flushing the journal: %w", err))
			}
			d.mu.Unlock()
		}
	}
}

// Size is how many bytes the recording takes.
func (d *Directory) Size() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sealed + d.journal.size
}

// Close seals the running segment and completes the manifest. It returns the
// error that ended the recording, if one did.
func (d *Directory) Close() error {
	close(d.stop)
	d.workers.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.lock.Close()
	d.manifest.Ended = d.options.Now()
	errs := []error{d.failure}
	if d.failure == nil {
		errs = append(errs, d.closeSegment())
	} else {
		_ = d.journal.close()
	}
	if err := d.writeManifest(); err != nil && d.failure == nil {
		errs = append(errs, explainDisk(err))
	}
	if err := errors.Join(errs...); err != nil && d.failure == nil {
		return fmt.Errorf("closing the recording %s: %w", d.path, explainDisk(err))
	}
	return d.failure
}

// closeSegment seals the last segment. Where that fails, its journal stays
// and is read instead.
func (d *Directory) closeSegment() error {
	if err := d.journal.close(); err != nil {
		return err
	}
	if d.journal.rows == 0 {
		return os.Remove(filepath.Join(d.path, journalFile))
	}
	folder, err := d.moveJournal(d.began)
	if err != nil {
		return err
	}
	notes, err := sealSegment(folder)
	d.manifest.Notes = append(d.manifest.Notes, notes...)
	d.journal.size, d.sealed = 0, folderBytes(filepath.Join(d.path, segmentsFolder))
	return err
}
