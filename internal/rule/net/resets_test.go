package net

import (
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
)

func TestResetsByKernel(t *testing.T) {
	sent := func(n int64, change func(*recording.TCPEvent)) func(*ruletest.Host) {
		return func(h *ruletest.Host) {
			for i := range n {
				e := recording.TCPEvent{At: ruletest.Start, Kind: recording.TCPResetSent, NetNS: 1, State: recording.TCPClose, Reason: "TCP_ABORT_ON_CLOSE",
					Local: "10.0.0.1", LocalPort: 80, Remote: "10.0.0.9", RemotePort: uint16(4000 + i), Packets: 1}
				if change != nil {
					change(&e)
				}
				ruletest.Add(h, e)
			}
		}
	}
	received := func(n int64, state recording.TCPState) func(*ruletest.Host) {
		return func(h *ruletest.Host) {
			for i := range n {
				ruletest.Add(h, recording.TCPEvent{At: ruletest.Start, Kind: recording.TCPResetReceived, NetNS: 2, State: state,
					Local: "10.0.0.9", LocalPort: uint16(4000 + i), Remote: "10.0.0.1", RemotePort: 80, Packets: 1})
			}
		}
	}
	came := func(perSecond float64) func(*ruletest.Host) {
		return func(h *ruletest.Host) { counters(h, 1, map[string]float64{"TcpPassiveOpens": perSecond}) }
	}
	tests := []struct {
		name  string
		build []func(*ruletest.Host)
		want  rule.Confidence
		says  string
	}{
		{"clients elsewhere", []func(*ruletest.Host){sent(40, nil), came(10)}, rule.Likely,
			"upload-server on :80 resets connections with data of the other side unread: 40 of 100 that came in"},
		{"clients on this host", []func(*ruletest.Host){sent(40, nil), received(40, recording.TCPEstablished), came(10)}, rule.Certain, ""},
		{"clients on this host that had closed", []func(*ruletest.Host){sent(40, nil), received(40, recording.TCPFinWait2), came(10)}, rule.Likely, ""},
		{"all of them, and some came before the window", []func(*ruletest.Host){sent(40, nil), came(1)}, rule.Likely,
			"upload-server on :80 resets connections with data of the other side unread: 40 of 40 that came in"},
		{"the client had closed before", []func(*ruletest.Host){sent(40, func(e *recording.TCPEvent) { e.State = recording.TCPCloseWait }), came(10)}, 0, ""},
		{"a server that is killed", []func(*ruletest.Host){sent(40, nil), came(10), func(h *ruletest.Host) {
			ruletest.Add(h, recording.ProcessEvent{At: ruletest.Start.Add(time.Second), Kind: recording.ProcessExited, PID: 71, Comm: "upload-server", Signal: 9})
		}}, 0, ""},
		{"a server that was replaced", []func(*ruletest.Host){sent(40, nil), came(10), func(h *ruletest.Host) {
			listens(h, listener{ns: 1, port: 80, inode: 2, queue: []uint32{0}, backlog: 511})
		}}, 0, ""},
		{"workers that end by themselves", []func(*ruletest.Host){sent(40, nil), came(10), func(h *ruletest.Host) {
			ruletest.Add(h, recording.ProcessEvent{At: ruletest.Start.Add(time.Second), Kind: recording.ProcessExited, PID: 71, Comm: "upload-server"})
		}}, rule.Likely, ""},
		{"two", []func(*ruletest.Host){sent(2, nil), came(10)}, 0, ""},
		{"one in a hundred", []func(*ruletest.Host){sent(10, nil), came(100)}, 0, ""},
		{"one in a hundred, one a second of a connection in use", []func(*ruletest.Host){sent(10, nil), received(10, recording.TCPEstablished), came(100)}, rule.Likely,
			"upload-server on :80 resets connections with data of the other side unread: 10 of 1,000 that came in"},
		{"one in a hundred, of connections that clients had closed", []func(*ruletest.Host){sent(10, nil), received(10, recording.TCPFinWait2), came(100)}, 0, ""},
		{"one in a hundred, one every two seconds of a connection in use", []func(*ruletest.Host){sent(10, nil), received(5, recording.TCPEstablished), came(100)}, 0, ""},
		{"one in 2,000, one a second of a connection in use", []func(*ruletest.Host){sent(10, nil), received(10, recording.TCPEstablished), came(2000)}, 0, ""},
		{"how many came is not known", []func(*ruletest.Host){sent(40, nil)}, 0, ""},
		{"a client that has what it wants", []func(*ruletest.Host){sent(40, func(e *recording.TCPEvent) {
			e.LocalPort, e.RemotePort = e.RemotePort, 443
		}), came(10)}, 0, ""},
		{"health checks that end by a reset", []func(*ruletest.Host){received(40, recording.TCPEstablished), sent(40, func(e *recording.TCPEvent) {
			e.Kind, e.Reason, e.State = recording.TCPResetReceived, "", recording.TCPEstablished
		}), came(10)}, 0, ""},
		{"refused connects", []func(*ruletest.Host){sent(1, func(e *recording.TCPEvent) {
			e.Reason, e.State, e.LocalPort, e.RemotePort, e.Packets = "NO_SOCKET", 0, 81, 0, 400
		}), came(10)}, 0, ""},
		{"a server that ends by SO_LINGER", []func(*ruletest.Host){sent(40, func(e *recording.TCPEvent) { e.Reason = "TCP_STATE" }), came(10)}, 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "upload-server")
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
			for _, b := range tt.build {
				b(h)
			}
			found := ruletest.Judge(t, h, resets, tt.want)
			if tt.says != "" && found[0].Headline.String() != tt.says {
				t.Errorf("headline %q, want %q", found[0].Headline, tt.says)
			}
		})
	}
}

// Before Linux 6.12 a counter of the namespace says how many resets of programs were for unread data.
func TestResetsWithoutReasons(t *testing.T) {
	const nobodyKnows = -1
	for _, tt := range []struct {
		name           string
		reason         string
		server, others int     // resets of the server, and of clients
		unread         float64 // TCPAbortOnClose per second
		change         func(*recording.TCPEvent)
		felt           int // resets of the server that programs of this host got
		want           rule.Confidence
		says           string
		abstains       bool
	}{
		{name: "all for unread data", server: 40, unread: 4, want: rule.Likely, says: "upload-server on :80 resets connections with data of the other side unread: 40 of 100 that came in"},
		{name: "Linux 6.10", reason: "NOT_SPECIFIED", server: 40, unread: 4, want: rule.Likely, says: "upload-server on :80 resets connections with data of the other side unread: 40 of 100 that came in"},
		{name: "clients on this host", server: 40, unread: 4, felt: 40, want: rule.Likely},
		{name: "clients of others closed so, too", server: 40, others: 20, unread: 4, want: rule.Likely,
			says: "upload-server on :80 resets connections with data of the other side unread: at least 20 of 100 that came in"},
		{name: "as many clients closed so", server: 40, others: 40, unread: 4, abstains: true},
		{name: "for unread data or by SO_LINGER", server: 40, others: 3, unread: 0.4, abstains: true},
		{name: "by SO_LINGER", server: 40, unread: 0},
		{name: "a few for unread data, of clients that close by a reset", server: 1, others: 40, unread: 4},
		{name: "the clients had closed before", server: 40, unread: 4, change: func(e *recording.TCPEvent) { e.State = recording.TCPCloseWait }},
		{name: "of a connection that is refused data", server: 40, unread: 4, change: func(e *recording.TCPEvent) { e.State = recording.TCPEstablished }},
		{name: "two", server: 2, unread: 0.2},
		{name: "nobody counts them", server: 40, unread: nobodyKnows, abstains: true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			owns(h, 1, 70, "upload-server")
			listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
			rates := map[string]float64{"TcpPassiveOpens": 10}
			if tt.unread != nobodyKnows {
				rates["TcpExtTCPAbortOnClose"] = tt.unread
			}
			counters(h, 1, rates)
			for i := range tt.server + tt.others {
				e := recording.TCPEvent{At: ruletest.Start, Kind: recording.TCPResetSent, NetNS: 1, State: recording.TCPClose, Reason: tt.reason,
					Local: "10.0.0.1", LocalPort: 80, Remote: "10.0.0.9", RemotePort: uint16(4000 + i), Packets: 1}
				switch {
				case i >= tt.server:
					e.LocalPort, e.RemotePort = e.RemotePort, 443
				case tt.change != nil:
					tt.change(&e)
				}
				ruletest.Add(h, e)
			}
			for i := range tt.felt {
				ruletest.Add(h, recording.TCPEvent{At: ruletest.Start, Kind: recording.TCPResetReceived, NetNS: 2, State: recording.TCPEstablished,
					Local: "10.0.0.9", LocalPort: uint16(4000 + i), Remote: "10.0.0.1", RemotePort: 80, Packets: 1})
			}
			if tt.abstains {
				h.Abstains(t, resets)
				return
			}
			found := ruletest.Judge(t, h, resets, tt.want)
			if tt.says != "" && found[0].Headline.String() != tt.says {
				t.Errorf("headline %q, want %q", found[0].Headline, tt.says)
			}
		})
	}
}

// Any local user can open thousands of listeners, and have thousands of processes killed.
func TestResetsAmongManyListeners(t *testing.T) {
	const many = 20_000
	h := ruletest.New(2, 10)
	owns(h, 1, 70, "upload-server")
	listens(h, listener{ns: 1, port: 80, inode: 1, queue: []uint32{0}, backlog: 511})
	counters(h, 1, map[string]float64{"TcpPassiveOpens": 10})
	var listeners []recording.ListenerSample
	var events []recording.TCPEvent
	var ended []recording.ProcessEvent
	reset := func(port uint16, client int) {
		events = append(events, recording.TCPEvent{At: ruletest.Start, Kind: recording.TCPResetSent, NetNS: 1, State: recording.TCPClose, Reason: unreadData,
			Local: "10.0.0.1", LocalPort: port, Remote: "10.0.0.9", RemotePort: uint16(4000 + client), Packets: 1})
	}
	for i := range 40 {
		reset(80, i)
	}
	for i := range many {
		listeners = append(listeners, recording.ListenerSample{At: ruletest.Start, NetNS: 1, Local: "10.0.0.1", Port: uint16(1000 + i), Inode: uint64(1000 + i), Backlog: 5})
		reset(uint16(1000+i), i)
		ended = append(ended, recording.ProcessEvent{At: ruletest.Start.Add(time.Second), Kind: recording.ProcessExited, PID: int32(5000 + i), Comm: "job", Signal: 9})
	}
	ruletest.Add(h, listeners...)
	ruletest.Add(h, events...)
	ruletest.Add(h, ended...)
	began := time.Now()
	found, err := resets.Detect(h.View())
	if err != nil || len(found) != 1 || found[0].Subject.Port != 80 {
		t.Errorf("found %+v, %v", found, err)
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("took %v", took)
	}
}
