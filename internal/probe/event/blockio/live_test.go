package blockio

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"rtrail/internal/probe/event"
	"rtrail/internal/probe/event/eventtest"
	"rtrail/internal/recording"
)

// early is the source as of a kernel that does not tell when requests are made.
type early struct{ *Source }

func (e early) Object() event.Object {
	o := e.Source.Object()
	o.Unused = []string{atStart, atEnd}
	o.Hooks = slices.DeleteFunc(o.Hooks, func(h event.Hook) bool { return h.Programs[0].Program == atStart || h.Programs[0].Program == atEnd })
	return o
}

// Requests of a device are exactly those that the kernel counts in /sys/block/DEVICE/stat.
func TestAgainstStat(t *testing.T) {
	for _, scheduler := range []string{"none", "mq-deadline"} {
		t.Run("told when made/"+scheduler, func(t *testing.T) { againstStat(t, New(), scheduler) })
		t.Run("not told when made/"+scheduler, func(t *testing.T) { againstStat(t, early{New()}, scheduler) })
	}
}

func againstStat(t *testing.T, source event.Source, scheduler string) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	file := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(file, make([]byte, 8<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command("losetup", "--find", "--show", file).Output()
	if err != nil {
		t.Skipf("no loop device: %v", err)
	}
	device := strings.TrimSpace(string(out))
	defer func() { _ = exec.Command("losetup", "-d", device).Run() }()
	if err := os.WriteFile("/sys/block/"+filepath.Base(device)+"/queue/scheduler", []byte(scheduler), 0); err != nil {
		t.Skipf("no scheduler of requests: %v", err)
	}
	time.Sleep(500 * time.Millisecond) // those who look at new devices are done
	stat := func() (n [8]int64) {
		b, err := os.ReadFile("/sys/block/" + filepath.Base(device) + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		for i, f := range strings.Fields(string(b))[:len(n)] {
			_, _ = fmt.Sscan(f, &n[i])
		}
		return n
	}
	var before, after [8]int64
	const each, syncs = 100, 4
	rec := eventtest.Watch(t, source, func() {
		before = stat()
		f, err := os.OpenFile(device, os.O_RDWR|unix.O_DIRECT, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		raw := make([]byte, 2*4096)
		skip := 4096 - int(uintptr(unsafe.Pointer(&raw[0]))%4096)
		page := raw[skip : skip+4096]
		for i := range int64(each) {
			if _, err := f.WriteAt(page, i*8192); err != nil {
				t.Fatal(err)
			}
			if _, err := f.ReadAt(page, i*8192); err != nil {
				t.Fatal(err)
			}
		}
		// The device empties its cache after these.
		for i := range int64(syncs) {
			if _, err := unix.Pwritev2(int(f.Fd()), [][]byte{page}, i*8192, unix.RWF_DSYNC); err != nil {
				t.Fatal(err)
			}
		}
		// Neighbours are merged, and each sync has the device empty its cache.
		buffered, err := os.OpenFile(device, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer buffered.Close()
		for i := range int64(syncs) {
			if _, err := buffered.WriteAt(make([]byte, 1<<20), i<<20); err != nil {
				t.Fatal(err)
			}
			if err := buffered.Sync(); err != nil {
				t.Fatal(err)
			}
		}
		after = stat()
	})
	var got [8]int64
	ours := map[string]int64{}
	for _, r := range recording.Rows[recording.BlockSum](rec) {
		if r.Device != filepath.Base(device) {
			continue
		}
		at, ok := map[string]int{"read": 0, "write": 4}[r.Operation]
		if !ok {
			continue
		}
		got[at] += r.Requests
		got[at+2] += r.Bytes / 512
		if int(r.PID) == os.Getpid() {
			ours[r.Operation] += r.Requests
		}
		if r.Service <= 0 || r.ServiceLongest > r.Service || r.QueueLongest > r.Queue || r.Histogram == "" || r.QueueHistogram == "" {
			t.Errorf("%+v", r)
		}
	}
	for at, name := range map[int]string{0: "reads", 2: "sectors read", 4: "writes", 6: "sectors written"} {
		want := after[at] - before[at]
		t.Logf("%s: %d", name, want)
		if got[at] != want || want < each {
			t.Errorf("%s: %d, the kernel counts %d", name, got[at], want)
		}
	}
	if ours["read"] < each || ours["write"] < each {
		t.Errorf("requests of this process: %v", ours)
	}
}

// Types are laid out as in bpf/blockio.c.
func TestLayout(t *testing.T) {
	if k, s := unsafe.Sizeof(key{}), unsafe.Sizeof(sum{}); k != 16 || s != 280 {
		t.Errorf("keys have %d bytes, sums %d", k, s)
	}
}

func TestDeviceName(t *testing.T) {
	if got := DeviceName("0:45"); got != "0:45" {
		t.Errorf("of a filesystem without a device: %q", got)
	}
	numbers, err := os.ReadDir("/sys/dev/block")
	if err != nil || len(numbers) == 0 {
		t.Skip("no block device here")
	}
	number := numbers[0].Name()
	got := DeviceName(number)
	if dev, err := os.ReadFile("/sys/class/block/" + got + "/dev"); err != nil || strings.TrimSpace(string(dev)) != number {
		t.Errorf("%s is called %q, whose number is %q", number, got, dev)
	}
}
