package safefile

import (
	"errors"
	"io/fs"
	"os"
)

// PartialSuffix ends the name of a file that is being written.
const PartialSuffix = ".partial"

// Replace writes a file so that it has its name only when it is complete and on
// the disk. Until then what had the name stays. A file that an interrupted
// Replace has left is removed.
func (d *Dir) Replace(name string, mode fs.FileMode, write func(*os.File) error) error {
	partial := name + PartialSuffix
	if err := d.Remove(partial); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := d.Temporary(partial, mode)
	if err != nil {
		return err
	}
	err = write(f.File)
	if err == nil {
		err = f.Sync()
	}
	if err != nil {
		return errors.Join(err, f.Discard())
	}
	return f.Place(name)
}
