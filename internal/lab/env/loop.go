package env

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Loop is a small filesystem in a file of the lab's folder, on a loop device.
type Loop struct {
	Device string // "/dev/loop0"
	Mount  string // mount point inside the lab's folder
	file   string
	env    *Env
}

// LoopFS makes an ext4 filesystem of the given size and mounts it. mkfs are
// further arguments of mkfs.ext4, such as "-N", "64" for few inodes.
func (e *Env) LoopFS(name string, bytes int64, mkfs ...string) (*Loop, error) {
	l := &Loop{Mount: e.Path(name), file: e.Path(name + ".img"), env: e}
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
	defer cancel()
	f, err := os.Create(l.file)
	if err != nil {
		return nil, fmt.Errorf("make a loop filesystem: %w", err)
	}
	defer f.Close()
	if err := f.Truncate(bytes); err != nil {
		return nil, fmt.Errorf("make a loop filesystem: %w", err)
	}
	// Without lazy initialisation the kernel writes nothing behind the
	// lab's back after mounting.
	args := append([]string{"-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0"}, mkfs...)
	if _, err := e.Run(ctx, "mkfs.ext4", append(args, l.file)...); err != nil {
		return nil, err
	}
	if err := e.journal.add(made{Kind: madeLoop, Name: l.file}); err != nil {
		return nil, err
	}
	out, err := e.Run(ctx, "losetup", "--find", "--show", "--direct-io=off", l.file)
	if err != nil {
		return nil, err
	}
	l.Device = strings.TrimSpace(out)
	if err := os.Mkdir(l.Mount, 0o755); err != nil {
		return nil, fmt.Errorf("make a loop filesystem: %w", err)
	}
	if err := e.journal.add(made{Kind: madeMount, Name: l.Mount}); err != nil {
		return nil, err
	}
	_, err = e.Run(ctx, "mount", l.Device, l.Mount)
	return l, err
}

// DirectLoopFS is LoopFS without a second page cache below: what is read and
// written reaches the disk that the file lies on, so that a limit of a control
// group there (Cgroup.LimitIO) holds. backing is that disk.
func (e *Env) DirectLoopFS(name string, bytes int64) (l *Loop, backing string, err error) {
	if l, err = e.LoopFS(name, bytes); err != nil {
		return nil, "", err
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err = e.Run(ctx, "losetup", "--direct-io=on", l.Device); err != nil {
		return nil, "", err
	}
	backing, err = deviceOf(l.file)
	return l, backing, err
}

// ReadOnly mounts the filesystem again so that nothing is written to it.
func (l *Loop) ReadOnly(ctx context.Context) error {
	_, err := l.env.Run(ctx, "mount", "-o", "remount,ro", l.Mount)
	return err
}

// LoseEnd takes the end of the device away, from a share of its size on, and keeps a copy of it:
// what is read there fails. What is written there would bring it back, so mount it ReadOnly.
func (l *Loop) LoseEnd(ctx context.Context, from float64) error {
	if _, err := l.env.Run(ctx, "cp", "--sparse=always", l.file, l.file+".whole"); err != nil {
		return err
	}
	info, err := os.Stat(l.file)
	if err != nil {
		return fmt.Errorf("damage a loop device: %w", err)
	}
	return os.Truncate(l.file, int64(from*float64(info.Size()))&^4095)
}

// BringBack undoes LoseEnd.
func (l *Loop) BringBack(ctx context.Context) error {
	_, err := l.env.Run(ctx, "dd", "if="+l.file+".whole", "of="+l.file, "bs=1M", "conv=notrunc,sparse")
	return err
}

// Freeze makes every writer of the filesystem wait until Thaw.
func (l *Loop) Freeze() error {
	if err := l.env.journal.add(made{Kind: madeFreeze, Name: l.Mount}); err != nil {
		return err
	}
	return l.fsfreeze("--freeze")
}

// Thaw ends a Freeze.
func (l *Loop) Thaw() error {
	if err := l.fsfreeze("--unfreeze"); err != nil {
		return err
	}
	l.env.journal.drop(madeFreeze, l.Mount)
	return nil
}

func (l *Loop) fsfreeze(how string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	_, err := l.env.Run(ctx, "fsfreeze", how, l.Mount)
	return err
}

// ZramSwap turns a zram device of the given size, compressed memory, into
// swap. A device that is in use already is left alone, with an error.
func (e *Env) ZramSwap(device string, bytes int64) error {
	size := "/sys/block/" + device + "/disksize"
	old, err := os.ReadFile(size)
	if err != nil {
		return fmt.Errorf("use %s as swap: %w", device, err)
	}
	if strings.TrimSpace(string(old)) != "0" {
		return fmt.Errorf("use %s as swap: it has a size already, it is in use", device)
	}
	if err := e.journal.add(made{Kind: madeZram, Name: device}); err != nil {
		return err
	}
	if err := os.WriteFile(size, []byte(strconv.FormatInt(bytes, 10)), 0); err != nil {
		return fmt.Errorf("use %s as swap: %w", device, err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	if _, err := e.Run(ctx, "mkswap", "/dev/"+device); err != nil {
		return err
	}
	if err := e.journal.add(made{Kind: madeSwap, Name: "/dev/" + device}); err != nil {
		return err
	}
	_, err = e.Run(ctx, "swapon", "/dev/"+device)
	return err
}

// deviceOf returns the whole disk that a file lies on.
func deviceOf(path string) (string, error) {
	var st syscall.Stat_t
	if err := syscall.Stat(path, &st); err != nil {
		return "", fmt.Errorf("find the disk of %s: %w", path, err)
	}
	major, minor := st.Dev>>8&0xfff, st.Dev&0xff|st.Dev>>12&0xfff00
	link, err := filepath.EvalSymlinks(fmt.Sprintf("/sys/dev/block/%d:%d", major, minor))
	if err != nil {
		return "", fmt.Errorf("find the disk of %s, which lies on device %d:%d: %w", path, major, minor, err)
	}
	if _, err := os.Stat(link + "/partition"); err == nil {
		link = filepath.Dir(link) // throttles are set on whole disks
	}
	return "/dev/" + filepath.Base(link), nil
}
