package env

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/safefile"
)

// undoAll undoes what a lab has made: frozen filesystems first, or nothing
// that waits for them could die; then every process; then the rest, newest
// first. Things that are not there any more are no error.
func undoAll(id string, items []made) error {
	var errs []error
	items = slices.DeleteFunc(slices.Clone(items), func(m made) bool {
		err := m.belongs(id)
		if err != nil {
			errs = append(errs, err)
		}
		return err != nil
	})
	for _, m := range items {
		if m.Kind == madeFreeze {
			thaw(m.Name)
		}
	}
	// A process in a group that may do one read a second needs long to die.
	for _, m := range items {
		if m.Kind == madeCgroup {
			liftIOLimits(m.Name)
		}
	}
	if err := killAll(id, items); err != nil {
		errs = append(errs, err)
	}
	for _, m := range slices.Backward(items) {
		if err := undo(m); err != nil {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

func undo(m made) error {
	switch m.Kind {
	case madeDir:
		return undoDir(m.Name)
	case madeNetNS:
		return undoNetNS(m.Name)
	case madeLink:
		if _, err := os.Stat("/sys/class/net/" + m.Name); err == nil {
			return tool("ip", "link", "del", m.Name)
		}
	case madeCgroup:
		return undoCgroup(m.Name)
	case madeLoop:
		return undoLoop(m.Name)
	case madeMount:
		return undoMount(m.Name)
	case madeSwap:
		if active, err := os.ReadFile("/proc/swaps"); err == nil && bytes.Contains(active, []byte(m.Name+" ")) {
			return tool("swapoff", m.Name)
		}
	case madeZram:
		return writeAgain("/sys/block/"+m.Name+"/reset", "1")
	case madeSysctl:
		return os.WriteFile(sysctlFile(m.Name), []byte(m.Old), 0)
	}
	return nil
}

// tool runs a command of the system, which is given five seconds.
func tool(name string, args ...string) error {
	cmd := exec.Command(name, args...)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("run %s: %w", name, err)
	}
	timer := time.AfterFunc(5*time.Second, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	if err := cmd.Wait(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, strings.TrimSpace(out.String()))
	}
	return nil
}

// undoDir removes a lab's folder, and nothing that a link in its place leads to.
func undoDir(path string) error {
	parent, err := safefile.OpenDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer parent.Close()
	return parent.RemoveTree(filepath.Base(path))
}

func undoNetNS(name string) error {
	if _, err := os.Stat("/run/netns/" + name); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return tool("ip", "netns", "del", name)
}

// liftIOLimits makes the reads and writes that wait for a throttle go on.
func liftIOLimits(path string) {
	for _, file := range []string{"read_iops_device", "write_iops_device", "read_bps_device", "write_bps_device"} {
		path := path + "/blkio.throttle." + file
		b, _ := os.ReadFile(path)
		for line := range strings.Lines(string(b)) {
			if device, _, ok := strings.Cut(line, " "); ok {
				_ = os.WriteFile(path, []byte(device+" 0"), 0)
			}
		}
	}
	b, _ := os.ReadFile(path + "/io.max")
	for line := range strings.Lines(string(b)) {
		if device, _, ok := strings.Cut(line, " "); ok {
			_ = os.WriteFile(path+"/io.max", []byte(device+" rbps=max wbps=max riops=max wiops=max"), 0)
		}
	}
}

// undoCgroup removes a group. Processes that still die keep it busy a moment.
func undoCgroup(path string) error {
	return again(func() error {
		err := os.Remove(path)
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if b, readErr := os.ReadFile(path + "/cgroup.procs"); readErr == nil {
			for _, pid := range strings.Fields(string(b)) {
				if n, convErr := strconv.Atoi(pid); convErr == nil {
					_ = syscall.Kill(n, syscall.SIGKILL)
				}
			}
		}
		return err
	})
}

// again repeats what fails because something is busy still, for three seconds.
func again(do func() error) error {
	var err error
	for deadline := time.Now().Add(3 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		if err = do(); err == nil || time.Now().After(deadline) {
			return err
		}
	}
}

func writeAgain(path, value string) error {
	return again(func() error { return os.WriteFile(path, []byte(value), 0) })
}

// undoLoop detaches every loop device that the file is behind.
func undoLoop(file string) error {
	backing, err := filepath.Glob("/sys/block/loop*/loop/backing_file")
	if err != nil {
		return err
	}
	for _, path := range backing {
		b, err := os.ReadFile(path)
		if err != nil {
			continue // detached meanwhile
		}
		if strings.TrimSuffix(strings.TrimSpace(string(b)), " (deleted)") == file {
			device := "/dev/" + strings.Split(path, "/")[3]
			if err := again(func() error { return tool("losetup", "--detach", device) }); err != nil {
				return err
			}
		}
	}
	return nil
}

// undoMount unmounts what a lab mounted in its folder. The folder is held open,
// so that its name can lead nowhere else meanwhile.
func undoMount(path string) error {
	folder, err := safefile.OpenDir(filepath.Dir(path))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer folder.Close()
	at := fmt.Sprintf("/proc/self/fd/%d/%s", folder.File().Fd(), filepath.Base(path))
	err = again(func() error {
		err := unix.Unmount(at, unix.UMOUNT_NOFOLLOW)
		if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOENT) {
			return nil // not mounted
		}
		return err
	})
	if err != nil {
		err = fmt.Errorf("unmount %s: %w", path, err)
		// Out of the way at least; the kernel lets go when the last user does.
		if lazy := unix.Unmount(at, unix.UMOUNT_NOFOLLOW|unix.MNT_DETACH); lazy == nil {
			return nil
		}
	}
	return err
}

// thaw ends a freeze; it fails when the filesystem is not frozen, as it
// should not be.
func thaw(mount string) {
	_ = tool("fsfreeze", "--unfreeze", mount)
}

// killAll kills every process of a lab: those noted, if PID and start time
// still name the same one, with their groups; and those that carry the mark,
// however far they have gone.
func killAll(id string, items []made) error {
	deadline := time.Now().Add(4 * time.Second)
	for {
		alive := living(id, items)
		if len(alive) == 0 {
			return nil
		}
		for _, pid := range alive {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("processes %v do not die", alive)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// living lists the processes of a lab that have not ended.
func living(id string, items []made) []int {
	noted := map[int]uint64{}
	for _, m := range items {
		if m.Kind == madeProcess {
			noted[m.PID] = m.Start
		}
	}
	dirs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	var pids []int
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		stat, err := readStat(pid)
		if err != nil || stat.state == 'Z' || stat.state == 'X' {
			continue
		}
		leader, ours := noted[stat.pgrp]
		// A process group lives as long as a member; its number is not given
		// to a new process before. But a number may have been reused after
		// the whole group ended: then its leader is another one.
		if ours && stat.pgrp != pid {
			if s, err := readStat(stat.pgrp); err == nil && s.start != leader {
				ours = false
			}
		} else if ours {
			ours = stat.start == leader
		}
		if ours || marked(pid, id) {
			pids = append(pids, pid)
		}
	}
	return pids
}

// maxEnviron bounds what is read of an environment. The kernel gives a new program
// six megabytes at most, but a process can say later that its own are terabytes.
const maxEnviron = 8 << 20

// marked says whether a process was started with the lab's ID in its
// environment.
func marked(pid int, id string) bool {
	return markedIn(fmt.Sprintf("/proc/%d/environ", pid), id)
}

func markedIn(environ, id string) bool {
	f, err := os.Open(environ)
	if err != nil {
		return false
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, maxEnviron))
	if err != nil {
		return false
	}
	return bytes.HasPrefix(b, []byte(mark+"="+id+"\x00")) || bytes.Contains(b, []byte("\x00"+mark+"="+id+"\x00"))
}
