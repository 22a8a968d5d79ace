package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/imported"
	"rtrail/internal/recording"
	"rtrail/internal/shell"
	"rtrail/internal/timeline"
)

// Store is evidence of some time that is looked through part by part: a recording on disk, or
// reports of other tools about one host, or what a server of such numbers answered, which are
// held in memory.
type Store struct {
	paths []string
	again shell.Command        // of answers
	rec   *recording.Recording // of reports; nil: on disk
	held  recording.Window
	every time.Duration
}

// OpenStore is a recording: a directory or an .rtr file.
func OpenStore(path string) *Store { return &Store{paths: []string{path}} }

// OpenReports reads reports of other tools as one recording. Those of one moment are an error.
func OpenReports(ctx context.Context, files []string) (*Store, error) {
	rec, held, err := imported.Read(ctx, files)
	if err != nil {
		return nil, err
	}
	if !held.To.After(held.From) {
		return nil, fmt.Errorf("reading %s: it is one look at a host, which rtrail diagnose judges; give two or more, taken some seconds apart", strings.Join(files[:min(len(files), 3)], ", "))
	}
	if held.Look != nil { // parts of the time are judged, which it is not of
		at := held.Look.Manifest().Started
		rec.UpdateManifest(func(m *recording.Manifest) { m.Notes = append(m.Notes, lookLeftOut(at)) })
	}
	return &Store{paths: files, rec: rec, held: held.Window, every: interval(rec, held.Window)}, nil
}

// OpenAnswers is what a server answered of a host. again are the words that ask for the same host.
func OpenAnswers(rec *recording.Recording, held recording.Window, again shell.Command) *Store {
	return &Store{again: again, rec: rec, held: held, every: interval(rec, held)}
}

// interval is the time between two samples of reports: the longest of its tables, since rules need
// two of each. Rows outside of the time that all reports cover do not count: those of an hour may lie
// beside those of a day.
func interval(rec *recording.Recording, held recording.Window) (longest time.Duration) {
	for _, t := range timeline.Samples {
		within, all := map[int64]bool{}, map[int64]bool{}
		var first, last time.Time
		rec.Has(t, func(at time.Time, _ time.Duration) bool {
			if all[at.UnixNano()] = true; first.IsZero() || at.Before(first) {
				first = at
			}
			if at.After(last) {
				last = at
			}
			if !at.Before(held.From) && !at.After(held.To) {
				within[at.UnixNano()] = true
			}
			return false
		})
		switch {
		case len(within) > 1:
			longest = max(longest, held.To.Sub(held.From)/time.Duration(len(within)-1))
		case len(all) > 1:
			longest = max(longest, last.Sub(first)/time.Duration(len(all)-1))
		}
	}
	return max(longest, time.Second)
}

// Imported says that it is made of reports of other tools.
func (s *Store) Imported() bool { return s.rec != nil }

// Paths are the files, as rtrail diagnose takes them; none of what a server answered.
func (s *Store) Paths() []string { return s.paths }

// Again are the words that ask a server for the same host, without a time; none of files.
func (s *Store) Again() shell.Command { return s.again }

// Interval is the time between two samples. Recordings have one a second.
func (s *Store) Interval() time.Duration { return max(s.every, time.Second) }

// AtLeast is the shortest time that is judged: rules want some readings of what changes fast,
// such as the run queue.
func (s *Store) AtLeast() time.Duration { return s.Holding(readings) }

// Holding is how long some samples take, in whole seconds, rounded up: less may hold one less.
func (s *Store) Holding(samples int) time.Duration {
	return (time.Duration(samples)*s.Interval() + time.Second - 1).Truncate(time.Second)
}

const readings = 5

// Inspect tells what is in it.
func (s *Store) Inspect(ctx context.Context) (recording.Contents, error) {
	if s.rec == nil {
		return recording.Inspect(ctx, s.paths[0])
	}
	c := recording.Contents{Manifest: s.rec.Manifest(), Window: s.held, Pieces: s.pieces(), Rows: map[recording.Table]int64{}}
	for _, t := range s.rec.Tables() {
		c.Rows[t] = int64(s.rec.Count(t))
	}
	return c, nil
}

// Holds tells whose it is and which time it covers.
func (s *Store) Holds(ctx context.Context) (recording.Held, error) {
	if s.rec == nil {
		return recording.Holds(ctx, s.paths[0])
	}
	return recording.Held{Manifest: s.rec.Manifest(), Window: s.held, Pieces: s.pieces()}, nil
}

func (s *Store) pieces() []recording.Piece { return []recording.Piece{{Window: s.held}} }

// OpenPiece reads a part; that of reports is all of it, of which views choose.
func (s *Store) OpenPiece(ctx context.Context, piece int, from, to time.Time, tables ...recording.Table) (*recording.Recording, error) {
	if s.rec == nil {
		return recording.OpenPiece(ctx, s.paths[0], piece, from, to, tables...)
	}
	return s.rec, ctx.Err()
}

// OpenThinned reads of a part the first row of each thing in each step; of reports it is all of it.
func (s *Store) OpenThinned(ctx context.Context, piece int, from, to time.Time, step time.Duration, tables ...recording.Table) (*recording.Recording, error) {
	if s.rec == nil {
		return recording.OpenThinned(ctx, s.paths[0], piece, from, to, step, tables...)
	}
	return s.rec, ctx.Err()
}

// Evidence is a window.
func (s *Store) Evidence(ctx context.Context, w recording.Window) (*Evidence, error) {
	if s.rec == nil {
		return (&Replay{Path: s.paths[0], Window: Window{At: func(recording.Window) (time.Time, time.Time, string, error) { return w.From, w.To, "", nil }}}).Evidence(ctx)
	}
	return &Evidence{Recording: s.rec, From: w.From, To: w.To}, ctx.Err()
}

// Around are tables of a window and of some time at both ends of it; those of reports are all
// that there is.
func (s *Store) Around(ctx context.Context, w recording.Window, beyond time.Duration, tables ...recording.Table) (*recording.Recording, error) {
	if s.rec == nil {
		return recording.OpenRange(ctx, s.paths[0], w.From.Add(-beyond), w.To.Add(beyond), tables...)
	}
	return s.rec, ctx.Err()
}
