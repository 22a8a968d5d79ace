package capacity

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"rtrail/internal/baseline"
)

// what a baseline holds of a thing.
func what(b *baseline.Baseline) map[baseline.What]float64 {
	all := map[baseline.What]float64{}
	for _, v := range b.Values {
		all[v.What] = float64(v.Value)
	}
	return all
}

// TestFio reads what fio 3.33 printed.
func TestFio(t *testing.T) {
	b := &baseline.Baseline{}
	for file, job := range map[string]int{"randread.json": 2, "fsync.json": 4} {
		text, err := os.ReadFile(filepath.Join("testdata", file))
		if err != nil {
			t.Fatal(err)
		}
		j, err := parseFio("fio: a note\n" + string(text) + "fio: another one\n")
		if err != nil {
			t.Fatal(err)
		}
		diskJobs[job].take(b, "vda", j)
	}
	got := what(b)
	if reads := got[baseline.RandomReads]; reads < 1000 || reads > 1e6 {
		t.Errorf("%v random reads a second", reads)
	}
	if median, p99 := got[baseline.SyncMedian], got[baseline.SyncP99]; median < 1e-5 || median > 0.1 || p99 < median || p99 > 1 {
		t.Errorf("a sync takes %v, p99 %v", median, p99)
	}
	for _, text := range []string{"", "fio: pid=1, err=28", "{", `{"jobs":[]}`, `{"jobs":[{"error":28}]}`} {
		if _, err := parseFio(text); err == nil {
			t.Errorf("%q is a report", text)
		}
	}
}

// TestRunFio: fio works in the folder that it is given open, and what it refuses is told.
func TestRunFio(t *testing.T) {
	fio, err := exec.LookPath("fio")
	if err != nil {
		t.Skip(err)
	}
	folder := t.TempDir()
	in, err := os.Open(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	args := []string{"--name=baseline", "--filename=" + fioFile, "--size=64k", "--ioengine=sync", "--rw=write", "--bs=4k", "--output-format=json"}
	j, err := runFio(t.Context(), fio, args, in, time.Second)
	if err != nil || !(j.Write.Bandwidth > 0) {
		t.Errorf("%+v, %v", j, err)
	}
	if info, err := os.Stat(filepath.Join(folder, "file")); err != nil || info.Size() != 64<<10 {
		t.Errorf("%+v, %v", info, err)
	}
	if _, err := runFio(t.Context(), fio, append(args, "--rw=nonsense"), in, time.Second); err == nil || !strings.Contains(err.Error(), "fio: ") || !strings.Contains(err.Error(), "exit status") {
		t.Error(err)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if _, err := runFio(ended, fio, args, in, time.Second); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestDiskRefused(t *testing.T) {
	if _, err := room("/dev/shm"); err == nil || !strings.Contains(err.Error(), "in memory") && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("/dev/shm: %v", err)
	}
	if _, err := room(filepath.Join(t.TempDir(), "none")); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}

func TestWholeDisk(t *testing.T) {
	sys := t.TempDir()
	for _, dir := range []string{"devices/sda/sda1", "devices/dm-0", "dev/block"} {
		if err := os.MkdirAll(filepath.Join(sys, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(sys, "devices/sda/sda1/partition"), []byte("1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for number, to := range map[string]string{"8:0": "sda", "8:1": "sda/sda1", "253:0": "dm-0"} {
		if err := os.Symlink("../../devices/"+to, filepath.Join(sys, "dev/block", number)); err != nil {
			t.Fatal(err)
		}
	}
	for number, want := range map[[2]uint32]string{{8, 0}: "sda", {8, 1}: "sda", {253, 0}: "dm-0"} {
		if got, err := wholeDisk(sys, unix.Mkdev(number[0], number[1])); err != nil || got != want {
			t.Errorf("%v: %q, %v, want %q", number, got, err, want)
		}
	}
	if name, err := wholeDisk(sys, unix.Mkdev(0, 44)); err == nil {
		t.Errorf("a filesystem without a device is on %s", name)
	}
}

// TestHost measures for a moment: numbers are there, whatever they are.
func TestHost(t *testing.T) {
	b := &baseline.Baseline{}
	const length = 50 * time.Millisecond
	for _, measure := range []func(context.Context, *baseline.Baseline, time.Duration) error{CPU, Memory, HTTP} {
		if err := measure(t.Context(), b, length); err != nil {
			t.Error(err)
		}
	}
	got := what(b)
	for _, w := range []baseline.What{baseline.HashOne, baseline.HashAll, baseline.CopyOne, baseline.CopyAll, baseline.Requests} {
		if got[w] <= 0 {
			t.Errorf("%s: %v", w, got[w])
		}
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	if err := CPU(ended, b, time.Hour); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
