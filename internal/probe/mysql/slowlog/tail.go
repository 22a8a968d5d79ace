package slowlog

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"rtrail/internal/probe/localfile"
)

// File is a log as its server names it, which may name any file of the host: what
// is read is a regular file of the server's own user, no link, and on no filesystem of a
// program or another machine.
type File struct {
	PID    int32    // of the server, in whose root directory and mounts the path is
	Path   string   // absolute
	Owners []uint32 // users one of whom it must belong to; none: any
}

func (f File) open() (*os.File, error) { return localfile.OpenOwned(f.PID, f.Path, f.Owners...) }

// Tail reads what a server appends to its log, also when the log is rotated or
// emptied. It is used by one goroutine.
type Tail struct {
	source  File
	file    *os.File
	offset  int64
	parser  *Parser
	entries []Entry
	buffer  []byte
}

// NewTail begins back bytes before the end of a log, so that entries which are
// there already can be had too, and the current database is known. A log that
// is not there yet is no error: it may come.
func NewTail(source File, back int64, o Options) (*Tail, error) {
	t := &Tail{source: source, buffer: make([]byte, 64<<10)}
	t.parser = NewParser(o, func(e Entry) { t.entries = append(t.entries, e) })
	err := t.open()
	if errors.Is(err, fs.ErrNotExist) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	size, err := t.size()
	if err != nil {
		t.Close()
		return nil, err
	}
	t.offset = max(size-max(back, 0), 0)
	return t, nil
}

func (t *Tail) open() error {
	f, err := t.source.open()
	if err != nil {
		return fmt.Errorf("read the slow query log: %w", err)
	}
	t.file, t.offset = f, 0
	t.parser.Reset()
	return nil
}

func (t *Tail) size() (int64, error) {
	info, err := t.file.Stat()
	if err != nil {
		return 0, fmt.Errorf("read the slow query log: %w", err)
	}
	return info.Size(), nil
}

// Read returns the entries that were appended since the last call. Of more
// than most bytes only the last ones are read; skipped counts the others.
func (t *Tail) Read(most int64) (entries []Entry, skipped int64, err error) {
	t.entries = nil
	if t.file != nil {
		skipped, err = t.appended(most)
		if err != nil {
			return t.entries, skipped, err
		}
	}
	if !t.replaced() {
		return t.entries, skipped, nil
	}
	if t.file != nil {
		t.file.Close()
		t.file = nil
	}
	if err := t.open(); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return t.entries, skipped, err
	}
	more, err := t.appended(most)
	return t.entries, skipped + more, err
}

// replaced says whether the path is another file than the one that is open.
func (t *Tail) replaced() bool {
	if t.file == nil {
		return true
	}
	now, err := t.source.open()
	if err != nil {
		return false // renamed, and the new one is not made yet
	}
	defer now.Close()
	there, err1 := now.Stat()
	mine, err2 := t.file.Stat()
	return err1 == nil && err2 == nil && !os.SameFile(there, mine)
}

// appended reads what is new in the open file.
func (t *Tail) appended(most int64) (skipped int64, err error) {
	size, err := t.size()
	if err != nil {
		return 0, err
	}
	if size < t.offset { // emptied
		t.offset = 0
		t.parser.Reset()
	}
	if size-t.offset > most {
		skipped = size - t.offset - most
		t.offset += skipped
		t.parser.Reset()
	}
	for t.offset < size {
		n, err := t.file.ReadAt(t.buffer[:min(int64(len(t.buffer)), size-t.offset)], t.offset)
		t.parser.Write(t.buffer[:n])
		t.offset += int64(n)
		if err != nil && !errors.Is(err, io.EOF) {
			return skipped, fmt.Errorf("read the slow query log: %w", err)
		}
		if n == 0 {
			break
		}
	}
	t.parser.Flush()
	return skipped, nil
}

// Close closes the log.
func (t *Tail) Close() error {
	if t.file == nil {
		return nil
	}
	return t.file.Close()
}
