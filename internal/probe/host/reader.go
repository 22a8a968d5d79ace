package host

import (
	"time"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// table is a subsystem that is one file of rows.
type table[T recording.Row] struct {
	file  procfile.File
	names procfile.Names
	rows  []T
	// parse appends the rows of a file to rows.
	parse func(rows []T, at time.Time, b []byte, names *procfile.Names) ([]T, error)
}

func newTable[T recording.Row](file procfile.File, parse func([]T, time.Time, []byte, *procfile.Names) ([]T, error)) reader {
	return &table[T]{file: file, parse: parse}
}

func (t *table[T]) read(w *recording.Writer, _ bool) error {
	b, err := t.file.Read()
	if err != nil {
		return err
	}
	if t.rows, err = t.parse(t.rows[:0], time.Now(), b, &t.names); err != nil {
		return err
	}
	recording.Append(w, t.rows...)
	return nil
}
