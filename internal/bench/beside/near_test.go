package beside

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/bench"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/verdict"
	"rtrail/internal/view"
)

// A run says how near disks and interfaces were to what they could do, the nearest first, and is
// silent about what was not measured.
func TestNear(t *testing.T) {
	value := func(kind baseline.Kind, thing string, what baseline.What, x float64) recording.BaselineValue {
		return recording.BaselineValue{At: ruletest.Start.Add(-time.Hour), Measured: ruletest.Start.Add(-24 * time.Hour), Kind: string(kind), Thing: thing, What: string(what), Value: x}
	}
	disk := []recording.BaselineValue{value(baseline.Disk, "vda", baseline.RandomReads, 1000), value(baseline.Disk, "vda", baseline.RandomWrites, 500), value(baseline.Disk, "vda", baseline.SequentialRead, 400<<20), value(baseline.Disk, "vda", baseline.SequentialWrite, 200<<20)}
	path := value(baseline.Network, "10.0.0.9 dev eth0", baseline.Sent, 2_000_000-2*66_000)
	for name, tt := range map[string]struct {
		rows []recording.BaselineValue
		want string
	}{
		"all":            {append(disk, path, value(baseline.HTTP, "", baseline.Requests, 4000)), "vda requests 95, eth0 sent 50, HTTP requests over loopback 25"},
		"the disk":       {disk, "vda requests 95"},
		"the interface":  {[]recording.BaselineValue{path}, "eth0 sent 50"},
		"others":         {[]recording.BaselineValue{value(baseline.Disk, "vdb", baseline.RandomReads, 1000), value(baseline.Network, "10.0.0.9 dev eth1", baseline.Sent, 1e6), value(baseline.CPU, "", baseline.HashAll, 1e9)}, ""},
		"half of a disk": {disk[:2], ""},
		"none":           {nil, ""},
	} {
		h := ruletest.New(2, 10)
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: "vda", Reads: uint64(700 * s), Writes: uint64(125 * s), ReadBytes: uint64(700 * 4096 * s), WrittenBytes: uint64(125 * 4096 * s)}
		})
		h.NetDevice(ruletest.NetDevice{Name: "eth0", TxBytes: 1_000_000, TxPackets: 1000, RxBytes: 5000, RxPackets: 10})
		v := ruletest.Add(h, tt.rows...).View()
		r := bench.NewRun()
		r.Load.TPS = 1000
		Host(&r, v)
		LoopbackHTTP(&r, v)
		var got []string
		for _, n := range r.Baseline {
			got = append(got, fmt.Sprintf("%s %s %.0f", n.Thing, n.What, 100*float64(n.Share)))
		}
		if s := strings.Join(got, ", "); s != tt.want {
			t.Errorf("%s: %q, want %q", name, s, tt.want)
		}
	}
}

// An interface of a container is another one than that of the host with the same name.
func TestSaturatedInterfaces(t *testing.T) {
	h := ruletest.New(2, 10)
	ruletest.Add(h, recording.NetNSSample{At: ruletest.Start, NetNS: 1, Own: true}, recording.NetNSSample{At: ruletest.Start, NetNS: 2, Name: "web"})
	var found verdict.Verdict
	for _, e := range []view.Entity{view.InterfaceEntity("eth0", 1), view.InterfaceEntity("eth0", 2), view.DeviceEntity("vda")} {
		found.Findings = append(found.Findings, verdict.Finding{Finding: rule.Finding{Rule: "net/rate-limited", Confidence: rule.Likely, Subject: e}})
	}
	var got []string
	for _, s := range Saturated(h.View(), found) {
		got = append(got, s.Subject)
	}
	if s := strings.Join(got, ", "); s != "eth0, eth0 in web, vda" {
		t.Error(s)
	}
}
