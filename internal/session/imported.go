package session

import (
	"context"
	"fmt"
	"strings"

	"rtrail/internal/imported"
	"rtrail/internal/recording"
	"rtrail/internal/stack"
)

// Imported are reports of other tools about one host, or a window of them.
type Imported struct {
	Files []string
	// Dumps are stacks of programs of this host, such as perf script prints.
	Dumps []string
	Window
}

// Evidence reads all reports, and then the stacks, which count for whatever window is chosen:
// few tools say when they took them.
func (i *Imported) Evidence(ctx context.Context) (*Evidence, error) {
	rec, held, err := imported.Read(ctx, i.Files)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Recording: rec, From: held.From, To: held.To}
	if i.chosen() {
		if err := i.choose(e, "reports", held); err != nil {
			return nil, err
		}
	}
	if len(i.Dumps) > 0 {
		return e, i.stacks(ctx, e)
	}
	return e, nil
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
