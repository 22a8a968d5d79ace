package kernel

import (
	_ "embed"
	"encoding/binary"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
)

//go:generate ./build sock_file

//go:embed sock_file.o
var socketFileObject []byte

// SocketFiles reads which descriptors of which processes are sockets. It is not
// for concurrent use.
type SocketFiles struct{ all *Iterator }

// SocketFile is a descriptor that is a socket, of whatever family.
type SocketFile struct {
	PID   int32
	FD    int32
	Inode uint64 // of the socket, as sock_diag names it
}

// OpenSocketFiles loads the program. Its PIDs are those of the first PID
// namespace; elsewhere it is not to be had.
func OpenSocketFiles(l *Loader) (*SocketFiles, error) {
	if err := firstPIDs(); err != nil {
		return nil, err
	}
	iterators, err := l.Iterators(socketFileObject)
	if err != nil {
		return nil, err
	}
	return &SocketFiles{all: iterators["socket_files"]}, nil
}

// firstPIDs says whether rtrail is in the PID namespace in which the kernel
// itself counts.
func firstPIDs() error {
	const first = 0xEFFFFFFC // PROC_PID_INIT_INO of include/linux/proc_ns.h
	var st unix.Stat_t
	if err := unix.Stat("/proc/self/ns/pid", &st); err != nil {
		return missing("look up the PID namespace", &os.PathError{Op: "stat", Path: "/proc/self/ns/pid", Err: err})
	}
	if st.Ino != first {
		return &probe.MissingError{What: "the PID namespace of the host", How: "run the container with --pid=host"}
	}
	return nil
}

// Close removes the program from the kernel.
func (f *SocketFiles) Close() error { return f.all.Close() }

// Each visits all descriptors that are sockets, process by process, in
// ascending order of PID.
func (f *SocketFiles) Each(visit func(SocketFile)) error {
	var wrong error
	err := f.all.Each(func(b []byte) (used int) {
		for len(b)-used >= socketFileRow {
			file, err := parseSocketFile(b[used:])
			if err != nil {
				wrong = err
				return len(b)
			}
			visit(file)
			used += socketFileRow
		}
		return used
	})
	if err == nil {
		err = wrong
	}
	return err
}

// socketFileRow is the size of struct socket_file_row of bpf/sock_file.c.
const socketFileRow = 16

// parseSocketFile reads the row that b begins with.
func parseSocketFile(b []byte) (SocketFile, error) {
	f := SocketFile{
		PID:   int32(binary.NativeEndian.Uint32(b)),
		FD:    int32(binary.NativeEndian.Uint32(b[4:])),
		Inode: binary.NativeEndian.Uint64(b[8:]),
	}
	if f.PID <= 0 || f.FD < 0 {
		return f, fmt.Errorf("parse a descriptor: process %d, number %d", f.PID, f.FD)
	}
	return f, nil
}
