package refusal

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// Commands that a disk did not answer and errors of memory chips are listed;
// what smartd asks in vain is not.
func TestHardwareErrors(t *testing.T) {
	h := ruletest.New(2, 60)
	for device, perMinute := range map[string]float64{"sda": 4, "sdb": 60} {
		ruletest.Every(h, func(at time.Time, s float64) recording.DiskSample {
			return recording.DiskSample{At: at, Device: device, Errors: int64(perMinute * s / 60), Timeouts: recording.Unknown}
		})
	}
	ruletest.Every(h, func(at time.Time, s float64) recording.MemorySample {
		row := recording.MemorySample{At: at, Corrected: recording.Unknown, Uncorrected: recording.Unknown}
		if int(s)%5 == 0 {
			row.Uncorrected = int64(s / 60)
			row.Corrected = 1
		}
		return row
	})
	got := map[string]string{}
	for _, r := range Rising(h.View()) {
		got[r.Name+" "+r.Scope.Where] = r.Check().String()
	}
	if len(got) != 2 || got["ioerr_cnt sdb"] != "cat /sys/block/sdb/device/ioerr_cnt" || got["ue_count "] != "grep -r . /sys/devices/system/edac/mc --include ue_count" {
		t.Errorf("listed %v", got)
	}
}
