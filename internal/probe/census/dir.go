package census

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/procfile"
)

// Dir reads the files of /proc relative to one open descriptor, which saves
// the path walk, and into one buffer, which saves the allocations. It is not
// for concurrent use: every probe has its own.
type Dir struct {
	fd   int
	path string
	live bool // a real procfs, not a tree of recorded files
	err  error
	buf  []byte
	dirs []byte
}

const procMagic = 0x9fa0 // PROC_SUPER_MAGIC, include/uapi/linux/magic.h

// OpenDir opens the proc directory below root; "" and "/" mean this machine's.
// If that fails, Err says why, and so does every read.
func OpenDir(root string) *Dir {
	path := filepath.Join("/", root, "proc")
	if root != "" && !strings.HasPrefix(root, "/") {
		path = filepath.Join(root, "proc")
	}
	d := &Dir{path: path, buf: make([]byte, 16<<10), dirs: make([]byte, 32<<10)}
	var err error
	if d.fd, err = unix.Open(path, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err != nil {
		d.fd, d.err = -1, fmt.Errorf("open %s: %w", path, err)
		return d
	}
	var st unix.Statfs_t
	if unix.Fstatfs(d.fd, &st) == nil && st.Type == procMagic {
		d.live = true
	}
	return d
}

// Err says why the directory could not be opened.
func (d *Dir) Err() error { return d.err }

// Close gives the descriptor back.
func (d *Dir) Close() error {
	if d.fd < 0 {
		return nil
	}
	fd := d.fd
	d.fd = -1
	return unix.Close(fd)
}

// Live says whether this is the kernel's procfs and not a recorded tree.
func (d *Dir) Live() bool { return d.live }

// Path is where the directory was opened.
func (d *Dir) Path() string { return d.path }

// Open opens a file below the directory and returns its descriptor.
func (d *Dir) Open(name string) (int, error) {
	for {
		fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
		if !errors.Is(err, unix.EINTR) {
			return fd, err
		}
	}
}

// Read returns the content of a file below the directory. The bytes are valid
// until the next read.
func (d *Dir) Read(name string) ([]byte, error) {
	fd, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	return d.fill(func(b []byte, _ int) (int, error) { return unix.Read(fd, b) })
}

// ReadOpen returns the content of an open file from its start. The bytes are
// valid until the next read.
func (d *Dir) ReadOpen(fd int) ([]byte, error) {
	return d.fill(func(b []byte, at int) (int, error) { return unix.Pread(fd, b, int64(at)) })
}

// fill reads everything into the buffer. What is read here fits a page.
func (d *Dir) fill(read func([]byte, int) (int, error)) ([]byte, error) {
	b, err := procfile.Fill(d.buf, true, read)
	if err == nil {
		d.buf = b[:cap(b)]
	}
	return b, err
}

// Head returns the first bytes of a file, for files of which no more is wanted.
func (d *Dir) Head(name string) ([]byte, error) {
	fd, err := d.Open(name)
	if err != nil {
		return nil, err
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, d.buf[:64])
	return d.buf[:max(n, 0)], err
}

// Link returns the target of a symbolic link. The bytes are valid until the
// next read.
func (d *Dir) Link(name string) ([]byte, error) {
	n, err := unix.Readlinkat(d.fd, name, d.buf[:4096])
	if err != nil {
		return nil, err
	}
	return d.buf[:n], nil
}

// PIDs calls visit for every numeric name of the directory itself.
func (d *Dir) PIDs(visit func(pid int32)) error {
	if d.err != nil {
		return d.err
	}
	if _, err := unix.Seek(d.fd, 0, unix.SEEK_SET); err != nil {
		return err
	}
	return d.numbers(d.fd, visit)
}

// Numbers calls visit for every numeric name in a directory below this one,
// such as 812/task or 812/fd.
func (d *Dir) Numbers(name string, visit func(n int32)) error {
	fd, err := unix.Openat(d.fd, name, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return d.numbers(fd, visit)
}

func (d *Dir) numbers(fd int, visit func(int32)) error {
	for {
		n, err := unix.Getdents(fd, d.dirs)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil || n <= 0 {
			return err
		}
		eachNumber(d.dirs[:n], visit)
	}
}

// direntName is where the name begins in struct linux_dirent64: after inode,
// offset, record length and type.
const direntName = 8 + 8 + 2 + 1

// eachNumber walks the records getdents64(2) returned.
func eachNumber(b []byte, visit func(int32)) {
	for len(b) >= direntName {
		size := int(binary.NativeEndian.Uint16(b[16:]))
		if size < direntName || size > len(b) {
			return
		}
		if n, ok := dirNumber(b[direntName:size]); ok {
			visit(n)
		}
		b = b[size:]
	}
}

// dirNumber reads a name that is a positive decimal number and ends with a
// zero byte.
func dirNumber(name []byte) (int32, bool) {
	n, digits := int64(0), 0
	for _, c := range name {
		if c == 0 {
			break
		}
		if c < '0' || c > '9' || digits > 9 {
			return 0, false
		}
		n = n*10 + int64(c-'0')
		digits++
	}
	return int32(n), digits > 0 && n <= 1<<31-1
}

// Count is the number of entries in a numeric directory such as 812/fd. Since
// kernel 6.2 the size of /proc/PID/fd is that number, which saves reading it.
func (d *Dir) Count(name string) (int64, error) {
	if d.live {
		var st unix.Stat_t
		if err := unix.Fstatat(d.fd, name, &st, 0); err != nil {
			return 0, err
		}
		if st.Size > 0 {
			return st.Size, nil
		}
	}
	count := int64(0)
	err := d.Numbers(name, func(int32) { count++ })
	return count, err
}

// Name joins a PID and a file name.
func Name(pid int32, file string) string {
	var b [64]byte
	return string(append(append(strconv.AppendInt(b[:0], int64(pid), 10), '/'), file...))
}

// TaskName joins a PID, a TID and a file name.
func TaskName(pid, tid int32, file string) string {
	var b [64]byte
	path := append(strconv.AppendInt(b[:0], int64(pid), 10), "/task/"...)
	return string(append(append(strconv.AppendInt(path, int64(tid), 10), '/'), file...))
}

// Denied says that an error means missing permission.
func Denied(err error) bool {
	return errors.Is(err, os.ErrPermission)
}

// Function returns the name of a kernel function without what the compiler
// added: futex_wait.isra.0 is futex_wait. It is empty for "0", which stands for
// none.
func Function(b []byte) []byte {
	b = bytes.TrimSpace(b)
	if i := bytes.IndexByte(b, '.'); i >= 0 {
		b = b[:i]
	}
	if len(b) == 1 && b[0] == '0' {
		return nil
	}
	return b
}

// MoreSight is what a user can do about files of processes that were denied.
func MoreSight() string {
	if os.Geteuid() == 0 {
		return "run rtrail with all capabilities: the process has some that this root lacks, as in a container"
	}
	return "run as root, or grant cap_sys_ptrace, cap_dac_read_search, cap_sys_admin and cap_net_admin: rtrail doctor says how"
}
