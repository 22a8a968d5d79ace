package net

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// datagrams is a UDP socket and its namespace, by what happens a second.
type datagrams struct {
	read, full, refused float64 // datagrams; refused ones by a filter
	queued              uint32  // bytes at each reading
	everyOther          bool    // at every other one
	unowned             bool
	others              float64 // dropped by another socket
}

func (d datagrams) host() *ruletest.Host {
	h := ruletest.New(2, 10)
	const buffer = 212992
	h.Readings(func(at time.Time, s float64) {
		for name, rate := range map[string]float64{"InDatagrams": d.read, "InErrors": d.full + d.refused + d.others, "RcvbufErrors": d.full} {
			ruletest.Add(h, recording.ProtocolSample{At: at, NetNS: 1, Protocol: "Udp", Name: name, Value: 1e6 + int64(rate*s)})
		}
		queued := d.queued
		if d.everyOther && int(s)%4 != 0 {
			queued = 0
		}
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 8125, Inode: 77, RcvBuf: buffer, RecvQueue: queued, Drops: 5 + uint32((d.full+d.refused)*s)})
		ruletest.Add(h, recording.UDPSample{At: at, NetNS: 1, Local: "0.0.0.0", LocalPort: 53, Inode: 78, RcvBuf: buffer, Drops: uint32(d.others * s)})
	})
	if !d.unowned {
		owns(h, 77, 70, "statsd")
	}
	return h
}

func TestUDPBuffer(t *testing.T) {
	var list []ruletest.Situation
	for _, c := range []struct {
		name string
		d    datagrams
		want rule.Confidence
	}{
		{"bursts", datagrams{read: 1000, full: 200}, rule.Certain},
		{"a slow reader", datagrams{read: 1000, full: 200, queued: 212000}, rule.Certain},
		{"nobody is known to hold it", datagrams{read: 1000, full: 200, unowned: true}, rule.Likely},
		{"few of many", datagrams{read: 100_000, full: 200}, rule.Possible},
		{"next to none of many", datagrams{read: 1_000_000, full: 200}, 0},
		{"one burst", datagrams{read: 1000, full: 0.8}, 0},
		{"a filter refuses", datagrams{read: 1000, refused: 200}, 0},
		{"a filter refuses, and another socket's buffer is full", datagrams{read: 1000, refused: 200, others: 300}, 0},
		{"full without loss", datagrams{read: 1000, queued: 212000}, 0},
		{"all is read", datagrams{read: 1000}, 0},
	} {
		x := ruletest.Situation{Name: c.name, Host: c.d.host, Want: c.want, Kind: "process", Subject: "statsd", High: 0.2, Proof: "RcvbufErrors +2,000"}
		if c.d.unowned {
			x.Kind, x.Subject = "listener", "an unknown process"
		}
		list = append(list, x)
	}
	ruletest.Check(t, udpBuffer, list)
}

// TestUDPBufferAdvice tells bursts from a reader that does not keep up.
func TestUDPBufferAdvice(t *testing.T) {
	for _, c := range []struct {
		d               datagrams
		headline, first string
	}{
		{datagrams{read: 1000, full: 200, queued: 212000, everyOther: true}, "bursts are larger", "SO_RCVBUF"},
		{datagrams{read: 1000, full: 200, queued: 212000}, "more slowly", "read faster"},
	} {
		f := ruletest.Judge(t, c.d.host(), udpBuffer, rule.Certain)[0]
		if !strings.Contains(f.Headline.String(), c.headline) || !strings.Contains(f.Fixes[0].Text.String(), c.first) {
			t.Errorf("%s; %s", f.Headline, f.Fixes[0].Text)
		}
	}
}
