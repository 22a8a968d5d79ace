package disk

import (
	"time"

	"rtrail/internal/metric"
	"rtrail/internal/rule"
	"rtrail/internal/shell"
	"rtrail/internal/unit"
	"rtrail/internal/view"
)

// partsOfTime says whether requests of a device spend their time in the queue or in the
// device, and who made most of them, where that was traced.
func partsOfTime(v *view.View, device string) []rule.Evidence {
	var requests int64
	var queue, service time.Duration
	var most *view.BlockIO
	list := v.BlockIO()
	for i := range list {
		b := &list[i]
		if b.Device != device {
			continue
		}
		requests += b.Requests
		queue += b.Queue
		service += b.Service
		if most == nil || b.Requests > most.Requests {
			most = b
		}
	}
	if requests == 0 {
		return nil
	}
	mean := func(d time.Duration) float64 { return d.Seconds() / float64(requests) }
	where := "in the device"
	if queue > service {
		where = "in the queue before the device"
	}
	return []rule.Evidence{{
		Metric: metric.DiskQueueTime, Value: mean(queue), Check: shell.Line("rtrail trace block --for 10s"),
		What: rule.T("requests spend most of their time %s: %v in the queue, %v in the device; %s (%d) made %v of them (%s)", where, unit.Seconds(mean(queue)), unit.Seconds(mean(service)),
			most.Process, most.PID, unit.Share(float64(most.Requests)/float64(requests)), most.Operation),
	}}
}
