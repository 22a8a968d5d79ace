// Package outfile writes the files that users name: whole or not at all where
// that can be, and never in the place of something that is no plain file.
package outfile

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// mostLinks is how many symbolic links the kernel follows, too.
const mostLinks = 40

// File is a file that is being written.
type File struct {
	*os.File
	target string // where it belongs when it is complete; "": it is there already
}

// Create begins a file that takes its place when it is committed; until then
// what was there stays. Symbolic links are followed and kept. A device, a FIFO or
// what else is no plain file is written straight into. Opening a FIFO waits for
// its reader until ctx is done.
func Create(ctx context.Context, path string, mode fs.FileMode) (*File, error) {
	info, err := os.Stat(path)
	switch {
	case err == nil && info.IsDir():
		return nil, &fs.PathError{Op: "write", Path: path, Err: syscall.EISDIR}
	case err == nil && !info.Mode().IsRegular():
		return straight(ctx, path, 0)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	target, open, err := follow(path)
	if err != nil {
		return nil, named(err, path)
	}
	if open {
		// /dev/stdout, led into a file: whoever opened it writes on, and would
		// not see a new file.
		return straight(ctx, path, os.O_APPEND)
	}
	if info != nil {
		mode = info.Mode().Perm() // what was kept from others stays so
	}
	f, err := begin(target, mode)
	if err != nil {
		return nil, named(err, path)
	}
	if info != nil {
		if err := f.Chmod(mode); err != nil { // the umask is for new files
			f.Close()
			os.Remove(f.Name())
			return nil, err
		}
	}
	return &File{f, target}, nil
}

// Open begins a file that is there from its first byte on: what was written of
// it counts also when the end never comes.
func Open(ctx context.Context, path string) (*File, error) {
	return straight(ctx, path, os.O_CREATE|os.O_TRUNC)
}

func straight(ctx context.Context, path string, flags int) (*File, error) {
	type opened struct {
		f   *os.File
		err error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.OpenFile(path, os.O_WRONLY|flags, 0o666)
		done <- opened{f, err}
	}()
	select {
	case o := <-done:
		if o.err != nil {
			return nil, o.err
		}
		return &File{File: o.f}, nil
	case <-ctx.Done():
		return nil, fmt.Errorf("waiting for a reader of %s: %w", path, ctx.Err())
	}
}

// follow is the file that symbolic links lead to, which need not be there. open
// says that the way goes through /proc/PID/fd, to a file that somebody has open.
func follow(path string) (target string, open bool, err error) {
	target = path
	for range mostLinks {
		// Not filepath.Dir: "link/.." is not the folder of the link.
		folder, name := filepath.Split(target)
		if folder == "" {
			folder = "."
		}
		if folder, err = filepath.EvalSymlinks(folder); err != nil {
			return "", false, err
		}
		target = filepath.Join(folder, name)
		if strings.HasPrefix(folder, "/proc/") {
			return target, true, nil
		}
		next, err := os.Readlink(target)
		if err != nil {
			return target, false, nil // no link: this is it, there or not
		}
		if !filepath.IsAbs(next) {
			next = folder + "/" + next
		}
		target = next
	}
	return "", false, &fs.PathError{Op: "write", Path: path, Err: syscall.ELOOP}
}

// begin makes a file of another name in the same folder.
func begin(target string, mode fs.FileMode) (*os.File, error) {
	for {
		name := filepath.Join(filepath.Dir(target), fmt.Sprintf(".rtrail-%016x", rand.Uint64()))
		f, err := os.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY, mode)
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// named makes an error tell the name that the user gave.
func named(err error, path string) error {
	var where *fs.PathError
	if errors.As(err, &where) {
		return &fs.PathError{Op: "create", Path: path, Err: where.Err}
	}
	return err
}

// Commit completes the file and puts it in its place. On an error what was there
// before is still there, if it was a plain file.
func (f *File) Commit() error {
	err := f.Close()
	if f.target == "" {
		return err
	}
	if err == nil {
		err = os.Rename(f.Name(), f.target)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}

// Abandon gives up: what was there before stays.
func (f *File) Abandon() {
	f.Close()
	if f.target != "" {
		os.Remove(f.Name())
	}
}

// Write writes a file whole, or not at all.
func Write(ctx context.Context, path string, mode fs.FileMode, write func(*File) error) error {
	f, err := Create(ctx, path, mode)
	if err != nil {
		return err
	}
	if err := write(f); err != nil {
		f.Abandon()
		return err
	}
	return f.Commit()
}
