package recording

import (
	"context"
	"fmt"
	"io"
	"slices"
	"time"

	"rtrail/internal/budget"
	"rtrail/internal/unit"
)

// Piece is a part of a recording in which nobody set the clock back. Pieces may
// hold the same times of day; each is read for itself, or rates would be taken
// between rows that only look like neighbours.
type Piece struct {
	Number int
	Window
	damage error // why nothing of its end could be read; nil: something could
}

// numbers lists the pieces of a recording, oldest first.
func numbers(src source, m Manifest, segments []segmentFiles) []int {
	var all []int
	for _, s := range segments {
		all = append(all, s.id.piece)
	}
	if f, err := src.open(journalFile); err == nil {
		f.Close()
		all = append(all, m.Piece)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// maxPieces bounds the pieces that are looked at, newest first: each is read for
// itself.
const maxPieces = 1000

// pieces tells which time each piece covers, without reading all of it. One that cannot be
// read covers what the names of its segments tell: the others are as good as before.
func pieces(ctx context.Context, src source, m Manifest, segments []segmentFiles) ([]Piece, error) {
	var all []Piece
	for _, n := range numbers(src, m, segments) {
		all = append(all, Piece{Number: n})
	}
	all = all[max(0, len(all)-maxPieces):]
	if len(all) == 0 {
		return []Piece{{Window: Window{From: m.Started, To: later(m.Started, m.Ended)}}}, nil
	}
	for i := range all {
		p := &all[i]
		var after time.Time // the last rows tell when it ended
		for _, s := range segments {
			if s.id.piece == p.Number {
				if p.From.IsZero() {
					p.From = s.id.start
				}
				after = s.id.start
			}
		}
		if p.From.IsZero() && len(all) == 1 {
			p.From = m.Started
		}
		ended := i == len(all)-1 && !m.Ended.IsZero() && !m.Ended.Before(p.From)
		if !ended || len(all) > 1 { // of several it matters which ones can be read
			if p.damage = p.measure(ctx, src, segments, after); ctx.Err() != nil {
				return nil, ctx.Err()
			}
			p.To = later(p.To, after)
		}
		if p.From.IsZero() { // nothing tells when it was
			if p.From = m.Started; i > 0 {
				p.From = all[i-1].To
			}
		}
		if p.To = later(p.From, p.To); ended {
			p.To = later(p.From, m.Ended)
		}
	}
	return all, nil
}

// measure reads when a piece ended.
func (p *Piece) measure(ctx context.Context, src source, segments []segmentFiles, after time.Time) error {
	memory := budget.From(ctx).Part()
	defer memory.Release()
	o := &opener{ctx: ctx, src: src, segments: segments, piece: p.Number, in: readOptions{from: after, tables: []Table{System, CPUs, ProbeRuns}, memory: memory}}
	rec, err := o.open()
	if err != nil {
		return err
	}
	p.To = p.From
	for _, r := range Rows[SystemSample](rec) {
		p.Add(r.At)
	}
	for _, r := range Rows[CPUSample](rec) {
		p.Add(r.At)
	}
	for _, r := range Rows[ProbeRun](rec) {
		p.Add(r.At)
	}
	return nil
}

// newest stands for the piece to be chosen by the range.
const newest = -1

// choose takes the newest piece that holds any of the range, and notes which
// others do.
func (o *opener) choose(m Manifest) error {
	if n := numbers(o.src, m, o.segments); len(n) <= 1 {
		o.piece = m.Piece
		if len(n) == 1 {
			o.piece = n[0]
		}
		return nil
	}
	all, err := pieces(o.ctx, o.src, m, o.segments)
	if err != nil {
		return err
	}
	o.piece = all[len(all)-1].Number
	var in []Piece
	for _, p := range all {
		if (o.in.to.IsZero() || !p.From.After(o.in.to)) && (o.in.from.IsZero() || !p.To.Before(o.in.from)) {
			in = append(in, p)
		}
	}
	if len(in) == 0 {
		return nil
	}
	chosen := in[len(in)-1]
	for _, p := range slices.Backward(in) {
		if p.damage == nil {
			chosen = p
			break
		}
	}
	o.piece = chosen.Number
	for _, p := range in {
		switch {
		case p.Number == chosen.Number:
		case p.damage != nil:
			o.notes.add("%v cannot be read and is left out: %v", p, p.damage)
		default:
			o.notes.add("the clock was set back: this is %v; %v is left out (rtrail replay shows all)", chosen, p)
		}
	}
	return nil
}

func (p Piece) String() string {
	return fmt.Sprintf("piece %d, %v to %v", p.Number, unit.Moment(p.From), unit.Moment(p.To))
}

// OpenPiece is OpenRange of one piece. Where nothing between the times can be read, but the
// recording has more than that, it is no error: there are no rows, and notes say why.
func OpenPiece(ctx context.Context, path string, piece int, from, to time.Time, tables ...Table) (*Recording, error) {
	return openPiece(ctx, path, piece, readOptions{from: from, to: to, tables: tables})
}

// OpenThinned is OpenPiece with the first row of each thing in each step only: enough to see how counters grew
// from step to step. What is not sorted yet, of the last minutes, is read whole.
func OpenThinned(ctx context.Context, path string, piece int, from, to time.Time, step time.Duration, tables ...Table) (*Recording, error) {
	return openPiece(ctx, path, piece, readOptions{from: from, to: to, step: step, tables: tables})
}

func openPiece(ctx context.Context, path string, piece int, in readOptions) (*Recording, error) {
	src, err := openSource(path)
	if err != nil {
		return nil, err
	}
	defer src.close()
	in.memory = budget.From(ctx)
	o := &opener{ctx: budget.With(ctx, in.memory), src: src, segments: src.segments(), piece: piece, part: piece != newest, in: in}
	rec, err := o.open()
	if err != nil {
		return nil, fmt.Errorf("reading the recording %s: %w", path, err)
	}
	return rec, nil
}

// lastMoment finds the latest time of the samples in a journal; zero without one.
func lastMoment(ctx context.Context, r io.Reader) time.Time {
	var l lastRow
	memory := budget.From(ctx).Part()
	defer memory.Release()
	_, _ = readJournal(ctx, r, memory, &l) // as far as it can be read
	return l.at
}

type lastRow struct{ at time.Time }

func (l *lastRow) wants(t Table) bool { return t == System || t == ProbeRuns }

func (l *lastRow) take(k *kind, read *rowsRead, _ []string) (bool, error) {
	for c, col := range k.columns {
		if col.name != "at" {
			continue
		}
		for _, w := range read.words[c] {
			l.at = later(l.at, timeOf(w))
		}
	}
	return true, nil
}
