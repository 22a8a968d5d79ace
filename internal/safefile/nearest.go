package safefile

import (
	"errors"
	"io/fs"
)

// Nearest opens the directory in which MakeDir would make the first one that is
// missing on the way to path; if none is, path itself.
func Nearest(path string) (*Dir, error) {
	w, err := begin(path, 0)
	if err != nil {
		return nil, err
	}
	for len(w.rest) > 0 {
		if _, err := w.at.Stat(w.rest[0]); errors.Is(err, fs.ErrNotExist) {
			break
		}
		if err := w.step(); err != nil {
			w.at.Close()
			return nil, err
		}
	}
	return w.end()
}
