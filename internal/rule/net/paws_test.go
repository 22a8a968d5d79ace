package net

import (
	"strings"
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

func TestPAWSByCounters(t *testing.T) {
	passive := map[string]float64{"TcpExtPAWSPassive": 4, "TcpExtListenDrops": 4, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 12}
	tests := []struct {
		name    string
		rates   map[string]float64
		queue   uint32 // of the accept queue, of 10
		recycle string // tcp_tw_recycle; "": the kernel has none
		want    rule.Confidence
		kind    string
		says    string
	}{
		{"SYNs of clients behind one address", passive, 0, "", rule.Likely, view.KindListener, "several hosts share an address"},
		{"and tcp_tw_recycle is on", passive, 0, "1", rule.Certain, view.KindListener, ""},
		{"and tcp_tw_recycle is off", passive, 0, "0", rule.Likely, view.KindListener, ""},
		{"the accept queue is full, too", map[string]float64{"TcpExtPAWSPassive": 4, "TcpExtListenDrops": 40, "TcpExtListenOverflows": 36, "TcpPassiveOpens": 12}, 11, "", rule.Possible, view.KindListener, ""},
		{"a kernel that does not count them among ListenDrops", map[string]float64{"TcpExtPAWSPassive": 4, "TcpExtListenDrops": 0, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 12}, 0, "", rule.Possible, view.KindListener, ""},
		{"two", map[string]float64{"TcpExtPAWSPassive": 0.2, "TcpExtListenDrops": 0.2, "TcpPassiveOpens": 12}, 0, "", 0, "", ""},
		{"ListenDrops alone", map[string]float64{"TcpExtPAWSPassive": 0, "TcpExtListenDrops": 4, "TcpExtListenOverflows": 0, "TcpPassiveOpens": 12}, 0, "1", 0, "", ""},
		{"answers to connects", map[string]float64{"TcpExtPAWSActive": 2, "TcpActiveOpens": 20}, 0, "", rule.Likely, view.KindNetNS, "echo a wrong TCP timestamp"},
		{"few of many answers, each of which costs a second", map[string]float64{"TcpExtPAWSActive": 2, "TcpActiveOpens": 2000}, 0, "", rule.Likely, view.KindNetNS, "echo a wrong TCP timestamp"},
		{"few of many answers", map[string]float64{"TcpExtPAWSActive": 0.5, "TcpActiveOpens": 2000}, 0, "", 0, "", ""},
		{"segments of connections", map[string]float64{"TcpExtPAWSEstab": 20, "TcpInSegs": 1000}, 0, "", rule.Possible, view.KindNetNS, "segments of connections"},
		{"copies that were overtaken", map[string]float64{"TcpExtPAWSEstab": 2, "TcpInSegs": 10000}, 0, "", 0, "", ""},
		{"acknowledgements that were overtaken", map[string]float64{"TcpExtPAWSOldAck": 200, "TcpInSegs": 10000}, 0, "", 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "nginx")
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{tt.queue}, backlog: 10, drops: 4})
			counters(h, 1, tt.rates)
			if tt.recycle != "" {
				sysctl(h, 1, "net.ipv4.tcp_tw_recycle", tt.recycle)
			}
			found := ruletest.Judge(t, h, pawsDrops, tt.want)
			if tt.want == 0 {
				return
			}
			if f := found[0]; len(found) != 1 || f.Subject.Kind != tt.kind || !strings.Contains(f.Headline.String(), tt.says) {
				t.Errorf("%d findings, about %v: %q", len(found), f.Subject, f.Headline)
			}
		})
	}
}
