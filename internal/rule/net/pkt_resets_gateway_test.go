package net

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// A proxy that answers 502 because the server behind it refuses is a symptom of that; one
// that does so at other times, or elsewhere, is not.
func TestGateways(t *testing.T) {
	const proxy = "10.0.0.2"
	at := func(s float64) time.Time { return ruletest.Start.Add(time.Duration(s * float64(time.Second))) }
	for name, tt := range map[string]struct {
		client string // of the connects that were refused
		code   string
		times  []float64 // of requests that failed, which took 10 ms
		want   int
	}{
		"refused meanwhile":         {proxy, "502", []float64{1, 2, 3}, 1},
		"refused for half of them":  {proxy, "502", []float64{1, 2, 7, 8}, 1},
		"refused at other times":    {proxy, "502", []float64{5, 6, 7}, 0},
		"refused for few of them":   {proxy, "502", []float64{1, 5, 6, 7}, 0},
		"refused for somebody else": {"10.0.0.9", "502", []float64{1, 2, 3}, 0},
		"its own fault":             {proxy, "500", []float64{1, 2, 3}, 0},
	} {
		h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Proto: "http", Rate: 100, RTs: []time.Duration{ms}})
		for i, s := range tt.times {
			ruletest.Add(h, recording.PacketTransaction{At: at(s), Connection: int64(i), Client: "10.0.0.7", Server: proxy, ServerPort: 3306, Proto: "http",
				Failed: true, Code: tt.code, RT: 10 * ms, Upload: recording.Unknown})
		}
		b := &broken{kind: refused, s: &view.PacketService{}}
		for _, s := range []float64{3.002, 1.002, 2.002} {
			b.conns = append(b.conns, &view.PacketConnection{PacketConnection: recording.PacketConnection{Client: tt.client, ClosedAt: at(s)}})
		}
		if got := b.gateways(h.View()); len(got) != tt.want || tt.want > 0 && got[0].Name != "http 10.0.0.2:3306" {
			t.Errorf("%s: %v", name, got)
		}
	}
}
