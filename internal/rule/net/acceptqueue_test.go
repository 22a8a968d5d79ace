package net

import (
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// What a full accept queue costs is a second and more for each connect that is refused, however
// small a part they are, and the wait of those that stand in the queue.
func TestAcceptQueueByWhatIsLost(t *testing.T) {
	for _, tt := range []struct {
		name      string
		queue     []uint32
		backlog   uint32
		refused   float64 // connects a second
		opened    float64
		want      rule.Confidence
		low, high float64 // bounds of the seconds lost per second
	}{
		{"half a percent of many", []uint32{11, 3, 11, 4}, 10, 10, 2000, rule.Certain, 9, 11},
		{"a long queue that is full, and nobody is refused", []uint32{200}, 199, 0, 2000, rule.Likely, 199, 201},
		{"a short one", []uint32{2}, 1, 0, 20, rule.Likely, 1.9, 2.1},
		{"two refused of ten", []uint32{0, 0, 0, 1}, 10, 0.2, 1, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			listens(h, listener{ns: 1, port: 80, queue: tt.queue, backlog: tt.backlog, drops: tt.refused})
			counters(h, 1, map[string]float64{"TcpExtListenOverflows": tt.refused, "TcpExtListenDrops": tt.refused, "TcpPassiveOpens": tt.opened})
			for _, f := range ruletest.Judge(t, h, acceptQueueFull, tt.want) {
				if f.Impact.TimeLost < tt.low || f.Impact.TimeLost > tt.high {
					t.Errorf("%v lost per second, want %v to %v", f.Impact.TimeLost, tt.low, tt.high)
				}
			}
		})
	}
}
