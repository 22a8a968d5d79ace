package rt

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

// What may be a long poll is no finding, and not healthy: both readings are given. What
// varies, is asked at leisure, or is no slower than the rest of the server is none.
func TestLongPolls(t *testing.T) {
	const path = "GET /poll?c=?"
	const poll = 1500 * time.Millisecond
	host := func(proto string, fast time.Duration, idle time.Duration, polls ...time.Duration) *ruletest.Host {
		h := ruletest.New(2, 10).PacketCapture(nil)
		for range 30 {
			h.PacketConnection(ruletest.PacketConnection{PacketConnection: recording.PacketConnection{Proto: proto}})
		}
		rts := append(append([]time.Duration{}, polls...), repeated(100, fast)...)
		h.Packets(ruletest.PacketService{Proto: proto, Rate: float64(len(rts)) / 10, RTs: rts, Handshakes: 10, ServerRTT: ms / 10, ClientRTT: ms / 100})
		h.PacketStatement(recording.PacketStatement{Proto: proto, Fingerprint: path}, polls...)
		for i, d := range polls {
			h.PacketTransaction(float64(i)/3, recording.PacketTransaction{Proto: proto, Fingerprint: path, Connection: int64(i % 3), RT: d, Idle: idle})
		}
		return h
	}
	same := repeated(18, poll)
	for name, tt := range map[string]struct {
		host *ruletest.Host
		poll bool
	}{
		"a long poll":                        {host("http", ms, ms, same...), true},
		"asked at leisure":                   {host("http", ms, time.Second, same...), false},
		"it takes what it takes":             {host("http", ms, ms, append(repeated(9, poll), repeated(9, 3*poll)...)...), false},
		"the server is slow throughout":      {host("http", poll/2, ms, same...), false},
		"first requests of connections only": {host("http", ms, recording.Unknown, same...), false},
		"a database":                         {host("mysql", ms, ms, same...), false},
	} {
		found, err := serverSlow.Detect(tt.host.View())
		why, doubt := errors.AsType[*rule.NotJudged](err)
		switch {
		case tt.poll && (len(found) > 0 || !doubt || !strings.Contains(why.Needs, path+" is a long poll") || !strings.Contains(why.Why, "or a slow request")):
			t.Errorf("%s: %d findings, %v; want both readings", name, len(found), err)
		case !tt.poll && (len(found) != 1 || doubt):
			t.Errorf("%s: %d findings, %v; want one", name, len(found), err)
		}
	}
}
