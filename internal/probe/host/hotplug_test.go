package host

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"rtrail/internal/probe/procfile"
	"rtrail/internal/recording"
)

// A CPU that goes offline and comes back takes its line of softnet_stat along: the counts
// of the others stay theirs, also where the kernel does not say whose a line is.
func TestSoftnetOfCPUsThatComeAndGo(t *testing.T) {
	const old, named = "%s 00000000 00000001 0 0 0 0 0 0 0 0\n", "%s 00000000 00000001 0 0 0 0 0 0 0 0 00000003 %s\n"
	line := func(processed string) string { return strings.Replace(old, "%s", processed, 1) }
	type cpus map[int32]uint64 // packets that it handled
	for _, c := range []struct {
		name, stat, online string
		want               cpus
		why                string // of the note
	}{
		{"all", line("a0") + line("10") + line("f00000"), "0-2\n", cpus{0: 0xa0, 1: 0x10, 2: 0xf00000}, ""},
		{"CPU 1 is offline", line("a1") + line("f00001"), "0,2\n", cpus{0: 0xa1, 2: 0xf00001}, ""},
		{"it comes back", line("a2") + line("11") + line("f00002"), "0-2\n", cpus{0: 0xa2, 1: 0x11, 2: 0xf00002}, ""},
		{"it goes between the two files", line("a3") + line("12") + line("f00003"), "0,2\n", nil, "its 3 lines do not say of which CPU they are, and 2 are online"},
		{"damaged", line("a3"), "0-\n", nil, "is no list of CPUs"},
		{"unknown", line("a3"), "", nil, "no such file"},
		{"named", strings.NewReplacer("%s 0", "a4 0", " %s\n", " 00000002\n").Replace(named), "0-2\n", cpus{2: 0xa4}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			fs := FS{Root: t.TempDir()}
			for path, text := range map[string]string{"proc/net/softnet_stat": c.stat, "sys/devices/system/cpu/online": c.online} {
				path = fs.path(path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if text == "" {
					continue
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			w := recording.NewWriter(at)
			err := newSoftnet(fs).read(w, false)
			if c.why != "" {
				if err == nil || !strings.Contains(reason(err), c.why) || w.Rows() != 0 {
					t.Errorf("%d rows, error %v, want %q", w.Rows(), err, c.why)
				}
				return
			}
			rec := recording.New(recording.Manifest{})
			if err := errors.Join(err, rec.Commit(w)); err != nil {
				t.Fatal(err)
			}
			got := cpus{}
			for _, r := range recording.Rows[recording.SoftnetSample](rec) {
				got[r.CPU] = r.Processed
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("packets by CPU (-want +got):\n%s", diff)
			}
		})
	}
}

// A copy of softnet_stat is numbered by the CPUs of the copy of stat beside it.
func TestSoftnetOfACopy(t *testing.T) {
	const lines = "a0 0 0 0 0 0 0 0 0 0 0\nb0 0 0 0 0 0 0 0 0 0 0\n"
	for stat, want := range map[string][]int32{"cpu  1 2 3 4\ncpu0 1 2 3 4\ncpu5 1 2 3 4\n": {0, 5}, "cpu  1 2 3 4\ncpu0 1 2 3 4\n": nil, "": nil} {
		w, rec := recording.NewWriter(at), recording.New(recording.Manifest{})
		known, err := Snapshot(w, "net/softnet_stat", at, []byte(lines), []byte(stat))
		if !known || (err == nil) != (want != nil) {
			t.Errorf("%q: known %v, error %v", stat, known, err)
		}
		if err := rec.Commit(w); err != nil {
			t.Fatal(err)
		}
		var got []int32
		for _, r := range recording.Rows[recording.SoftnetSample](rec) {
			got = append(got, r.CPU)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: CPUs (-want +got):\n%s", stat, diff)
		}
	}
}

// Lines of /proc/interrupts that were printed after a CPU went or came have other columns
// than the heading: what they count is of no known CPU.
func TestInterruptsWhileCPUsComeAndGo(t *testing.T) {
	in := "       CPU0  CPU1  CPU2\n" +
		" 24:   1     20    300   PCI-MSI 1-edge  eth0\n" +
		" 25:   1     300   PCI-MSI 2-edge  eth0\n" + // CPU 1 is gone
		" 26:   1     20    300   4000  PCI-MSI 3-edge  eth0\n" + // CPU 3 came
		"LOC:   5     0     7     Local timer interrupts\n" +
		"Err:   9\n"
	rows, err := parseInterrupts(nil, at, []byte(in), new(procfile.Names))
	if err != nil {
		t.Fatal(err)
	}
	sample := func(irq, device string, cpu int32, n uint64) recording.InterruptSample {
		return recording.InterruptSample{At: at, IRQ: irq, Device: device, CPU: cpu, Count: n}
	}
	want := []recording.InterruptSample{
		sample("24", "PCI-MSI 1-edge  eth0", 0, 1), sample("24", "PCI-MSI 1-edge  eth0", 1, 20), sample("24", "PCI-MSI 1-edge  eth0", 2, 300),
		sample("LOC", "Local timer interrupts", 0, 5), sample("LOC", "Local timer interrupts", 2, 7),
	}
	if diff := cmp.Diff(want, rows); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
}

func TestCPULists(t *testing.T) {
	for in, want := range map[string][]int{"0\n": {0}, "0-3,8": {0, 1, 2, 3, 8}, "": nil, "3-1": nil, "0,0": nil, "0-99999999": nil, "-1": nil, "a": nil} {
		got, err := procfile.CPUs([]byte(in))
		if diff := cmp.Diff(want, got); diff != "" || (err == nil) != (want != nil) {
			t.Errorf("%q: error %v, CPUs (-want +got):\n%s", in, err, diff)
		}
	}
}
