package recording

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
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
	// Elapsed is a clock that nobody sets, from any beginning. nil: the system's
	// monotonic clock, or with Now what that says.
	Elapsed func() time.Duration
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
	// journalShare is the part of the room for a recording that the running
	// segment may fill: the rest holds it a second time while it is sealed, and
	// what is older.
	journalShare = 4
	// maxJournal bounds the running segment on the largest disk.
	maxJournal = 1 << 30
	// minJournal is how large a segment may become on the smallest disk.
	minJournal = 64 << 10
	// sealReserve is what a segment's tables may take beyond the journal they
	// are made of: headers and statistics of some 30 files.
	sealReserve = 512 << 10
	// SmallestMaxSize leaves room for a few segments.
	SmallestMaxSize = 4 << 20
)

// Directory is a recording on disk that is being written. It is a Sink.
type Directory struct {
	path     string
	host     string // of whom all rows tell
	options  Options
	root     *safefile.Dir // locked
	segments *safefile.Dir
	stop     chan struct{}
	workers  sync.WaitGroup
	sealing  sync.Mutex // one segment at a time

	mu       sync.Mutex
	manifest Manifest
	outdated bool // the manifest on disk is, for want of room
	clock    clockWatch
	next     segmentID      // of the running segment; its start is not known yet
	journal  *journalWriter // nil: there is no room for one
	ended    *endedJournal  // lies where the next journal belongs
	began    time.Duration  // when the running segment began, by Elapsed
	share    int64          // bytes that the running segment may take
	sealed   int64          // bytes in segments
	pending  []string       // segments that wait to be sealed
	unsealed []string       // segments for whose sealing there was no room
	dropped  dropped
	lost     lost
	retryAt  time.Duration // when to look for room again, by Elapsed
	dirty    bool          // journal has bytes that may not be on the disk
	failure  error         // ends the recording
}

// endedJournal is a journal that is complete and no segment yet.
type endedJournal struct {
	id    segmentID
	began time.Time
	bytes int64
}

// Create begins a recording in a directory, which is made if need be, or goes
// on with one of the same host that lies there. The directory must hold
// nothing else, nobody else may be recording into it, and root's must be one
// that nobody else can change. Everything in it is reached by descriptors: a
// link that somebody puts there leads nowhere.
func Create(path string, m Manifest, o Options) (*Directory, error) {
	if o.MaxSize > 0 && o.MaxSize < SmallestMaxSize {
		return nil, fmt.Errorf("recording into %s: a limit of %d bytes is too small: give at least %d", path, o.MaxSize, SmallestMaxSize)
	}
	if o.SegmentLength <= 0 {
		o.SegmentLength = defaultSegment
	}
	o.clocks()
	d := &Directory{path: path, host: m.Host.Name, options: o, manifest: m, stop: make(chan struct{})}
	d.manifest.Format = FormatVersion
	if d.manifest.Started.IsZero() {
		d.manifest.Started = o.Now()
	}
	if err := d.begin(); err != nil {
		d.release()
		return nil, fmt.Errorf("recording into %s: %w", path, explainDisk(err))
	}
	d.workers.Go(d.syncRegularly)
	return d, nil
}

// release lets the directory go, for other recorders too.
func (d *Directory) release() {
	for _, dir := range []*safefile.Dir{d.segments, d.root} {
		if dir != nil {
			dir.Close()
		}
	}
}

// Commit appends a sample. Where the disk is full, the oldest segments go; where
// that does not help, the sample is lost and noted, and the recording goes on
// when there is room again. After an error the recording has ended: what was
// committed before is kept and readable.
func (d *Directory) Commit(w *Writer) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failure != nil {
		return d.failure
	}
	if len(w.tables) == 0 {
		return nil
	}
	if err := d.commit(w.tables); err != nil {
		return d.fail(err)
	}
	w.tables = nil
	return nil
}

func (d *Directory) commit(tables map[Table]rows) error {
	now := d.options.Now()
	if by := d.clock.setBack(now, d.options.Elapsed()); by > 0 {
		if err := d.beginPiece(by, now); err != nil {
			return err
		}
	}
	if err := d.write(tables, now); err != nil {
		return err
	}
	if d.segmentFull() {
		if err := d.rotate(); err != nil {
			return err
		}
	}
	d.dropOldest()
	return nil
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

// seal turns a segment into Parquet, then those for which there was no room.
func (d *Directory) seal(name string) {
	d.sealing.Lock()
	defer d.sealing.Unlock()
	d.mu.Lock()
	again := slices.Clone(d.unsealed)
	d.mu.Unlock()
	for _, n := range append([]string{name}, again...) {
		if !d.sealOne(n) {
			return // no room for others either
		}
	}
}

func (d *Directory) sealOne(name string) bool {
	notes, full := d.sealNamed(name)
	size := d.sealedBytes()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = without(d.pending, name)
	d.unsealed = without(d.unsealed, name)
	d.sealed = size
	d.manifest.keep(notes...)
	if full {
		d.unsealed = append(d.unsealed, name)
	}
	d.dropOldest()
	if err := d.writeManifest(); err != nil && d.failure == nil {
		_ = d.fail(err)
	}
	return !full
}

// sealNamed seals a segment, if it has a journal and was not dropped meanwhile.
// full says that there was no room for that. What cannot be sealed for another
// reason, as where the disk does not give it back, stays as it is: it must not
// end the recording of what comes.
func (d *Directory) sealNamed(name string) (notes []string, full bool) {
	folder, err := d.segments.Sub(name)
	if err == nil {
		defer folder.Close()
		notes, err = sealSegment(folder, d.host)
	}
	switch {
	case noRoom(err):
		return notes, true
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !(folder != nil && folder.Gone()):
		notes = append(notes, fmt.Sprintf("%s stays as it is: %v", name, err))
	}
	return notes, false
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == name })
}

// list gives the segments in the order of their recording.
func (d *Directory) list() []segmentID {
	names, _ := d.segments.Names()
	var all []segmentID
	for _, name := range names {
		if id, ok := parseSegment(name); ok {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, segmentID.compare)
	return all
}

// UpdateManifest changes what is known about the host and the probes.
func (d *Directory) UpdateManifest(change func(*Manifest)) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	change(&d.manifest)
	return d.writeManifest()
}

// writeManifest replaces the manifest. Where there is no room, it is written
// later.
func (d *Directory) writeManifest() error {
	m := d.manifest
	m.Piece = d.next.piece
	m.Notes = slices.Concat(m.Notes, d.dropped.notes(d.options.MaxSize), d.lost.notes())
	if d.failure != nil {
		m.Notes = append(m.Notes, d.failure.Error())
	}
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return err
	}
	err = d.root.Replace(manifestFile, fileMode, func(f *os.File) error {
		_, err := f.Write(append(data, '\n'))
		return err
	})
	if d.outdated = noRoom(err); d.outdated {
		return nil
	}
	return err
}

func (d *Directory) note(format string, args ...any) {
	d.manifest.keep(fmt.Sprintf(format, args...))
}

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

var errGone = errors.New("somebody removed the directory, or what was being written there: start it again")

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

// Size is how many bytes the recording takes.
func (d *Directory) Size() int64 {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sealed + d.running()
}

// running is how many bytes are in no segment yet.
func (d *Directory) running() int64 {
	switch {
	case d.journal != nil:
		return d.journal.size
	case d.ended != nil:
		return d.ended.bytes
	}
	return 0
}

// Close seals the running segment and completes the manifest. It returns the
// error that ended the recording, if one did.
func (d *Directory) Close() error {
	close(d.stop)
	d.workers.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	defer d.release()
	d.manifest.Ended = d.options.Now()
	if d.failure != nil {
		if d.journal != nil {
			_ = d.journal.close()
		}
		_ = d.writeManifest() // to tell why, where that can be
		return d.failure
	}
	err := d.closeSegment()
	if err == nil {
		err = d.writeManifest()
	}
	if err != nil {
		if gone := d.gone(); gone != nil {
			err = gone
		}
		return fmt.Errorf("closing the recording %s: %w", d.path, explainDisk(err))
	}
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
