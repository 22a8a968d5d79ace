package recording

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/unit"
)

// rangeSlack is how much older or younger than their segment rows may be at least:
// probes stamp rows when they read them, the segment begins with a commit.
const rangeSlack = time.Minute

// slack is rangeSlack, or how long an interval of a probe is: so long are the stretches that
// rows tell of.
func (o *opener) slack() time.Duration {
	slack := rangeSlack
	for _, p := range o.rec.manifest.Probes {
		slack = max(slack, p.Interval)
	}
	return slack
}

// Open reads a recording: a directory, or an .rtr file made by Pack.
//
// What cannot be read whole is read as far as possible, with notes in the
// manifest; an error, which names the file, means that nothing could be. Rows are
// charged to the budget of the context: what does not fit is left out, with a
// note. A night of a busy host has more: OpenRange reads the part that matters.
func Open(ctx context.Context, path string) (*Recording, error) {
	return OpenRange(ctx, path, time.Time{}, time.Time{})
}

// OpenRange reads the rows between two times, both included, and those of stretches of
// time that reach in between them. Zero times leave
// that end open. With tables given, only those are read. Where the clock was set
// back, they are those of the newest piece that holds such times.
func OpenRange(ctx context.Context, path string, from, to time.Time, tables ...Table) (*Recording, error) {
	return OpenPiece(ctx, path, newest, from, to, tables...)
}

// opener reads one recording.
type opener struct {
	ctx      context.Context
	src      source
	segments []segmentFiles // of all pieces
	in       readOptions
	piece    int  // that is read; newest: chosen by the range
	part     bool // it is one of the parts that are read in turn: one that is damaged is empty
	rec      *Recording
	notes    noteList      // what could not be read
	files    int           // that could be read
	full     bool          // no more fits into memory
	lacking  map[Table]int // place of the last stretch of a table in Manifest.Unread
}

func (o *opener) open() (*Recording, error) {
	m, err := readManifest(o.src)
	if err != nil {
		return nil, err
	}
	if m.Format > FormatVersion {
		o.notes.add("written by %s in format %d; this rtrail knows format %d and may miss something: update rtrail",
			clip(m.Tool), m.Format, FormatVersion)
	}
	o.rec = New(m)
	if o.piece == newest {
		if err := o.choose(m); err != nil {
			return nil, err
		}
	}
	o.rec.manifest.Host = m.hostAt(o.piece, o.in.to)
	var segments []segmentFiles
	for _, s := range o.segments {
		if s.id.piece == o.piece {
			segments = append(segments, s)
		}
	}
	more := len(segments) < len(o.segments) || m.Piece != o.piece // than what is looked at
	for i, s := range segments {
		if err := o.ctx.Err(); err != nil {
			return nil, err
		}
		if o.outside(segments, i) {
			more = true
			continue
		}
		o.segment(s)
		if o.full {
			break
		}
	}
	if !o.full && m.Piece == o.piece {
		o.journal(journalFile)
		o.endLacking()
	}
	if !o.full && !o.in.from.IsZero() {
		o.held(segments)
	}
	if err := o.ctx.Err(); err != nil {
		return nil, err
	}
	if o.full {
		o.notes.add("read until %v only: more rows than fit into memory; choose a shorter time (--at, --for)", unit.Moment(o.last()))
	}
	if notes := o.notes.list; o.files == 0 && len(notes) > 0 && !(o.part && more) {
		return nil, errors.New(strings.Join(notes[:min(len(notes), 5)], "; ")) // the rest is alike
	}
	for name, r := range o.rec.tables {
		if r.count() == 0 {
			delete(o.rec.tables, name)
			continue
		}
		sortByTime(r)
	}
	o.rec.manifest.Notes = append(o.rec.manifest.Notes, o.notes.all()...)
	return o.rec, nil
}

// outside says whether a segment cannot have rows of the range.
func (o *opener) outside(all []segmentFiles, i int) bool {
	if !o.in.to.IsZero() && all[i].id.start.After(o.in.to.Add(o.slack())) {
		return true
	}
	return o.earlier(all, i)
}

// earlier says whether a segment ended before the range.
func (o *opener) earlier(all []segmentFiles, i int) bool {
	return !o.in.from.IsZero() && i+1 < len(all) && all[i+1].id.start.Before(o.in.from.Add(-rangeSlack))
}

// heldBack is how long before a range things are looked for. Few files of a
// segment are read for that, but there are 144 segments in a day.
const heldBack = 24 * time.Hour

// held reads what was true when the range began: settings, and who holds which
// socket, are written when they are new, which may be hours before.
func (o *opener) held(segments []segmentFiles) {
	within := o.in
	defer func() { o.in, o.full = within, false }() // without all of it the range can be judged
	o.in.tables = slices.DeleteFunc(AllTables(), func(t Table) bool {
		return !within.wants(t) || kindByName(t).holds.span != ofThing
	})
	if len(o.in.tables) == 0 {
		return
	}
	o.in.memory = within.memory.Part()
	defer o.in.memory.Release()
	o.rec.forgetThings(within.from)
	before := o.lasting()
	for i, s := range slices.Backward(segments) {
		if !o.earlier(segments, i) {
			continue
		}
		if s.id.start.Before(within.from.Add(-heldBack)) || o.full || o.ctx.Err() != nil {
			break
		}
		o.segment(s)
		if now := o.lasting(); now > 2*before+manyThings { // to look at all of them takes time, too
			o.rec.forgetThings(within.from)
			before = o.lasting()
		}
	}
	o.rec.forgetThings(within.from)
}

// manyThings is how many rows of things may be kept beside those that are still true.
const manyThings = 10_000

// lasting is how many rows of things were read.
func (o *opener) lasting() (n int) {
	for _, t := range o.in.tables {
		if r := o.rec.tables[t]; r != nil {
			n += r.count()
		}
	}
	return n
}

func (o *opener) segment(s segmentFiles) {
	if slices.Contains(s.files, journalFile) {
		journal := path.Join(s.folder, journalFile)
		if o.journal(journal) { // not sealed yet: it has everything
			return
		}
		if s.files = o.sealed(s); len(s.files) == 0 {
			for _, t := range AllTables() {
				if o.in.wants(t) {
					o.lacks(s, t, "%s is missing", journal)
				}
			}
			return
		}
	}
	sums, err := readSums(o.src, s.folder)
	if err != nil {
		o.notes.add("%s: %v", path.Join(s.folder, checksumFile), err)
	}
	for _, t := range s.missing(sums) {
		if o.in.wants(t) {
			o.lacks(s, t, "%s is missing", s.fileOf(t))
		}
	}
	for _, name := range s.files {
		base, ok := strings.CutSuffix(name, parquetSuffix)
		if !ok {
			continue
		}
		k := kindByName(Table(base))
		switch {
		case k == nil && retired[Table(base)]:
			o.files++
		case k == nil:
			o.files++
			o.notes.add("table %s is unknown to this version and was left out", clip(base))
		case o.in.wants(k.name):
			o.table(s, k, sums)
		default:
			o.files++
		}
		if o.full || o.ctx.Err() != nil {
			return
		}
	}
}

// sealed lists the files of a segment again, which a recorder at work sealed since it was listed; none: it
// dropped the segment.
func (o *opener) sealed(s segmentFiles) []string {
	for _, again := range o.src.segments() {
		if again.folder == s.folder {
			return again.files
		}
	}
	return nil
}

// last is the time of the latest row that was read.
func (o *opener) last() (at time.Time) {
	for _, r := range o.rec.tables {
		if l := latest(r); l.After(at) {
			at = l
		}
	}
	return at
}

// lacks notes that rows of a table are missing in a segment, and why.
func (o *opener) lacks(s segmentFiles, t Table, format string, args ...any) {
	why := clipNote(fmt.Sprintf(format, args...))
	o.notes.add("%s", why)
	list := o.rec.manifest.Unread
	from, to := s.id.start, o.next(s)
	if i, ok := o.lacking[t]; ok && list[i].To.Equal(from) {
		list[i].To = to
		return
	}
	if o.lacking == nil {
		o.lacking = map[Table]int{}
	}
	o.lacking[t] = len(list)
	o.rec.manifest.Unread = append(list, Unread{Table: t, From: from, To: to, Why: why})
}

// next is when the segment after another one began; zero: there is none in the piece.
func (o *opener) next(s segmentFiles) time.Time {
	i, _ := slices.BinarySearchFunc(o.segments, s.id, func(have segmentFiles, id segmentID) int { return have.id.compare(id) })
	for i++; i < len(o.segments); i++ {
		if n := o.segments[i].id; n.piece == s.id.piece {
			return n.start
		}
	}
	return time.Time{}
}

// endLacking ends what is missing in the last sealed segment where the running one begins.
func (o *opener) endLacking() {
	list := o.rec.manifest.Unread
	if !slices.ContainsFunc(list, func(u Unread) bool { return u.To.IsZero() }) {
		return
	}
	f, err := o.src.open(journalFile)
	if err != nil {
		return
	}
	defer f.Close()
	began := firstMoment(o.ctx, io.NewSectionReader(f, 0, f.size))
	for i := range list {
		if list[i].To.IsZero() {
			list[i].To = began
		}
	}
}

func (o *opener) table(s segmentFiles, k *kind, sums map[string]fileSum) {
	name := s.fileOf(k.name)
	f, err := o.src.open(name)
	if err != nil {
		o.lacks(s, k.name, "%s was left out: %v", name, err)
		return
	}
	defer f.Close()
	if err := f.verify(o.ctx, path.Base(name), sums); err != nil {
		o.lacks(s, k.name, "%s was left out: %v", name, err)
		return
	}
	have := o.rec.tables[k.name]
	if have == nil {
		have = k.empty()
	}
	in := o.in
	in.spent = f.effort
	ignored, err := k.readParquet(o.ctx, f, f.size, in, have)
	o.rec.tables[k.name] = have
	for _, i := range ignored {
		o.notes.add("%s", i)
	}
	switch {
	case err == nil:
		o.files++
	case errors.Is(err, errTooLarge):
		o.files++
		o.full = true
	default:
		o.lacks(s, k.name, "%s was read as far as possible: %v", name, err)
	}
}

// journal reads one, as far as possible. It is false if there is none.
func (o *opener) journal(name string) bool {
	f, err := o.src.open(name)
	if errors.Is(err, errNoFile) {
		return false
	}
	if err != nil {
		o.notes.add("%s was left out: %v", name, err)
		return true
	}
	defer f.Close()
	notes, err := f.readJournal(o.ctx, o.in.memory, &collector{in: o.in, rec: o.rec})
	for _, n := range notes {
		o.notes.add("%s: %s", name, n)
	}
	if errors.Is(err, errTooLarge) {
		o.full, err = true, nil
	}
	if err != nil {
		o.notes.add("%s was left out: %v", name, err)
		return true
	}
	o.files++
	return true
}

// Window is the time a recording covers.
type Window struct{ From, To time.Time }

// Add widens the time so that it covers a moment; zero covers none.
func (w *Window) Add(at time.Time) {
	if w.From.IsZero() || at.Before(w.From) {
		w.From = at
	}
	if at.After(w.To) {
		w.To = at
	}
}

// Held is whose a recording is and which time it covers.
type Held struct {
	Manifest Manifest
	Window   Window
	Pieces   []Piece // oldest first; more than one where the clock was set back
}

// Holds tells whose a recording is and which time it covers, without reading all of it.
func Holds(ctx context.Context, path string) (Held, error) {
	src, err := openSource(path)
	if err != nil {
		return Held{}, err
	}
	defer src.close()
	m, err := readManifest(src)
	if err != nil {
		return Held{}, fmt.Errorf("reading the recording %s: %w", path, err)
	}
	all, err := pieces(budget.With(ctx, budget.From(ctx)), src, m, src.segments())
	if err != nil {
		return Held{}, fmt.Errorf("reading the recording %s: %w", path, err)
	}
	return Held{m, span(all), all}, nil
}

// Span tells which time a recording covers without reading all of it.
func Span(ctx context.Context, path string) (Window, error) {
	held, err := Holds(ctx, path)
	return held.Window, err
}

// span is the time of all pieces.
func span(all []Piece) Window {
	w := all[0].Window
	for _, p := range all[1:] {
		w.Add(p.From)
		w.Add(p.To)
	}
	return w
}
