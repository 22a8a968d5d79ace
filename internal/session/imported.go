package session

import (
	"context"

	"rtrail/internal/imported"
)

// Imported are reports of other tools about one host, or a window of them.
type Imported struct {
	Files []string
	Window
}

// Evidence reads all reports.
func (i *Imported) Evidence(ctx context.Context) (*Evidence, error) {
	rec, held, err := imported.Read(ctx, i.Files)
	if err != nil {
		return nil, err
	}
	e := &Evidence{Recording: rec, From: held.From, To: held.To}
	if i.chosen() {
		return e, i.choose(e, "reports", held)
	}
	return e, nil
}
