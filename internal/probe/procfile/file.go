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
// walk; after an error it is opened anew by the next read. A File is not for
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
	n, err := f.fill()
	if err != nil {
		f.Close()
		return nil, fmt.Errorf("read %s: %w", f.Path, err)
	}
	return f.buf[:n], nil
}

// fill reads until the end of the file. Files of /proc may give less than they
// have in one call, so only a read of nothing ends them.
func (f *File) fill() (int, error) {
	if f.buf == nil {
		f.buf = make([]byte, 4096)
	}
	n := 0
	for {
		if n == len(f.buf) {
			if n >= maxBytes {
				return 0, fmt.Errorf("longer than %d bytes", maxBytes)
			}
			f.buf = append(f.buf, make([]byte, len(f.buf))...)
		}
		got, err := f.file.ReadAt(f.buf[n:], int64(n))
		n += got
		switch {
		case err == nil:
		case errors.Is(err, io.EOF):
			return n, nil
		default:
			return 0, err
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
	fd, err := open(path)
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: path, Err: err}
	}
	defer syscall.Close(fd)
	buf = buf[:cap(buf)]
	if len(buf) < 512 {
		buf = make([]byte, 4096)
	}
	n := 0
	for {
		if n == len(buf) {
			if n >= maxBytes {
				return nil, fmt.Errorf("read %s: longer than %d bytes", path, maxBytes)
			}
			buf = append(buf, make([]byte, len(buf))...)
		}
		got, err := syscall.Read(fd, buf[n:])
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return nil, &os.PathError{Op: "read", Path: path, Err: err}
		case got <= 0:
			return buf[:n], nil
		default:
			n += got
		}
	}
}

// open is os.Open without the poller: these files never block.
func open(path string) (int, error) {
	for {
		fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
		if !errors.Is(err, syscall.EINTR) {
			return fd, err
		}
	}
}
