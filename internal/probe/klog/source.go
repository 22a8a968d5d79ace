package klog

import (
	"errors"
	"io/fs"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe"
)

// source gives one record per Read. Errors are those of /dev/kmsg: EAGAIN when
// there is no record yet, EPIPE when the next one was overwritten.
type source interface {
	Read(b []byte) (int, error)
	Close() error
}

// device is /dev/kmsg, opened without blocking. Several readers do not take
// records from each other. A new one begins at the oldest record.
type device int

const devicePath = "/dev/kmsg"

func openDevice() (source, error) {
	for {
		fd, err := unix.Open(devicePath, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		switch {
		case err == nil:
			return device(fd), nil
		case !errors.Is(err, unix.EINTR):
			return nil, missing(&os.PathError{Op: "open", Path: devicePath, Err: err})
		}
	}
}

func (d device) Read(b []byte) (int, error) { return unix.Read(int(d), b) }
func (d device) Close() error               { return unix.Close(int(d)) }

// missing tells what lets the kernel log be read.
func missing(err error) error {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return &probe.MissingError{
			What: "CAP_SYSLOG to read the kernel log",
			How:  "run as root, or: sysctl kernel.dmesg_restrict=0; in a container: --cap-add SYSLOG --device /dev/kmsg",
			Err:  err,
		}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, unix.ENXIO), errors.Is(err, unix.ENODEV):
		return &probe.MissingError{
			What: "the device " + devicePath,
			How:  "mknod -m 600 /dev/kmsg c 1 11; in a container: --device /dev/kmsg",
			Err:  err,
		}
	}
	return err
}

// clocks reads the wall clock and the kernel's monotonic one together.
func clocks() (wall time.Time, monotonic time.Duration) {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		return time.Now(), 0
	}
	return time.Now(), time.Duration(ts.Nano())
}
