// Package outfile writes the files that users name: whole or not at all where
// that can be, never in the place of something that is no plain file, and never
// where a link of somebody else leads.
package outfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// mode is that of new files. They hold addresses, names of processes and texts of
// statements: nothing for all users.
const mode fs.FileMode = 0o640

// File is a file that is being written.
type File struct {
	*os.File
	dir  *safefile.Dir       // nil: it needs no place
	temp *safefile.Temporary // nil: it has its own name already
	name string
}

// Create begins a file that takes its place when it is committed; until then
// what was there stays. Symbolic links that nobody else could have made are
// followed and kept. A device, a FIFO or what else is no plain file is written
// straight into. Opening a FIFO waits for its reader until ctx is done.
func Create(ctx context.Context, path string) (*File, error) {
	f, st, err := place(path)
	if err != nil {
		return nil, named(err, path)
	}
	if f.straight(st) {
		return f.open(ctx, st, path)
	}
	for {
		f.temp, err = f.dir.Temporary(fmt.Sprintf(".rtrail-%016x", rand.Uint64()), private(st))
		if !errors.Is(err, fs.ErrExist) {
			break
		}
	}
	if err == nil {
		f.File = f.temp.File
		if err = f.giveToInvoker(); err != nil {
			err = errors.Join(err, f.temp.Discard())
		}
	}
	if err != nil {
		return nil, errors.Join(named(err, path), f.dir.Close())
	}
	return f, nil
}

// Open begins a file that is there from its first byte on: what was written of
// it counts also when the end never comes.
func Open(ctx context.Context, path string) (*File, error) {
	f, st, err := place(path)
	if err != nil {
		return nil, named(err, path)
	}
	if f.straight(st) {
		return f.open(ctx, st, path)
	}
	if st != nil {
		err = f.dir.Remove(f.name)
	}
	if err == nil {
		f.File, err = f.dir.Create(f.name, private(st))
	}
	if err == nil {
		if err = f.giveToInvoker(); err != nil {
			err = errors.Join(err, f.Close(), f.dir.Remove(f.name))
		}
	}
	if err != nil {
		return nil, errors.Join(named(err, path), f.dir.Close())
	}
	return f, nil
}

// place finds the directory and the name that a path leads to, and what has the
// name already; nil: nothing has.
func place(path string) (*File, *unix.Stat_t, error) {
	dir, name, err := safefile.Parent(path)
	if err != nil {
		return nil, nil, err
	}
	f := &File{dir: dir, name: name}
	st, err := dir.Stat(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, nil, nil
	case err == nil && st.Mode&unix.S_IFMT == unix.S_IFDIR:
		err = unix.EISDIR
	}
	if err != nil {
		return nil, nil, errors.Join(err, dir.Close())
	}
	return f, &st, nil
}

// straight says that what has the name cannot be replaced: it is no plain file,
// or one that somebody has open (/dev/stdout), who would not see a new one.
func (f *File) straight(st *unix.Stat_t) bool {
	return st != nil && st.Mode&unix.S_IFMT != unix.S_IFREG
}

// private is the mode of a new file: as private as the one that it replaces.
func private(before *unix.Stat_t) fs.FileMode {
	if before == nil {
		return mode
	}
	return mode & (fs.FileMode(before.Mode) | 0o600)
}

// giveToInvoker lets who called this program through sudo read the file.
func (f *File) giveToInvoker() error {
	if id, ok := safefile.Invoker(); ok && !f.dir.Exclusive() {
		return f.Chown(int(id.UID), int(id.GID))
	}
	return nil
}

// open writes into what is there.
func (f *File) open(ctx context.Context, st *unix.Stat_t, path string) (*File, error) {
	defer f.dir.Close()
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	dir, err := f.dir.Dup()
	if err != nil {
		return nil, named(err, path)
	}
	go func() {
		defer dir.Close()
		file, err := dir.OpenSpecial(f.name, st)
		done <- opened{file, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, named(o.err, path)
		}
		return &File{File: o.f}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a reader of %s: %w", path, ctx.Err())
	}
}

// named makes an error tell the name that the user gave.
func named(err error, path string) error {
	var where *fs.PathError
	if errors.As(err, &where) && filepath.Base(where.Path) == filepath.Base(path) {
		return &fs.PathError{Op: "create", Path: path, Err: where.Err}
	}
	return fmt.Errorf("create %s: %w", path, err)
}

// Commit completes the file and puts it in its place. On an error what was there
// before is still there, if it was a plain file.
func (f *File) Commit() error {
	if f.dir != nil {
		defer f.dir.Close()
	}
	if f.temp == nil {
		return f.Close()
	}
	return f.temp.Place(f.name)
}

// Abandon gives up: what was there before stays.
func (f *File) Abandon() {
	if f.dir != nil {
		defer f.dir.Close()
	}
	if f.temp == nil {
		f.Close()
		return
	}
	_ = f.temp.Discard() // nobody misses it
}

// Write writes a file whole, or not at all.
func Write(ctx context.Context, path string, write func(*File) error) error {
	f, err := Create(ctx, path)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abandon()
		return err
	}
	return f.Commit()
}
