package net

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"rtrail/internal/baseline"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// measured is a value of the network's baseline, of so many days ago.
func measured(thing string, what baseline.What, x float64, days int) recording.BaselineValue {
	return recording.BaselineValue{At: ruletest.Start.Add(-time.Hour), Measured: ruletest.Start.AddDate(0, 0, -days), Kind: "network", Thing: thing, What: string(what), Value: x}
}

// said is what findings say of a baseline.
func said(found []rule.Finding) string {
	var words []string
	for _, f := range found {
		for _, e := range f.Evidence {
			if text := fmt.Sprint(e.What); strings.Contains(text, "was measured") {
				words = append(words, text)
			}
		}
	}
	return strings.Join(words, "; ")
}

// A limit is laid beside what went between the same two hosts the same way, and beside nothing else.
func TestRateOfBaseline(t *testing.T) {
	bytes := func(s int) rateRow {
		return rateRow{packets: 1000, busiest: 102, bytes: 1_000_000 + int64(s%2)*2000, queued: 90 * ms}
	}
	packets := func(size int64) func(int) rateRow {
		return func(s int) rateRow {
			return rateRow{packets: 1000 + int64(s%3), busiest: 101, bytes: size * (300 + int64(s)*90), queued: 50 * ms}
		}
	}
	const path = "10.0.0.1 dev eth0"
	for name, tt := range map[string]struct {
		second func(int) rateRow
		local  string
		rows   []recording.BaselineValue
		says   string
	}{
		"as fast as it goes":    {bytes, "10.0.0.2", []recording.BaselineValue{measured(path, baseline.Sent, 984_210, 1)}, "that is 95 % of the 961 KiB/s of payload that this host sent to 10.0.0.1"},
		"the newest counts":     {bytes, "10.0.0.2", []recording.BaselineValue{measured(path, baseline.Sent, 9_842_100, 9), measured(path, baseline.Sent, 1_870_000, 1)}, "that is 50 % of"},
		"received":              {bytes, "10.0.0.1", []recording.BaselineValue{measured("10.0.0.2 dev eth0", baseline.Received, 1_870_000, 1)}, "50 % of the 1.78 MiB/s of payload that this host received from 10.0.0.2"},
		"the other way":         {bytes, "10.0.0.2", []recording.BaselineValue{measured(path, baseline.Received, 984_210, 1)}, ""},
		"another peer":          {bytes, "10.0.0.2", []recording.BaselineValue{measured("10.0.0.3 dev eth0", baseline.Sent, 984_210, 1)}, ""},
		"neither is this host":  {bytes, "10.0.0.7", []recording.BaselineValue{measured(path, baseline.Sent, 984_210, 1)}, ""},
		"a name of older files": {bytes, "10.0.0.2", []recording.BaselineValue{measured("db2:5999", baseline.Sent, 984_210, 1)}, ""},
		"small packets":         {packets(1), "10.0.0.2", []recording.BaselineValue{measured(path, baseline.Packets, 2000, 1), measured(path, baseline.Sent, 1e9, 1)}, "50 % of the 2,000 small packets/s that this host sent to 10.0.0.1"},
		"large packets":         {packets(1000), "10.0.0.2", []recording.BaselineValue{measured(path, baseline.Packets, 2000, 1), measured(path, baseline.Sent, 1e9, 1)}, ""},
		"none":                  {bytes, "10.0.0.2", nil, ""},
	} {
		h := ruletest.Add(rated(tt.second, nil)(), tt.rows...)
		ruletest.Every(h, func(at time.Time, _ float64) recording.ListenerSample {
			return recording.ListenerSample{At: at, NetNS: 1, Local: tt.local, Port: 22, Inode: 5, Backlog: 128}
		})
		found := ruletest.Judge(t, h, rateLimited, rule.Likely)
		if got := said(found); !strings.Contains(got, tt.says) || (got == "") != (tt.says == "") {
			t.Errorf("%s: %q, want %q", name, got, tt.says)
		}
	}
}

func TestShaperOfBaseline(t *testing.T) {
	for name, tt := range map[string]struct {
		row  recording.BaselineValue
		says string
	}{
		"the same interface": {measured("10.0.0.9 dev eth0", baseline.Sent, 1_912_000, 1), "that is 50 % of what eth0 sent when it was measured"},
		"another interface":  {measured("10.0.0.9 dev eth1", baseline.Sent, 1_912_000, 1), ""},
		"what it received":   {measured("10.0.0.9 dev eth0", baseline.Received, 1_912_000, 1), ""},
	} {
		found := ruletest.Judge(t, ruletest.Add(heldBack(shaped(200000, mbit8, nil), 30*time.Millisecond), tt.row), rateLimited, rule.Likely)
		if got := said(found); !strings.Contains(got, tt.says) || (got == "") != (tt.says == "") {
			t.Errorf("%s: %q, want %q", name, got, tt.says)
		}
	}
}
