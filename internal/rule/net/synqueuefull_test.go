package net

import (
	"testing"

	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

func TestSYNQueueFull(t *testing.T) {
	tests := []struct {
		name    string
		cookies string
		shared  int // listeners of the port, if more than one
		backlog uint32
		queue   uint32 // accept queue
		open    int    // half-open connections
		source  func(int) string
		rates   map[string]float64
		want    rule.Confidence
		says    string
		least   float64 // seconds lost per second
	}{
		{"one client whose SYN-ACKs are lost", "0", 0, 5, 0, 5, one, map[string]float64{"TcpExtTCPReqQFullDrop": 40, "TcpExtListenDrops": 40, "TcpPassiveOpens": 0}, rule.Certain,
			"the queue of half-open connections of nginx :80 is full: 5 of 6 from 10.78.0.9, and 40/s SYNs are refused", 0},
		{"clients everywhere, most come through", "0", 0, 5, 0, 6, everywhere, map[string]float64{"TcpExtTCPReqQFullDrop": 20, "TcpExtListenDrops": 20, "TcpPassiveOpens": 100}, rule.Certain,
			"the queue of half-open connections of nginx :80 is full: 6 of 6 from 6 addresses, and 20/s SYNs are refused", 20},
		{"more are refused than in a small flood, but most come through", "0", 0, 5, 0, 6, everywhere, map[string]float64{"TcpExtTCPReqQFullDrop": 200, "TcpExtListenDrops": 200, "TcpPassiveOpens": 1000}, rule.Certain,
			"the queue of half-open connections of nginx :80 is full: 6 of 6 from 6 addresses, and 200/s SYNs are refused", 200},
		{"8 % of the clients of a busy server, who come again after a second", "0", 0, 5, 0, 6, everywhere, map[string]float64{"TcpExtListenDrops": 40, "TcpPassiveOpens": 460}, rule.Certain, "", 40},
		{"a kernel without TCPReqQFullDrop", "0", 0, 5, 0, 6, one, map[string]float64{"TcpExtListenDrops": 20, "TcpPassiveOpens": 100}, rule.Certain, "", 20},
		{"three quarters of tcp_max_syn_backlog", "0", 0, 4096, 0, 193, everywhere, map[string]float64{"TcpExtListenDrops": 20, "TcpPassiveOpens": 100}, rule.Certain, "", 20},
		{"16 listeners share 193", "0", 16, 4096, 0, 193, everywhere, map[string]float64{"TcpExtListenDrops": 20, "TcpPassiveOpens": 100}, 0, "", 0},
		{"2 listeners share 386", "0", 2, 4096, 0, 386, everywhere, map[string]float64{"TcpExtListenDrops": 20, "TcpPassiveOpens": 100}, rule.Certain, "", 20},
		{"a flood", "0", 0, 5, 0, 6, one, map[string]float64{"TcpExtTCPReqQFullDrop": 2000, "TcpExtListenDrops": 2000, "TcpPassiveOpens": 0}, 0, "", 0},
		{"full, and nobody is refused", "0", 0, 5, 0, 6, everywhere, map[string]float64{"TcpExtTCPReqQFullDrop": 0, "TcpExtListenDrops": 0, "TcpPassiveOpens": 100}, 0, "", 0},
		{"refused now and then", "0", 0, 5, 0, 6, everywhere, map[string]float64{"TcpExtTCPReqQFullDrop": 0.5, "TcpExtListenDrops": 0.5, "TcpPassiveOpens": 100}, 0, "", 0},
		{"room left", "0", 0, 511, 0, 6, everywhere, map[string]float64{"TcpExtListenDrops": 20, "TcpPassiveOpens": 100}, 0, "", 0},
		{"syncookies let clients in", "1", 0, 5, 0, 6, everywhere, map[string]float64{"TcpExtSyncookiesSent": 40, "TcpExtSyncookiesRecv": 20, "TcpPassiveOpens": 100}, 0, "", 0},
		{"a full accept queue leaves them half open", "0", 0, 5, 6, 5, everywhere, map[string]float64{"TcpExtListenDrops": 40, "TcpExtListenOverflows": 20, "TcpPassiveOpens": 100}, 0, "", 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "nginx")
			for i := range max(tt.shared, 1) {
				listens(h, listener{ns: 1, port: 80, inode: uint64(1 + i), queue: []uint32{tt.queue}, backlog: tt.backlog})
			}
			sysctl(h, 1, "net.ipv4.tcp_syncookies", tt.cookies)
			sysctl(h, 1, "net.ipv4.tcp_max_syn_backlog", "256")
			halfOpen(h, tt.open, tt.source)
			if _, ok := tt.rates["TcpExtListenOverflows"]; !ok {
				tt.rates["TcpExtListenOverflows"] = 0
			}
			counters(h, 1, tt.rates)
			found := ruletest.Judge(t, h, synQueueFull, tt.want)
			if tt.want != 0 && (found[0].Impact.TimeLost < tt.least || tt.least > 0 && found[0].Impact.TimeLost > 2*tt.least) {
				t.Errorf("%v lost per second, want %v", found[0].Impact.TimeLost, tt.least)
			}
			if tt.says != "" && found[0].Headline.String() != tt.says {
				t.Errorf("headline %q, want %q", found[0].Headline, tt.says)
			}
		})
	}
}
