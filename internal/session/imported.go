package session

import (
	"context"
	"fmt"
	"strings"
	"time"

	"rtrail/internal/imported"
	"rtrail/internal/probe/capture"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
	"rtrail/internal/unit"
)

// Imported are reports of other tools about one host, or a window of them.
type Imported struct {
	Files []string
	// Dumps are stacks of programs of this host, such as perf script prints.
	Dumps []string
	// Captures are packets of this host: those count that are of the time that is judged.
	Captures []string
	How      capture.Options // of Captures, as there
	Window
}

// Evidence reads all reports, then the packets of their time, and the stacks, which count for
// whatever window is chosen: few tools say when they took them.
func (i *Imported) Evidence(ctx context.Context) (*Evidence, error) {
	rec, held, err := imported.Read(ctx, i.Files)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Recording: rec, From: held.From, To: held.To}
	if i.chosen() {
		if err := i.choose(e, "reports", held.Window); err != nil {
			return nil, err
		}
	}
	if held.Look != nil {
		switch at := held.Look.Manifest().Started; {
		case i.chosen():
			e.Notes = append(e.Notes, lookLeftOut(at))
		default:
			e.Look = &Evidence{Recording: held.Look, From: at, To: at}
		}
	}
	if len(i.Captures) > 0 {
		if err := i.packets(ctx, e, held); err != nil {
			return nil, err
		}
	}
	if len(i.Dumps) > 0 {
		return e, i.stacks(ctx, e)
	}
	return e, nil
}

// lookLeftOut is the note where a copy of /proc beside reports is not judged.
func lookLeftOut(at time.Time) string {
	return fmt.Sprintf("the copy of /proc, of %v, is judged only with all of the time of the reports", unit.Moment(at))
}

// wholly is the share of the time from which on captures have packets of all of it.
const wholly = 0.9

// packets adds those of the time that is judged. Captures of another time than the reports are left
// out, unless reports are of a time zone that nothing tells.
func (i *Imported) packets(ctx context.Context, e *Evidence, reports imported.Held) error {
	c := Captures{Packets: Packets{Files: i.Captures}, How: i.How}
	c.How.Source = strings.Join(i.Captures, ", ")
	held, err := c.span(ctx)
	if err != nil {
		return err
	}
	note := func(format string, args ...any) {
		e.Notes = append(e.Notes, c.How.Source+": "+fmt.Sprintf(format, args...))
	}
	length := e.To.Sub(e.From)
	if away := apart(reports.Window, held); away > 0 {
		var known bool
		if c.later, known = laterBy(reports, held); !known {
			note("left out: its packets are of another time than the reports, %v to %v, %v away from %v to %v%s", unit.Moment(held.From), unit.Moment(held.To), unit.Duration(away),
				unit.Moment(reports.From), unit.Moment(reports.To), notExplained(reports.Clock))
			return nil
		}
		note("packets of another time than the reports, %v to %v: they are taken to be of %v %s%s", unit.Moment(held.From), unit.Moment(held.To), unit.Duration(c.later.Abs()),
			map[bool]string{false: "later", true: "earlier"}[c.later < 0], explained(reports.Clock))
	}
	c.How.From, c.How.To = e.From, e.To.Add(1) // with what is of its last moment
	seen, err := c.read(ctx, e.Recording)
	switch {
	case err != nil:
		return err
	case seen.From.IsZero():
		note("there is no packet of the time that is judged")
		return nil
	}
	if lasts := seen.To.Sub(seen.From); float64(lasts) < wholly*float64(length) {
		note("there are packets of %v of the %v that are judged", unit.Duration(lasts), unit.Duration(length))
	}
	e.Recording.UpdateManifest(func(m *recording.Manifest) { m.Probes = append(m.Probes, capture.Info()) })
	return nil
}

// stacks adds those of the dumps.
func (i *Imported) stacks(ctx context.Context, e *Evidence) (err error) {
	s := Stacks{Files: i.Dumps}
	if s.Profile, err = stack.Read(ctx, s.Files, nil, s.Options); err != nil {
		return err
	}
	_, notes := s.told()
	e.Notes = append(append(e.Notes, notes...), fmt.Sprintf("%s: stacks, taken to be of the time that is judged", strings.Join(i.Dumps, ", ")))
	e.Recording.UpdateManifest(func(m *recording.Manifest) { m.Probes = append(m.Probes, s.probe()) })
	w := recording.NewWriter(e.To)
	s.write(w, e.To)
	return e.Recording.Commit(w)
}
