package recording

import (
	"fmt"
	"slices"
	"sync"
	"time"

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
	err := replaceJSON(d.root, manifestFile, m)
	if d.outdated = noRoom(err); d.outdated {
		return nil
	}
	return err
}

func (d *Directory) note(format string, args ...any) {
	d.manifest.keep(fmt.Sprintf(format, args...))
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
