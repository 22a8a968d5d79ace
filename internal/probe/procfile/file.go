package procfile

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
)

// File is a file of /proc or /sys that is read again and again. It stays open
// between reads and is read from its start each time, which saves the path
// walk; after an error it is reopened by the next read. A File is not for
// concurrent use.
type File struct {
	Path string

	file *os.File
	buf  []byte
}

// maxBytes bounds what one read may return. The largest of these files,
// /proc/interrupts of a machine with hundreds of CPUs, has a few megabytes.
const maxBytes = 16 << 20

// Read returns the content of the file now. The bytes belong to the File and
// are valid until the next call.
func (f *File) Read() ([]byte, error) {
	if f.file == nil {
		file, err := os.Open(f.Path)
		if err != nil {
			return nil, err
		}
		f.file = file
	}
	b, err := Fill(f.buf, false, func(b []byte, at int) (int, error) { return f.file.ReadAt(b, int64(at)) })
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	f.buf = b[:cap(b)]
	return b, nil
}

// Fill reads a file from its start into buf, which it makes larger as needed. read
// gives what comes after the first at bytes. Files of /proc may give less than they
// have in one call: only a read of nothing ends them. Where short says so, a file of
// small records ends with a read that leaves much of a page free, which saves a call.
func Fill(buf []byte, short bool, read func(b []byte, at int) (int, error)) ([]byte, error) {
	const page = 4096
	if buf = buf[:cap(buf)]; len(buf) < page/8 {
		buf = make([]byte, page)
	}
	n := 0
	for {
		got, err := read(buf[n:], n)
		n += max(got, 0)
		switch {
		case errors.Is(err, syscall.EINTR):
			continue
		case errors.Is(err, io.EOF):
			return buf[:n], nil
		case err != nil:
			return nil, err
		case got <= 0 || short && n < page*3/4:
			return buf[:n], nil
		}
		if n == len(buf) {
			if n >= maxBytes {
				return nil, fmt.Errorf("longer than %d bytes", maxBytes)
			}
			buf = append(buf, make([]byte, len(buf))...)
		}
	}
}

// Close gives the descriptor back. The next Read opens the file again.
func (f *File) Close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}

// ReadOnce returns the content of a file that is read too seldom to stay open.
// It uses buf as far as it reaches.
func ReadOnce(path string, buf []byte) ([]byte, error) {
	fd, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer syscall.Close(fd)
	b, err := Fill(buf, false, func(b []byte, _ int) (int, error) { return syscall.Read(fd, b) })
	if err != nil {
		return nil, &os.PathError{Op: "read", Path: path, Err: err}
	}
	return b, nil
}

// Open is os.Open without the poller: these files never block. The descriptor is
// the caller's to close.
func Open(path string) (fd int, err error) {
	for {
		fd, err = syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if err == nil {
			return fd, nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return -1, &os.PathError{Op: "open", Path: path, Err: err}
		}
	}
}
