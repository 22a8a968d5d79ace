package net

import (
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

// serves records the socket of nginx (70), which sends to 10.0.0.9; change is told the reading.
func serves(h *ruletest.Host, inode uint64, port uint16, change func(s float64, row *recording.TCPSample)) {
	owns(h, inode, 70, "nginx")
	ruletest.Every(h, func(at time.Time, s float64) recording.TCPSample {
		row := recording.TCPSample{At: at, NetNS: 1, Local: "10.0.0.1", LocalPort: 80, Remote: "10.0.0.9", RemotePort: port, State: recording.TCPEstablished, Inode: inode, Info: true,
			MSS: 1448, PeerWindow: 65536, BytesSent: uint64(1e6 * s)}
		change(s, &row)
		return row
	})
}

// waits is a socket whose reader's window is closed.
func waits(s float64, row *recording.TCPSample) {
	row.SendQueue, row.PeerWindow, row.LastSend, row.RwndLimited = 900_000, 0, row.At.Add(-400*time.Millisecond), time.Duration(0.9*s*float64(time.Second))
}

func TestReceiverSlowBySockets(t *testing.T) {
	alone := func(change func(s float64, row *recording.TCPSample)) func(*ruletest.Host) {
		return func(h *ruletest.Host) { serves(h, 1, 4000, change) }
	}
	tests := []struct {
		name    string
		build   func(*ruletest.Host)
		want    rule.Confidence
		subject string
		says    string
	}{
		{"another host does not read", alone(waits), rule.Certain, "10.0.0.9", "10.0.0.9 does not read what nginx (70) sends: its receive window was closed 90 % of the time"},
		{"another host does not read, the kernel does not tell its window", func(h *ruletest.Host) {
			serves(h, 1, 4000, waits)
			h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = "4.19.0-27-amd64" })
		}, rule.Likely, "10.0.0.9", "10.0.0.9 seems not to read what nginx (70) sends: its receive window held that up 90 % of the time"},
		{"another host does not read, an older kernel tells its window", func(h *ruletest.Host) {
			serves(h, 1, 4000, func(s float64, row *recording.TCPSample) {
				if waits(s, row); s < 1 {
					row.PeerWindow = 65536
				}
			})
			h.Manifest(func(m *recording.Manifest) { m.Host.Kernel = "4.18.0-553.el8.x86_64" })
		}, rule.Certain, "10.0.0.9", "does not read what nginx (70) sends"},
		{"a program of this host does not read", func(h *ruletest.Host) {
			serves(h, 1, 4000, waits)
			owns(h, 9, 77, "reader")
			ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
				return recording.TCPSample{At: at, NetNS: 2, Local: "10.0.0.9", LocalPort: 4000, Remote: "10.0.0.1", RemotePort: 80, State: recording.TCPEstablished, Inode: 9, RecvQueue: 3_000_000}
			})
		}, rule.Certain, "reader", "reader (77) at 10.0.0.9 does not read"},
		{"closed a third of the time", alone(func(s float64, row *recording.TCPSample) {
			if int(s)%3 == 0 {
				waits(s, row)
			}
			row.RwndLimited = time.Duration(0.3 * s * float64(time.Second))
		}), rule.Certain, "10.0.0.9", "closed 30 % of the time"},
		{"stands still for three seconds of a hundred", func(h *ruletest.Host) {
			h.Seconds = 100
			serves(h, 1, 4000, func(s float64, row *recording.TCPSample) {
				if s >= 50 && s <= 53 {
					waits(s, row)
				}
				row.RwndLimited = time.Duration(min(max(s-50, 0), 3) * float64(time.Second))
			})
		}, rule.Certain, "10.0.0.9", "closed 3.0 % of the time"},
		{"closed at one reading of ten", func(h *ruletest.Host) {
			h.Seconds = 100
			serves(h, 1, 4000, func(s float64, row *recording.TCPSample) {
				if int(s)%10 == 0 {
					waits(s, row)
				}
				row.RwndLimited = time.Duration(0.05 * s * float64(time.Second))
			})
		}, 0, "", ""},
		{"a fast transfer fills an open window", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.PeerWindow, row.Unacked = 65536, 45
		}), 0, "", ""},
		{"a fast transfer finds it closed for moments", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.LastSend = row.At.Add(-4 * time.Millisecond)
		}), 0, "", ""},
		{"segments are lost", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.Unacked, row.RwndLimited = 10, 0
		}), 0, "", ""},
		{"the window is not what holds it up", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.RwndLimited = 7 * time.Second // long ago
		}), 0, "", ""},
		{"closed at two readings", alone(func(s float64, row *recording.TCPSample) {
			if s < 1.5 {
				waits(s, row)
			}
			row.RwndLimited = time.Duration(min(s, 2) * float64(time.Second))
		}), 0, "", ""},
		{"everything was sent", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.SendQueue = 0
		}), 0, "", ""},
		{"nobody waits for what the kernel still holds", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.State = recording.TCPFinWait1
		}), 0, "", ""},
		{"without tcp_info", alone(func(s float64, row *recording.TCPSample) {
			waits(s, row)
			row.Info = false
		}), 0, "", ""},
		{"a session of a server that was asked is judged by mysql/slow-reader", func(h *ruletest.Host) {
			serves(h, 1, 4000, waits)
			ruletest.Add(h, recording.MySQLServer{At: ruletest.Start, Server: "10.0.0.1:80", Port: 80})
			ruletest.Every(h, func(at time.Time, _ float64) recording.MySQLSession {
				return recording.MySQLSession{At: at, Server: "10.0.0.1:80", ID: 4, Client: "10.0.0.9", ClientPort: 4000}
			})
		}, 0, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := ruletest.New(2, 10)
			tt.build(h)
			found := ruletest.Judge(t, h, receiverSlow, tt.want)
			if tt.want == 0 {
				return
			}
			f := found[0]
			if len(found) != 1 || f.Subject.Name != tt.subject || !strings.Contains(f.Headline.String(), tt.says) {
				t.Errorf("%d findings, about %s: %q", len(found), f.Subject.Name, f.Headline)
			}
			if !f.Affected(view.Entity{Kind: view.KindProcess, Name: "nginx", PID: 70, Started: found[0].Affects[1].Started}) {
				t.Errorf("the sender is no victim: %v", f.Affects)
			}
		})
	}
}

// The socket of a reader on this host tells how full its buffer is.
func TestReceiverSlowBuffer(t *testing.T) {
	for want, row := range map[string]recording.TCPSample{
		"2.86 MiB are unread in the socket of the reader, whose buffer of 5.72 MiB is 98 % full":  {RmemAlloc: 5_900_000, RcvBuf: 6_000_000},
		"2.86 MiB are unread in the socket of the reader, whose buffer of 5.72 MiB is 100 % full": {RmemAlloc: 7_000_000, RcvBuf: 6_000_000},
		"2.86 MiB are unread in the socket of the reader":                                         {},
	} {
		h := ruletest.New(2, 10)
		serves(h, 1, 4000, waits)
		owns(h, 9, 77, "reader")
		ruletest.Every(h, func(at time.Time, _ float64) recording.TCPSample {
			r := row
			r.At, r.NetNS, r.Local, r.LocalPort, r.Remote, r.RemotePort = at, 2, "10.0.0.9", 4000, "10.0.0.1", 80
			r.State, r.Inode, r.RecvQueue = recording.TCPEstablished, 9, 3_000_000
			return r
		})
		found := ruletest.Judge(t, h, receiverSlow, rule.Certain)
		if !slices.ContainsFunc(found[0].Evidence, func(e rule.Evidence) bool { return e.What.String() == want }) {
			t.Errorf("nothing says %q: %v", want, found[0].Evidence)
		}
	}
}

// Two connections of one reader are one finding; packets that tell of it say it alone.
func TestReceiverSlowOnce(t *testing.T) {
	h := captured()
	serves(h, 1, 4000, waits)
	serves(h, 2, 4001, waits)
	found := ruletest.Judge(t, h, receiverSlow, rule.Certain)
	if len(found) != 1 || found[0].Impact.TimeLost < 1.79 || found[0].Impact.TimeLost > 1.81 {
		t.Errorf("%d findings, %v", len(found), found[0].Impact)
	}
	h.PacketConnection(conn(func(c *ruletest.PacketConnection) {
		c.Client, c.Server, c.ServerPort = "10.0.0.9", "10.0.0.1", 80
		c.FromClient.ZeroWindows, c.FromClient.ZeroWindowTime = 4, 5*time.Second
	}))
	if found := ruletest.Judge(t, h, receiverSlow, rule.Certain); len(found) != 1 || found[0].Evidence[0].Metric.ID != "packets.zero-window" {
		t.Errorf("%d findings, the first by %s", len(found), found[0].Evidence[0].Metric.ID)
	}
}
