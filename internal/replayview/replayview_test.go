package replayview

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/document"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/session"
)

func TestOf(t *testing.T) {
	h := ruletest.New(2, 10)
	h.System(ruletest.System{})
	h.Process(ruletest.Process{PID: 7, PPID: 1, Comm: "api", CPU: 0.5})
	h.Process(ruletest.Process{PID: 8, PPID: 1, Comm: "batch", CPU: 1.2})
	h.Cgroup(ruletest.Cgroup{Path: "/shop", Change: func(_ float64, row *recording.CgroupSample) {
		row.Memory, row.MemoryMax = 100<<20, 160<<20
	}})
	ruletest.Add(h, recording.SocketOwner{At: ruletest.Start, Inode: 900, PID: 7, FD: 3})
	ruletest.Every(h, func(at time.Time, s float64) recording.ListenerSample {
		return recording.ListenerSample{At: at, NetNS: 1, Local: "0.0.0.0", Port: 8080, Inode: 900, Queue: uint32(s), Backlog: 128}
	})
	ruletest.Every(h, func(at time.Time, s float64) recording.NetDeviceSample {
		return recording.NetDeviceSample{At: at, NetNS: 1, Interface: "eth0", RxBytes: uint64(2048 * s), TxBytes: uint64(1024 * s), RxPackets: uint64(10 * s), RxDropped: uint64(3 * s)}
	})
	ruletest.Add(h, recording.NetDeviceSample{At: ruletest.Start, NetNS: 1, Interface: "eth1"})
	ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
		return recording.DiskSample{At: at, Device: "sda", Reads: uint64(20 * s), Busy: time.Duration(s * float64(time.Second) / 4)}
	})
	ruletest.Add(h, recording.MountSample{At: ruletest.Start, MountPoint: "/srv", Device: "/dev/sda", FSType: "ext4", Size: 100 << 30, Free: 25 << 30, Inodes: 100, InodesFree: 90})
	v := h.View()
	m := Of(&session.Evidence{Recording: h.Rec, From: v.Start(), To: v.End()})
	if len(m.Samples) < 2 {
		t.Errorf("samples at %v", m.Samples)
	}
	if len(m.Pages[Verdict].Blocks) == 0 {
		t.Error("no verdict")
	}
	for page, want := range map[Page][]string{
		Processes: {"batch 8 1.20", "api 7 0.50"},
		Disks:     {"sda 25 % 20 0 0 B", "75 % 100 GiB 25 GiB 10 % ext4"},
		Network:   {"eth0 ", "2 KiB 1 KiB 10 0 30 0", "eth1 ", "- - - - - -", "api 7 8080 0.0.0.0 10 10 128 0"},
		Cgroups:   {"/shop ", "100 MiB 160 MiB"},
	} {
		got := rows(m.Pages[page])
		for _, w := range want {
			if !strings.Contains(got, w) {
				t.Errorf("%s: %q is not in\n%s", Names()[page], w, got)
			}
		}
	}
	if got := rows(m.Pages[Processes]); strings.Index(got, "batch") > strings.Index(got, "api") {
		t.Errorf("the busiest process is not the first:\n%s", got)
	}
}

// Nothing recorded is told, and long tables end.
func TestBounds(t *testing.T) {
	h := ruletest.New(2, 10)
	m := Of(&session.Evidence{Recording: h.Rec, From: ruletest.Start, To: ruletest.Start.Add(10 * time.Second)})
	for page := Processes; page < Pages; page++ {
		if p, ok := m.Pages[page].Blocks[0].(document.Prose); !ok || p.Words != "none was recorded" {
			t.Errorf("%s: %+v", Names()[page], m.Pages[page].Blocks)
		}
	}
	for pid := range 300 {
		h.Process(ruletest.Process{PID: int32(10 + pid), PPID: 1, Comm: "worker"})
	}
	m = Of(&session.Evidence{Recording: h.Rec, From: ruletest.Start, To: ruletest.Start.Add(10 * time.Second)})
	if p := m.Pages[Processes].Blocks[0].(document.Table); len(p.Rows) != maxRows || p.More != "and 100 more that did less" {
		t.Errorf("%d rows, %q", len(p.Rows), p.More)
	}
}

// rows are those of the tables of a document, a line each.
func rows(d document.Document) string {
	var out strings.Builder
	for _, b := range d.Blocks {
		if t, ok := b.(document.Table); ok {
			for _, r := range t.Rows {
				if len(r) != len(t.Columns) {
					fmt.Fprintf(&out, "%d cells in %d columns: ", len(r), len(t.Columns))
				}
				fmt.Fprintln(&out, strings.Join(r, " "))
			}
		}
	}
	return out.String()
}
