package cgroup

import (
	"golang.org/x/sys/unix"

	"rtrail/internal/probe/procfile"
)

// maxFiles bounds the descriptors that are kept: about those of a hundred
// groups that do something. What has no room is opened each time.
const maxFiles = 1024

// files keeps what is read in every sample open. A group that was removed
// leaves descriptors that can no longer be read, even when one of the same
// name came after it: its files are then opened again.
type files struct {
	open  map[fileName]*openFile
	limit int
	round int64
	buf   []byte
}

type fileName struct{ dir, name string }

type openFile struct {
	fd    int   // -1: the group or the kernel does not have it, or does not let it be read
	err   error // why not
	round int64 // when it was last asked for
}

func newFiles() *files {
	limit := 0
	var r unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &r) == nil {
		limit = int(min(r.Cur/8, maxFiles))
	}
	return &files{open: map[fileName]*openFile{}, limit: limit, buf: make([]byte, 8<<10)}
}

// read returns the content of a file of a group. The bytes are valid until the
// next read.
func (f *files) read(dir, name string) ([]byte, error) {
	key := fileName{dir, name}
	o := f.open[key]
	if o == nil {
		if len(f.open) >= f.limit {
			return f.once(dir, name)
		}
		o = &openFile{}
		o.fd, o.err = procfile.Open(dir + "/" + name)
		f.open[key] = o
	}
	o.round = f.round
	if o.err != nil {
		return nil, o.err
	}
	b, err := f.content(o.fd)
	if err != nil {
		// Another group may have the name now.
		f.drop(key, o)
		return f.once(dir, name)
	}
	return b, nil
}

// once reads a file without keeping it.
func (f *files) once(dir, name string) ([]byte, error) {
	b, err := procfile.ReadOnce(dir+"/"+name, f.buf)
	if err == nil {
		f.buf = b[:cap(b)]
	}
	return b, err
}

// content reads from the start. The records of these files are small.
func (f *files) content(fd int) ([]byte, error) {
	b, err := procfile.Fill(f.buf, true, func(b []byte, at int) (int, error) { return unix.Pread(fd, b, int64(at)) })
	if err == nil {
		f.buf = b[:cap(b)]
	}
	return b, err
}

// begin starts a sample. In a full one what nobody asked for since the one
// before is closed, and what was not there is looked for again.
func (f *files) begin(full bool) {
	if !full {
		return
	}
	for key, o := range f.open {
		if o.err != nil || o.round != f.round {
			f.drop(key, o)
		}
	}
	f.round++
}

func (f *files) drop(key fileName, o *openFile) {
	if o.fd >= 0 {
		unix.Close(o.fd)
	}
	delete(f.open, key)
}

func (f *files) close() {
	for key, o := range f.open {
		f.drop(key, o)
	}
}
