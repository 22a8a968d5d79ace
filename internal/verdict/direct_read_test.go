package verdict_test

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/disk"
	"rtrail/internal/rule/memory"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
)

// A program that reads the same file past the page cache explains why a disk is saturated only
// if it is what the disk is busy with.
func TestDirectReadExplainsItsDisk(t *testing.T) {
	const mib = 1 << 20
	for _, tt := range []struct {
		name    string
		checker float64 // bytes per second that the one reads that could be cached
		cause   string
	}{
		{"a victim", 0.4 * mib, "disk/saturated"},
		{"what the disk does", 200 * mib, "mem/direct-io-read"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10).Memory(8<<30, 4<<30, 0)
			h.Manifest(func(m *recording.Manifest) { m.Host.Arch = "x86_64" })
			ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
				s += 1000
				return recording.DiskSample{At: at, Device: "sda", Major: 8, Reads: uint64(4000 * s), ReadBytes: uint64(4000 * 65536 * s), ReadTime: time.Duration(80 * s * 1e9),
					Busy: time.Duration(s * 1e9), WeightedQueue: time.Duration(80 * s * 1e9)}
			})
			reader := func(pid int32, comm string, rate float64, threads int32, path string, size int64) {
				h.Process(ruletest.Process{PID: pid, Comm: comm, ReadBytes: rate, Change: func(s float64, p *recording.ProcessSample) { p.ReadChars = int64(rate * s) }})
				for tid := pid; tid < pid+threads; tid++ {
					slices := int64(0)
					ruletest.Every(h, func(at time.Time, _ float64) recording.ThreadSample {
						slices++
						return recording.ThreadSample{At: at, PID: pid, TID: tid, State: "D", SyscallName: "pread64", Syscall: 17, FD: 3, Slices: slices, WaitChannel: "__iomap_dio_rw"}
					})
				}
				ruletest.Every(h, func(at time.Time, _ float64) recording.OpenFile {
					return recording.OpenFile{At: at, PID: pid, Process: comm, FD: 3, Path: path, Device: "8:0", Inode: uint64(pid), Size: size, Flags: 0o140000}
				})
			}
			reader(100, "scanner", 249*mib-tt.checker, 60, "/srv/huge", 1<<40)
			reader(812, "checker", tt.checker, 1, "/srv/index", mib)
			out := verdict.Judge(h.View(), append(append([]rule.Rule{}, disk.Rules...), memory.Rules...))
			if len(out.Findings) == 0 || out.Findings[0].Rule != tt.cause {
				t.Fatalf("%+v", out.Findings)
			}
			for _, f := range out.Findings[0].Explains {
				if strings.HasPrefix(f.Rule, "mem/") {
					t.Errorf("explains %s", f.Headline)
				}
			}
			if victim := tt.cause == "disk/saturated"; victim != strings.Contains(out.Findings[0].Headline.String(), "scanner (100)") {
				t.Errorf("headline: %s", out.Findings[0].Headline)
			}
		})
	}
}
