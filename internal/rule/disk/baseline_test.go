package disk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// A disk is as near to its limit as it is in requests or in bytes, reads and writes together.
func TestOfBaseline(t *testing.T) {
	value := func(what baseline.What, x float64) recording.BaselineValue {
		return recording.BaselineValue{At: ruletest.Start.Add(-time.Hour), Measured: ruletest.Start.Add(-24 * time.Hour), Kind: "disk", Thing: "vda", What: string(what), Value: x}
	}
	all := []recording.BaselineValue{value(baseline.RandomReads, 10_000), value(baseline.RandomWrites, 5_000), value(baseline.SequentialRead, 400<<20), value(baseline.SequentialWrite, 200<<20), value(baseline.SyncMedian, 0.002)}
	disk := func(device string, reads, writes, read, written float64) view.BlockDevice {
		return view.BlockDevice{Device: device, DiskRates: view.DiskRates{Reads: reads, Writes: writes, ReadBytes: read, WrittenBytes: written}}
	}
	for name, tt := range map[string]struct {
		rows []recording.BaselineValue
		disk view.BlockDevice
		says string
	}{
		"requests":       {all, disk("vda", 7000, 1250, 7000*4096, 1250*4096), "95 % of the requests that vda could do"},
		"bytes":          {all, disk("vda", 100, 100, 100<<20, 100<<20), "75 % of the bytes that vda could move"},
		"another disk":   {all, disk("vdb", 7000, 1250, 7000*4096, 1250*4096), ""},
		"half a measure": {all[1:], disk("vda", 7000, 1250, 7000*4096, 1250*4096), ""},
		"no baseline":    {nil, disk("vda", 7000, 1250, 7000*4096, 1250*4096), ""},
	} {
		said := ""
		for _, e := range ofBaseline(ruletest.Add(ruletest.New(2, 10), tt.rows...).View(), tt.disk) {
			said += fmt.Sprint(e.What)
		}
		if !strings.Contains(said, tt.says) || (said == "") != (tt.says == "") {
			t.Errorf("%s: %q, want %q", name, said, tt.says)
		}
	}
	v := ruletest.Add(ruletest.New(2, 10), all...).View()
	if e := syncBaseline(v, "vda"); len(e) != 1 || !strings.Contains(fmt.Sprint(e[0].What), "took 2 ms (median) when vda was measured") {
		t.Errorf("%v", e)
	}
	if e := syncBaseline(v, "vdb"); len(e) > 0 {
		t.Errorf("%v", e)
	}
}
