package imported

import (
	"archive/tar"
	"context"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"rtrail/internal/budget"
)

// sarFiles is the newest file of sar in an archive, as a sosreport has them: what sar writes
// (sa02), or else what it printed (sar02).
type sarFiles struct {
	name    string
	written time.Time
	content []byte
	n       int
	unread  int64 // bytes of files that were no such thing
}

// maxUnread bounds them.
const maxUnread = 1 << 30

// sarFile is the name of a file of sar: of a day, or of a date.
var sarFile = regexp.MustCompile(`^sar?(\d{2}|\d{8})$`)

// isBinarySar says which of the two it is, by its name.
func isBinarySar(name string) bool { return !strings.HasPrefix(path.Base(name), "sar") }

// take keeps a file of sar if it is newer than the one that is there.
func (s *sarFiles) take(memory *budget.Budget, h *tar.Header, in io.Reader) error {
	if !sarFile.MatchString(path.Base(h.Name)) || h.Size > maxText || h.Size == 0 {
		return nil
	}
	s.n++
	switch binary := isBinarySar(h.Name); {
	case binary && Sadf() == "":
		return nil
	case s.name == "":
	case binary != isBinarySar(s.name):
		if !binary {
			return nil
		}
	case !h.ModTime.After(s.written):
		return nil
	}
	if !memory.Take(h.Size) {
		return budget.ErrSpent
	}
	b, err := io.ReadAll(io.LimitReader(in, maxText))
	if errors.Is(err, errBomb) {
		return err
	}
	if err == nil && (isSar(b) || kindOf(b[:min(len(b), headBytes)]) != nil) {
		memory.Give(int64(len(s.content)))
		s.name, s.written, s.content = h.Name, h.ModTime, b
		return nil
	}
	memory.Give(h.Size)
	if s.unread += h.Size; s.unread > maxUnread { // a tar of zeros is small
		return budget.ErrSpent
	}
	return nil
}

// read reads it in place of the archive t.
func (s *sarFiles) read(ctx context.Context, t *told) (told *told, err error) {
	name := t.file + ":" + s.name
	if isSar(s.content) {
		told, err = readSar(ctx, name, s.content)
	} else {
		told, err = kindOf(s.content[:min(len(s.content), headBytes)])(name, string(s.content), s.written)
	}
	if err != nil {
		return nil, err
	}
	told.notes = append(t.notes, told.notes...)
	if s.n > 1 {
		told.note("%s: the newest of %d files of sar in the archive; for another one unpack it and give it", name, s.n)
	}
	if len(t.trees) > 0 {
		text := "it tells what was counted since the host was started"
		if levels := t.trees[0].levels(); len(levels) > 0 {
			text += "; an archive of only its folders proc and sys also shows " + strings.Join(levels, ", ")
		}
		told.note("%s: one copy of /proc left out: %s", t.file, text)
	}
	return told, nil
}
