// Package infile reads the files that users name. A FIFO, a terminal or a device
// may be one of them, as in "tcpdump -w - | rtrail packets /dev/stdin": waiting
// for these ends with the context, which a signal ends.
package infile

import (
	"context"
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// pollInterval bounds how long a read waits after its context has ended.
const pollInterval = 100 * time.Millisecond

// File is a file that is open for reading. Reads of what may make them wait
// return the context's error once that has ended.
type File struct {
	*os.File
	ctx   context.Context
	waits bool
}

// Open opens a file. It does not wait for the writer of a FIFO; the first read
// does.
func Open(ctx context.Context, path string) (*File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	return &File{f, ctx, mayWait(f)}, nil
}

// Reader makes the reads of an open file end with a context. What is no file,
// or does not make its readers wait, is given back as it is.
func Reader(ctx context.Context, r io.Reader) io.Reader {
	if f, ok := r.(*os.File); ok && mayWait(f) {
		return &File{f, ctx, true}
	}
	return r
}

// Until makes the reads of r end with a context, between two of them.
func Until(ctx context.Context, r io.Reader) io.Reader { return until{ctx, r} }

type until struct {
	ctx context.Context
	r   io.Reader
}

func (u until) Read(p []byte) (int, error) {
	if err := u.ctx.Err(); err != nil {
		return 0, err
	}
	return u.r.Read(p)
}

func mayWait(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && !info.Mode().IsRegular() && !info.IsDir()
}

// Regular says that a name leads to a regular file, which can be looked at
// without taking anything from whoever reads it next.
func Regular(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// Read implements io.Reader.
func (f *File) Read(p []byte) (int, error) {
	for f.waits {
		if err := f.ctx.Err(); err != nil {
			return 0, err
		}
		ready, err := readable(f.File)
		if err != nil {
			return 0, err
		}
		if ready {
			break
		}
	}
	return f.File.Read(p)
}

// readable waits for a moment until there is something to read, or the end.
// A FIFO whose first writer is still to come has neither (fifo_open in the
// kernel's fs/pipe.c), although a read would say that it ended.
func readable(f *os.File) (bool, error) {
	raw, err := f.SyscallConn()
	if err != nil {
		return false, err
	}
	ready := false
	var failed error
	err = raw.Control(func(fd uintptr) {
		set := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
		n, err := unix.Poll(set, int(pollInterval/time.Millisecond))
		if ready = n > 0; err != nil && !errors.Is(err, unix.EINTR) {
			failed = err
		}
	})
	return ready, errors.Join(err, failed)
}
