package view_test

import (
	"testing"
	"time"

	"rtrail/internal/rule/ruletest"
)

// 255.684 ms, as of three equal answers, lies above the middle of its bucket.
func TestQuantileIsWithinWhatWasSeen(t *testing.T) {
	const rt = 255684 * time.Microsecond
	s := ruletest.New(2, 3).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 1, RTs: []time.Duration{rt}}).View().PacketServices()[0]
	for _, d := range []time.Duration{s.RTMin, s.RTP50, s.RTP95, s.RTP99, s.Quantile(0), s.Quantile(1), s.RTMax} {
		if d != rt {
			t.Errorf("%v, want %v", d, rt)
		}
	}
}
