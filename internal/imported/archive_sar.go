package imported

import (
	"archive/tar"
	"bytes"
	"cmp"
	"context"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
	"time"

	"rtrail/internal/budget"
)

// sarFiles are the newest files of sar in an archive, as a sosreport has them: of what sar writes
// (sa02), and of what it printed (sar02).
type sarFiles struct {
	binary, text sarContent
	n            int // files with such names
}

// sarContent is a file of sar.
type sarContent struct {
	name    string    // "": there is none
	day     time.Time // of which it tells; zero: it does not say
	written time.Time
	content []byte
}

// sarFile is the name of a file of sar: of a day, or of a date.
var sarFile = regexp.MustCompile(`^sar?(\d{2}|\d{8})$`)

// isBinarySar says which of the two it is, by its name.
func isBinarySar(name string) bool { return !strings.HasPrefix(path.Base(name), "sar") }

// found says that there is one of them.
func (s *sarFiles) found() bool { return s.binary.name != "" || s.text.name != "" }

// take keeps a file of sar if it is newer than the one of its kind that is there.
func (s *sarFiles) take(memory *budget.Budget, h *tar.Header, in io.Reader) error {
	if !sarFile.MatchString(path.Base(h.Name)) || h.Size > maxText || h.Size == 0 {
		return nil
	}
	s.n++
	kept := &s.text
	if isBinarySar(h.Name) {
		kept = &s.binary
	}
	if kept == &s.binary && Sadf() == "" {
		return nil
	}
	head, err := io.ReadAll(io.LimitReader(in, headBytes))
	switch {
	case errors.Is(err, errBomb):
		return err
	case err != nil, !isSar(head) && kindOf(head) == nil:
		return nil // cut off, which Next says, or no such thing
	}
	f := sarContent{name: h.Name, day: dayOf(head), written: h.ModTime}
	if !f.newer(kept) {
		return nil
	}
	if !memory.Take(h.Size) {
		return budget.ErrSpent
	}
	rest, err := io.ReadAll(io.LimitReader(in, maxText))
	if err != nil {
		memory.Give(h.Size)
		if errors.Is(err, errBomb) {
			return err
		}
		return nil
	}
	memory.Give(int64(len(kept.content)))
	f.content = append(head, rest...)
	*kept = f
	return nil
}

// newer says that f tells of a later day than another file. By when they were written that shows only
// of one day and of what sar writes: sos has sar print all days while it collects, in no order.
func (f *sarContent) newer(other *sarContent) bool {
	if other.name != "" && !f.day.IsZero() && !other.day.IsZero() && !f.day.Equal(other.day) {
		return f.day.After(other.day)
	}
	return other.name == "" || f.written.After(other.written)
}

// dayOf is the day in the banner of what a tool of sysstat printed; zero: there is none.
func dayOf(head []byte) time.Time {
	for line := range bytes.Lines(head) {
		if m := banner.FindSubmatch(bytes.TrimRight(line, "\r\n \t")); m != nil {
			day, _, _ := date(string(m[3]))
			return day
		}
	}
	return time.Time{}
}

// read reads one of them in place of the archive t: what sar wrote, which tells most, or what it
// printed where sadf does not read that, as it reads files of few releases.
func (s *sarFiles) read(ctx context.Context, t *told) (*told, error) {
	var failed error
	for _, f := range []sarContent{s.binary, s.text} {
		if f.name == "" {
			continue
		}
		name := t.file + ":" + f.name
		read, err := f.read(ctx, name)
		if err != nil {
			failed = cmp.Or(failed, err)
			if ctx.Err() != nil {
				break
			}
			continue
		}
		read.notes = append(t.notes, read.notes...)
		if failed != nil {
			read.note("%v; what sar printed is read in its place", failed)
		}
		if s.n > 1 {
			read.note("%s: the newest of %d files of sar in the archive; for another one unpack it and give it", name, s.n)
		}
		if len(t.trees) > 0 {
			read.look = &told{tool: t.tool, file: t.file, dated: t.dated, trees: t.trees}
		}
		return read, nil
	}
	return nil, failed
}

// read reads a file of sar of that name.
func (f *sarContent) read(ctx context.Context, name string) (*told, error) {
	if isSar(f.content) {
		return readSar(ctx, name, f.content)
	}
	return kindOf(f.content[:min(len(f.content), headBytes)])(name, string(f.content), f.written)
}
