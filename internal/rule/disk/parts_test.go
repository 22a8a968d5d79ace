package disk

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
)

// The part in which requests spend most of their time is told, of the device asked for alone.
func TestPartsOfTime(t *testing.T) {
	row := func(device, process string, requests int64, queue, service time.Duration) recording.BlockSum {
		return recording.BlockSum{At: ruletest.Start.Add(time.Second), Device: device, Operation: "read", PID: int32(len(process)), Process: process, Span: time.Second, Requests: requests,
			Queue: time.Duration(requests) * queue, Service: time.Duration(requests) * service}
	}
	v := ruletest.Add(ruletest.New(2, 10), row("sda", "backup", 30, 9*time.Millisecond, time.Millisecond), row("sda", "shop", 10, 9*time.Millisecond, time.Millisecond),
		row("sdb", "other", 100, time.Millisecond, 3*time.Millisecond)).View()
	for device, want := range map[string]string{"sda": "in the queue before the device: 9 ms in the queue, 1 ms in the device; backup (6) made 75 %", "sdb": "in the device: 1 ms in the queue, 3 ms in the device; other (5) made 100 %", "sdc": ""} {
		got := ""
		for _, e := range partsOfTime(v, device) {
			got += fmt.Sprint(e.What)
		}
		if !strings.Contains(got, want) || (want == "") != (got == "") {
			t.Errorf("%s: %q, want %q", device, got, want)
		}
	}
}
