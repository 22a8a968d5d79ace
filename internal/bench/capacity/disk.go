package capacity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/baseline"
	"rtrail/internal/bench/load"
	"rtrail/internal/safefile"
	"rtrail/internal/unit"
)

const (
	// fileBytes is how large the file is that is read and written.
	fileBytes = 1 << 30
	// spareBytes must be left on the filesystem beside it.
	spareBytes = 1 << 30
	// endWithin is how long fio may take to end after its time.
	endWithin = 30 * time.Second
	// mostOutput bounds what fio says.
	mostOutput = 4 << 20
)

// diskJobs are what is asked of a disk. The first one makes the file.
var diskJobs = []struct {
	args []string
	take func(b *baseline.Baseline, disk string, job *fioJob)
}{
	{[]string{"--rw=write", "--bs=1M", "--iodepth=8"}, func(b *baseline.Baseline, disk string, j *fioJob) {
		b.Add(baseline.Disk, disk, baseline.SequentialWrite, j.Write.Bandwidth)
	}},
	{[]string{"--rw=read", "--bs=1M", "--iodepth=8"}, func(b *baseline.Baseline, disk string, j *fioJob) {
		b.Add(baseline.Disk, disk, baseline.SequentialRead, j.Read.Bandwidth)
	}},
	{[]string{"--rw=randread", "--bs=4k", "--iodepth=32"}, func(b *baseline.Baseline, disk string, j *fioJob) {
		b.Add(baseline.Disk, disk, baseline.RandomReads, j.Read.IOPS)
	}},
	{[]string{"--rw=randwrite", "--bs=4k", "--iodepth=32"}, func(b *baseline.Baseline, disk string, j *fioJob) {
		b.Add(baseline.Disk, disk, baseline.RandomWrites, j.Write.IOPS)
	}},
	{[]string{"--rw=write", "--bs=4k", "--iodepth=1", "--fsync=1", "--direct=0"}, func(b *baseline.Baseline, disk string, j *fioJob) {
		b.Add(baseline.Disk, disk, baseline.SyncMedian, j.Sync.Latency.Percentile["50.000000"]/1e9)
		b.Add(baseline.Disk, disk, baseline.SyncP99, j.Sync.Latency.Percentile["99.000000"]/1e9)
	}},
}

// fioJob is what fio says of a job.
type fioJob struct {
	Error int `json:"error"`
	Read  fioSide
	Write fioSide
	Sync  struct {
		Latency struct {
			Percentile map[string]float64 `json:"percentile"` // nanoseconds
		} `json:"lat_ns"`
	} `json:"sync"`
}

type fioSide struct {
	IOPS      float64 `json:"iops"`
	Bandwidth float64 `json:"bw_bytes"` // bytes per second
}

// Disk measures the filesystem of a folder with fio, each of its jobs for length, and calls
// tell before each.
func Disk(ctx context.Context, b *baseline.Baseline, folder string, length time.Duration, tell func(string)) (err error) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		return errors.New("fio is missing: install the package fio, or leave disks out")
	}
	at, err := safefile.OpenDir(folder)
	if err != nil {
		return err
	}
	defer at.Close()
	disk, err := room(folder)
	if err != nil {
		return err
	}
	name := fmt.Sprintf(".rtrail-baseline-%d", os.Getpid())
	own, err := at.Mkdir(name, 0o700) // nobody else can put anything into it
	if err != nil {
		return err
	}
	defer func() {
		err = errors.Join(err, own.Close(), at.RemoveTree(name))
	}()
	for _, j := range diskJobs {
		tell(fmt.Sprintf("disk %s: %s", disk, strings.Join(j.args, " ")))
		args := append([]string{"--name=baseline", "--filename=" + fioFile, "--size=" + strconv.Itoa(fileBytes), "--ioengine=libaio", "--direct=1",
			"--time_based", fmt.Sprintf("--runtime=%d", max(1, int(length.Seconds()))), "--randrepeat=0", "--refill_buffers", "--output-format=json"}, j.args...)
		job, err := runFio(ctx, fio, args, own.File(), length)
		if err != nil {
			return fmt.Errorf("measuring %s: %w", folder, err)
		}
		j.take(b, disk, job)
	}
	return nil
}

// fioFile is the file of a job in the folder that fio is given open: whoever owns what is above
// it may put another one in its place.
const fioFile = "/proc/self/fd/3/file"

// runFio runs one job in a folder.
func runFio(ctx context.Context, fio string, args []string, in *os.File, length time.Duration) (*fioJob, error) {
	ctx, stop := context.WithTimeout(ctx, 2*length+endWithin)
	defer stop()
	var out strings.Builder
	err := load.Lines(ctx, append([]string{fio}, args...), func(line string) {
		if out.Len()+len(line) < mostOutput {
			out.WriteString(line + "\n")
		}
	}, in)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("fio: %w", err)
	}
	return parseFio(out.String())
}

// parseFio reads the report among what fio prints, which notes things before and after it.
func parseFio(text string) (*fioJob, error) {
	var said struct {
		Jobs []fioJob `json:"jobs"`
	}
	report := json.NewDecoder(strings.NewReader(text[max(strings.IndexByte(text, '{'), 0):]))
	if err := report.Decode(&said); err != nil || len(said.Jobs) != 1 {
		return nil, fmt.Errorf("fio: no report of one job in %.80q", text)
	}
	if e := said.Jobs[0].Error; e != 0 {
		return nil, fmt.Errorf("fio: %w", syscall.Errno(e))
	}
	return &said.Jobs[0], nil
}

// room checks that there is room for the file, and names the disk that holds a folder: the
// whole one, as the kernel calls it.
func room(folder string) (disk string, err error) {
	var fs unix.Statfs_t
	if err := unix.Statfs(folder, &fs); err != nil {
		return "", &os.PathError{Op: "statfs", Path: folder, Err: err}
	}
	switch fs.Type {
	case unix.TMPFS_MAGIC, unix.RAMFS_MAGIC:
		return "", fmt.Errorf("%s is in memory: choose a folder on a disk", folder)
	case unix.NFS_SUPER_MAGIC, unix.SMB_SUPER_MAGIC, unix.CIFS_SUPER_MAGIC, unix.FUSE_SUPER_MAGIC, unix.CEPH_SUPER_MAGIC:
		return "", fmt.Errorf("%s is on another host or in a program: choose a folder on a disk of this host", folder)
	}
	if free := int64(fs.Bavail) * fs.Bsize; free < fileBytes+spareBytes { //nolint:unconvert // differs by architecture
		return "", fmt.Errorf("%s has %v free: measuring takes %v, and %v must be left", folder, unit.Bytes(free), unit.Bytes(fileBytes), unit.Bytes(spareBytes))
	}
	var st unix.Stat_t
	if err := unix.Stat(folder, &st); err != nil {
		return "", &os.PathError{Op: "stat", Path: folder, Err: err}
	}
	return wholeDisk("/sys", uint64(st.Dev)) //nolint:unconvert // differs by architecture
}

// wholeDisk names the disk of a device number.
func wholeDisk(sys string, dev uint64) (string, error) {
	at, err := filepath.EvalSymlinks(filepath.Join(sys, "dev", "block", fmt.Sprintf("%d:%d", unix.Major(dev), unix.Minor(dev))))
	if err != nil {
		return "", fmt.Errorf("which disk holds it is not known (device %d:%d): choose a folder on a filesystem of one disk", unix.Major(dev), unix.Minor(dev))
	}
	if _, err := os.Stat(filepath.Join(at, "partition")); err == nil {
		at = filepath.Dir(at)
	}
	return filepath.Base(at), nil
}
