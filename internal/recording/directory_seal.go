package recording

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"rtrail/internal/crash"
)

// seal turns a segment into Parquet, then those for which there was no room.
func (d *Directory) seal(name string) {
	d.sealing.Lock()
	defer d.sealing.Unlock()
	d.mu.Lock()
	again := slices.Clone(d.unsealed)
	d.mu.Unlock()
	for _, n := range append([]string{name}, again...) {
		if !d.sealOne(n) {
			return // no room for others either
		}
	}
}

func (d *Directory) sealOne(name string) bool {
	notes, full := d.sealNamed(name)
	size := d.sealedBytes()
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pending = without(d.pending, name)
	d.unsealed = without(d.unsealed, name)
	d.sealed = size
	d.manifest.keep(notes...)
	if full {
		d.unsealed = append(d.unsealed, name)
	}
	d.dropOldest()
	if err := d.writeManifest(); err != nil && d.failure == nil {
		_ = d.fail(err)
	}
	return !full
}

// sealNamed seals a segment, if it has a journal and was not dropped meanwhile.
// full says that there was no room for that. What cannot be sealed for another
// reason, as where the disk does not give it back, stays as it is: it must not
// end the recording of what comes.
func (d *Directory) sealNamed(name string) (notes []string, full bool) {
	folder, err := d.segments.Sub(name)
	if err == nil {
		defer folder.Close()
		err = crash.Guard(func() (err error) {
			notes, err = sealSegment(folder, d.host)
			return err
		})
	}
	switch {
	case noRoom(err):
		return notes, true
	case err != nil && !errors.Is(err, fs.ErrNotExist) && !(folder != nil && folder.Gone()):
		notes = append(notes, fmt.Sprintf("%s stays as it is: %v", name, err))
	}
	return notes, false
}

func without(list []string, name string) []string {
	return slices.DeleteFunc(list, func(s string) bool { return s == name })
}

// list gives the segments in the order of their recording.
func (d *Directory) list() []segmentID {
	names, _ := d.segments.Names()
	var all []segmentID
	for _, name := range names {
		if id, ok := parseSegment(name); ok {
			all = append(all, id)
		}
	}
	slices.SortFunc(all, segmentID.compare)
	return all
}
