package rt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/proto"
	"rtrail/internal/recording"
	"rtrail/internal/rule"
	"rtrail/internal/rule/ruletest"
	"rtrail/internal/view"
)

const ms = time.Millisecond

// answering is a host with a capture in which one MySQL server answers at once.
func answering(rts ...time.Duration) *ruletest.Host {
	if len(rts) == 0 {
		rts = []time.Duration{ms / 5}
	}
	return ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 100, RTs: rts, Handshakes: 1, ServerRTT: ms / 10, ClientRTT: ms / 100})
}

// closed is a connection that was closed s seconds after the window began.
func closed(s float64, closer, state string, change func(*ruletest.PacketConnection)) ruletest.PacketConnection {
	c := ruletest.PacketConnection{}
	c.Closer, c.CloseState, c.CloseFrame, c.Ending = closer, state, int64(1000*s), "finished"
	c.ClosedAt = ruletest.Start.Add(time.Duration(s * 1e9))
	if change != nil {
		change(&c)
	}
	return c
}

// breaks records connections one after the other, each closed by somebody in
// the middle of a request that began one second after the window.
func breaks(h *ruletest.Host, at float64, closer string, n int, change func(*recording.PacketTransaction)) *ruletest.Host {
	for i := range n {
		id := int64(1000*at) + int64(i)
		h.PacketConnection(closed(at+float64(i)/1000, closer, "response", func(c *ruletest.PacketConnection) { c.ID = id }))
		row := recording.PacketTransaction{Connection: id, Status: proto.Unanswered.String(), Fingerprint: "SELECT * FROM t", ResponseBytes: 70_000, RT: recording.Unknown}
		if change != nil {
			change(&row)
		}
		h.PacketTransaction(1, row)
	}
	return h
}

func open(h *ruletest.Host, n int) *ruletest.Host {
	for range n {
		h.PacketConnection(ruletest.PacketConnection{})
	}
	return h
}

func TestFirstDisconnect(t *testing.T) {
	ruletest.Check(t, firstDisconnect, []ruletest.Situation{
		{Name: "one of 160, by the server", Host: func() *ruletest.Host { return breaks(open(answering(), 159), 3, "server", 1, nil) },
			Want: rule.Certain, Kind: view.KindConnection, Subject: "10.0.0.1:40160 -> 10.0.0.2:3306", Low: 1.0 / 161, High: 1.0 / 159, Says: "closed a connection while SELECT * FROM t was being answered"},
		{Name: "one of many, of which the worst were kept", Host: func() *ruletest.Host {
			return breaks(open(answering(), 159), 3, "server", 1, nil).AllConnections(10_000, recording.PacketDirection{}, recording.PacketDirection{})
		}, Want: rule.Certain, Kind: view.KindConnection, Subject: "10.0.0.1:40160 -> 10.0.0.2:3306", Low: 1.0 / 10_001, High: 1.0 / 9_999, Says: "closed a connection while SELECT * FROM t was being answered"},
		{Name: "the client gave the others up", Host: func() *ruletest.Host {
			return breaks(breaks(answering(), 3, "server", 1, nil), 4, "client", 159, nil)
		}, Want: rule.Certain, Kind: view.KindConnection, Subject: "10.0.0.1:40001 -> 10.0.0.2:3306", Low: 1, High: 1, Says: "closed a connection while SELECT * FROM t was being answered, 68.4 KiB into it"},
		{Name: "several by the server", Host: func() *ruletest.Host { return breaks(open(answering(), 10), 3, "server", 10, nil) },
			Want: rule.Certain, Kind: view.KindConnection, Subject: "10.0.0.1:40011 -> 10.0.0.2:3306", Low: 0.49, High: 0.51, Says: "closed 10 connections"},
		{Name: "HTTP answer cut short", Host: func() *ruletest.Host {
			return breaks(answering(), 3, "server", 1, func(r *recording.PacketTransaction) {
				r.Status, r.Failed, r.Error = "answered", true, proto.EndedWithin
			})
		}, Want: rule.Certain, Kind: view.KindConnection, Subject: "10.0.0.1:40001 -> 10.0.0.2:3306", Low: 1, High: 1},
		{Name: "packets of the answer were missed", Host: func() *ruletest.Host {
			h := answering()
			h.PacketConnection(closed(3, "server", "response", func(c *ruletest.PacketConnection) { c.ID, c.FromServer.Missed = 7, 1000 }))
			return h.PacketTransaction(1, recording.PacketTransaction{Connection: 7, Status: proto.Unanswered.String()})
		}, Want: rule.Likely, Kind: view.KindConnection, Subject: "10.0.0.1:40001 -> 10.0.0.2:3306", Low: 1, High: 1},
		{Name: "three clients gave up", Host: func() *ruletest.Host { return breaks(open(answering(), 7), 3, "client", 3, nil) },
			Want: rule.Likely, Kind: view.KindConnection, Subject: "10.0.0.1:40008 -> 10.0.0.2:3306", Low: 0.29, High: 0.31, Says: "gave up"},
		{Name: "one client gave up", Host: func() *ruletest.Host { return breaks(open(answering(), 9), 3, "client", 1, nil) },
			Want: rule.Possible, Kind: view.KindConnection, Subject: "10.0.0.1:40010 -> 10.0.0.2:3306", Low: 0.09, High: 0.11, Says: "gave up"},
	})
}

// A connection is drawn from the file in which it has its number.
func TestLadderOfDisconnect(t *testing.T) {
	for want, h := range map[string]*ruletest.Host{
		"--connection":    ruletest.New(2, 10),
		"--by connection": ruletest.Add(ruletest.New(2, 10), recording.SystemSample{At: ruletest.Start}), // captured while the host was watched
	} {
		h = breaks(h.PacketCapture(nil).Packets(ruletest.PacketService{Rate: 100, RTs: []time.Duration{ms}}), 3, "server", 1, nil)
		found := ruletest.Judge(t, h, firstDisconnect, rule.Certain)
		if len(found) == 0 || !strings.Contains(found[0].Evidence[1].Check.String(), want) {
			t.Errorf("want %s: %+v", want, found)
		}
	}
}

// A server that closes connections whose clients it let wait because they asked
// for it closes them in the middle of requests.
func TestDisconnectOfWaiting(t *testing.T) {
	h := answering()
	h.PacketConnection(closed(4, "server", "waiting", func(c *ruletest.PacketConnection) { c.ID = 7 }))
	h.PacketTransaction(1, recording.PacketTransaction{Connection: 7, Status: proto.Unanswered.String(), Doubt: "blocking"})
	ruletest.Judge(t, h, firstDisconnect, rule.Certain)
}

// How connections end every day.
func TestNoDisconnect(t *testing.T) {
	one := func(s float64, closer, state string, change func(*ruletest.PacketConnection), request *recording.PacketTransaction) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := answering()
			h.PacketConnection(closed(s, closer, state, func(c *ruletest.PacketConnection) {
				c.ID = 7
				if change != nil {
					change(c)
				}
			}))
			if request != nil {
				request.Connection = 7
				h.PacketTransaction(1, *request)
			}
			return h
		}
	}
	unanswered := func() *recording.PacketTransaction {
		return &recording.PacketTransaction{Status: proto.Unanswered.String()}
	}
	protocol := func(p string) func(*ruletest.PacketConnection) {
		return func(c *ruletest.PacketConnection) { c.Proto = p }
	}
	for name, host := range map[string]func() *ruletest.Host{
		"a client hangs up when it has its answers": one(3, "client", "idle", nil, nil),
		"a server closes what nobody uses":          one(3, "server", "idle", nil, nil),
		"a client closes by RST after its answer":   one(3, "client", "idle", func(c *ruletest.PacketConnection) { c.CloseReset, c.Ending = true, "reset" }, nil),
		"the answer ends with the connection":       one(3, "server", "response", protocol("http"), nil),
		"an error, and the end":                     one(3, "server", "waiting", nil, &recording.PacketTransaction{Failed: true, Code: "500", Error: "500 Internal Server Error"}),
		"a probe of a balancer":                     one(3, "client", "response", nil, nil),
		"farewell of TLS":                           one(3, "server", "waiting", protocol("tls"), unanswered()),
		"farewell of MySQL within TLS":              one(3, "server", "waiting", nil, &recording.PacketTransaction{Status: proto.Unanswered.String(), Doubt: "approximate"}),
		"one-way protocol":                          one(3, "server", "waiting", protocol("generic"), unanswered()),
		"the capture ended first":                   one(3, "", "", nil, unanswered()),
		"the request came after the close":          one(0.5, "server", "waiting", nil, unanswered()),
		"a client was stopped early":                one(1.5, "client", "response", nil, unanswered()),
		"a worker stops that waited for work":       one(9, "client", "waiting", nil, &recording.PacketTransaction{Status: proto.Unanswered.String(), Doubt: "blocking"}),
		"a server that always takes long": func() *ruletest.Host {
			h := answering(2 * time.Second)
			h.PacketConnection(closed(4, "client", "waiting", func(c *ruletest.PacketConnection) { c.ID = 7 }))
			return h.PacketTransaction(1, recording.PacketTransaction{Connection: 7, Status: proto.Unanswered.String()})
		},
	} {
		t.Run(name, func(t *testing.T) { ruletest.Judge(t, host(), firstDisconnect, 0) })
	}
}

func TestErrors(t *testing.T) {
	statements := func(proto string, list ...recording.PacketStatement) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Proto: proto, Rate: 100, RTs: []time.Duration{ms}})
			for i, s := range list {
				s.Proto = proto
				s.Fingerprint = fmt.Sprint("statement ", i)
				s.RTSum = time.Duration(s.Count) * ms
				h.PacketStatement(s)
			}
			return h
		}
	}
	fails := func(n, of int64, code, text string) recording.PacketStatement {
		return recording.PacketStatement{Count: of, Failed: n, Code: code, Error: text}
	}
	// ways is a service whose only statement is answered n times, and in several
	// ways by errors.
	ways := func(proto string, n int64, list ...recording.PacketError) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := statements(proto, recording.PacketStatement{Count: n})()
			for _, e := range list {
				e.Proto, e.Fingerprint = proto, "statement 0"
				if e.Timed = e.Count; e.RTSum == 0 {
					e.RTSum = time.Duration(e.Count) * ms
				}
				h.PacketError(e)
			}
			return h
		}
	}
	code := func(n int64, code string) recording.PacketError {
		return recording.PacketError{Count: n, Code: code, Error: code}
	}
	const mysql = "mysql 10.0.0.2:3306"
	ruletest.Check(t, errorAnswers, []ruletest.Situation{
		{Name: "missing table", Host: statements("mysql", fails(300, 300, "1146", "Table '?' doesn't exist"), fails(0, 700, "", "")),
			Want: rule.Certain, Kind: view.KindService, Subject: mysql, Low: 0.29, High: 0.31, Says: "fails 30 % of its requests, most with 1146 (Table '?' doesn't exist)"},
		{Name: "two kinds", Host: statements("mysql", fails(20, 100, "1213", "Deadlock found"), fails(10, 900, "1205", "Lock wait timeout")),
			Want: rule.Certain, Kind: view.KindService, Subject: mysql, Low: 0.029, High: 0.031, Says: "1213"},
		{Name: "one in a hundred", Host: statements("mysql", fails(10, 1000, "1054", "Unknown column")), Want: rule.Certain, Kind: view.KindService, Subject: mysql, Low: 0.0099, High: 0.0101},
		{Name: "fewer", Host: statements("mysql", fails(9, 1000, "1054", "Unknown column")), Want: rule.Possible, Kind: view.KindService, Subject: mysql, Low: 0.008, High: 0.0095},
		{Name: "somebody typed", Host: statements("mysql", fails(4, 20, "1064", "You have an error"))},
		{Name: "no errors", Host: statements("mysql", fails(0, 1000, "", ""))},
		{Name: "duplicates as a question", Host: statements("mysql", fails(90, 1000, "1062", "Duplicate entry"))},
		{Name: "many duplicates", Host: statements("mysql", fails(200, 1000, "1062", "Duplicate entry")), Want: rule.Possible, Kind: view.KindService, Subject: mysql, Low: 0.19, High: 0.21},
		{Name: "only duplicates", Host: statements("mysql", fails(900, 1000, "1062", "Duplicate entry")), Want: rule.Likely, Kind: view.KindService, Subject: mysql, Low: 0.89, High: 0.91},
		{Name: "some not found", Host: statements("http", fails(50, 1000, "404", "404 Not Found"))},
		{Name: "hardly anything found", Host: statements("http", fails(800, 1000, "404", "404 Not Found")), Want: rule.Likely, Kind: view.KindService, Subject: "http 10.0.0.2:3306", Low: 0.79, High: 0.81, Says: "404 Not Found"},
		{Name: "server errors", Host: statements("http", fails(50, 1000, "500", "500 Internal Server Error")), Want: rule.Certain, Kind: view.KindService, Subject: "http 10.0.0.2:3306", Low: 0.049, High: 0.051},
		{Name: "wrong type", Host: statements("redis", fails(50, 1000, "WRONGTYPE", "WRONGTYPE Operation against a key")), Want: rule.Certain, Kind: view.KindService, Subject: "redis 10.0.0.2:3306", Low: 0.049, High: 0.051},
		{Name: "one statement, two codes", Host: ways("http", 1000, code(60, "500"), code(40, "404")), Want: rule.Certain, Kind: view.KindService, Subject: "http 10.0.0.2:3306",
			Low: 0.0599, High: 0.0601, Proof: "60 of 1,000 answers were errors that no client asks for on purpose, as 404 may be: 500 60 times"},
		{Name: "one statement, mostly not found", Host: ways("http", 1000, code(30, "500"), code(40, "404")), Want: rule.Certain, Kind: view.KindService, Subject: "http 10.0.0.2:3306",
			Low: 0.0299, High: 0.0301, Says: "most with 500"},
		{Name: "one statement, hardly anything else", Host: ways("http", 1000, code(4, "500"), code(800, "404")), Want: rule.Likely, Kind: view.KindService, Subject: "http 10.0.0.2:3306",
			Low: 0.799, High: 0.801, Proof: "800 of 1,000 answers were errors of the kind that programs ask for on purpose: 404 800 times"},
		{Name: "other errors take no part in times", Host: ways("http", 1000, recording.PacketError{Count: 100, Code: "500", RTSum: 10 * ms}, recording.PacketError{Count: 400, Code: "404", RTSum: 490 * ms}),
			Want: rule.Certain, Kind: view.KindService, Subject: "http 10.0.0.2:3306", Low: 0.099, High: 0.101, Proof: "they take 100 µs, answers without an error 1 ms"},
		{Name: "challenges that the client meets", Host: ways("http", 1000, recording.PacketError{Count: 500, Met: 500, Code: "401"})},
		{Name: "challenges of many statements that the client meets", Host: ways("http", 1000, recording.PacketError{Count: 500, Met: 480, Code: "401"}, recording.PacketError{Count: 300, Met: 300, Others: true})},
		{Name: "challenges, of which the client meets some", Host: ways("http", 1000, recording.PacketError{Count: 800, Met: 200, Code: "401", Error: "Unauthorized"}),
			Want: rule.Likely, Kind: view.KindService, Subject: "http 10.0.0.2:3306", Low: 0.599, High: 0.601, Says: "401 (Unauthorized)",
			Proof: "401 600 times; besides, 200 answers asked for credentials, which the client brought next"},
		{Name: "codes that were not told apart, too few to matter", Host: ways("http", 1000, recording.PacketError{Count: 4, Others: true}, code(40, "404"))},
		{Name: "answers cut short are disconnects, whatever else fails", Host: ways("http", 1000, recording.PacketError{Count: 50, Code: "500", CutShort: true}, code(40, "404"))},
		{Name: "most clients are turned away at the door", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 1, RTs: []time.Duration{ms}, Change: func(_ float64, row *recording.PacketService) {
				row.Failed, row.TurnedAway = 9, 9
			}})
			return h.PacketError(recording.PacketError{Command: "Connect", Count: 90, Code: "1040", Error: "08004 Too many connections"})
		}, Want: rule.Certain, Kind: view.KindService, Subject: mysql, Low: 0.899, High: 0.901, Proof: "90 of 100 answers were errors: 1040 90 times"},
		{Name: "PostgreSQL has no connections left", Host: statements("postgres", fails(20, 1000, "53300", "sorry, too many clients already")), Want: rule.Certain,
			Kind: view.KindService, Subject: "postgres 10.0.0.2:3306", Low: 0.0199, High: 0.0201, Says: "sorry, too many clients already"},
		{Name: "some logins are refused", Host: statements("postgres", fails(20, 1000, "28P01", "password authentication failed"), fails(20, 1000, "28000", "no encryption"))},
		{Name: "answers cut short are disconnects", Host: statements("http", fails(50, 1000, "200", proto.EndedWithin))},
	})
}

// Few errors that cost much are found, many that cost nothing are not accused.
func TestErrorsByWhatTheyCost(t *testing.T) {
	// service answers so many requests, of which some are of one kind and take a time in all.
	service := func(total int64, of, errors recording.PacketStatement) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Proto: "http", Rate: float64(total) / 10, RTs: []time.Duration{ms}})
			h.PacketStatement(recording.PacketStatement{Proto: "http", Fingerprint: "GET /", Count: total - of.Count, RTSum: of.IdleBefore})
			h.PacketStatement(recording.PacketStatement{Proto: "http", Fingerprint: "POST /checkout", Count: of.Count, RTSum: of.RTSum})
			return h.PacketError(recording.PacketError{Proto: "http", Fingerprint: "POST /checkout", Code: errors.Code, Error: errors.Code, Count: errors.Count, Timed: errors.Count, RTSum: errors.RTSum})
		}
	}
	// taking are so many requests of one kind, the time that they take, and that of all others.
	taking := func(n int64, took, others time.Duration) recording.PacketStatement {
		return recording.PacketStatement{Count: n, RTSum: took, IdleBefore: others}
	}
	fails := func(n int64, code string, took time.Duration) recording.PacketStatement {
		return recording.PacketStatement{Count: n, Code: code, RTSum: took}
	}
	const s = time.Second
	const web = "http 10.0.0.2:3306"
	ruletest.Check(t, errorAnswers, []ruletest.Situation{
		{Name: "few that take 5 s", Host: service(1000, taking(500, 31*s, s), fails(6, "504", 30*s)), Want: rule.Likely, Kind: view.KindService, Subject: web, Low: 2.9, High: 3.1,
			Says: "fails 0.6 % of its requests, most with 504: they take 5 s each", Proof: "they take 5 s, answers without an error 2.01 ms: 94 % of the time of all answers"},
		{Name: "three that take 5 s", Host: service(1000, taking(500, 16*s, s), fails(3, "504", 15*s)), Want: rule.Likely, Kind: view.KindService, Subject: web, Low: 1.4, High: 1.6},
		{Name: "two that take 5 s", Host: service(1000, taking(500, 11*s, s), fails(2, "504", 10*s))},
		{Name: "few that take no time", Host: service(1000, taking(500, s, s), fails(6, "504", 6*ms)), Want: rule.Possible, Kind: view.KindService, Subject: web, Low: 0.005, High: 0.007},
		{Name: "few that take 5 s, as all answers do", Host: service(1000, taking(500, 2500*s, 2500*s), fails(6, "504", 30*s)), Want: rule.Possible, Kind: view.KindService, Subject: web, Low: 2.9, High: 3.1},
		{Name: "few that were asked for and take 5 s", Host: service(1000, taking(500, 31*s, s), fails(6, "404", 30*s))},
		{Name: "all requests of one kind", Host: service(10_000, taking(12, 12*ms, s), fails(12, "500", 12*ms)), Want: rule.Likely, Kind: view.KindService, Subject: web, Low: 0.001, High: 0.0013,
			Says: "fails 0.1 % of its requests, most with 500: 100 % of one kind", Proof: "12 of them for POST /checkout, of 12 such requests"},
		{Name: "all requests of one kind, now and then", Host: service(10_000, taking(6, 6*ms, s), fails(6, "500", 6*ms)), Want: rule.Possible, Kind: view.KindService, Subject: web, Low: 0.0005, High: 0.0007},
		{Name: "a third of one kind", Host: service(10_000, taking(36, 36*ms, s), fails(12, "500", 12*ms)), Want: rule.Possible, Kind: view.KindService, Subject: web, Low: 0.001, High: 0.0013},
		{Name: "all requests of one kind, as asked for", Host: service(10_000, taking(12, 12*ms, s), fails(12, "404", 12*ms))},
		{Name: "health checks of what is not there, beside real work", Host: service(1000, taking(600, 60*ms, 20*s), fails(600, "404", 60*ms)), Want: rule.Possible, Kind: view.KindService, Subject: web, Low: 0.59, High: 0.61},
		{Name: "health checks only", Host: service(30, taking(30, 30*ms, 0), fails(30, "404", 30*ms)), Want: rule.Possible, Kind: view.KindService, Subject: web, Low: 0.99, High: 1},
		{Name: "most requests of users", Host: service(1000, taking(600, 6*s, 20*s), fails(600, "404", 6*s)), Want: rule.Likely, Kind: view.KindService, Subject: web, Low: 0.59, High: 0.61},
	})
}

// Where the codes that are not known could make the difference, nothing is said.
func TestErrorsOfUnknownCodes(t *testing.T) {
	h := answering().PacketStatement(recording.PacketStatement{Fingerprint: "select ?", Count: 1000, RTSum: time.Second})
	h.PacketError(recording.PacketError{Fingerprint: "select ?", Count: 40, Timed: 40, Others: true})
	found, err := errorAnswers.Detect(h.View())
	if why, ok := errors.AsType[*rule.NotJudged](err); !ok || !strings.HasPrefix(why.Why, "40 of them") || len(found) > 0 {
		t.Errorf("%d findings, %v; want none, and that the codes of 40 are not known", len(found), err)
	}
}

// Where the server says that it cannot work, nobody is sent to the client; and few of many
// are not rounded to none.
func TestErrorsOfTheServer(t *testing.T) {
	for code, atServer := range map[string]bool{"502": true, "503": true, "500": true, "1040": true, "1054": false} {
		spoken := "http"
		if len(code) == 4 {
			spoken = "mysql"
		}
		h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Proto: spoken, Rate: 5000, RTs: []time.Duration{ms}})
		h.PacketStatement(recording.PacketStatement{Proto: spoken, Fingerprint: "GET /b", Count: 50_000, Failed: 5, Code: code, RTSum: time.Second})
		found := ruletest.Judge(t, h, errorAnswers, rule.Possible)
		f := &found[0]
		if got := strings.HasPrefix(f.Fixes[0].Text.String(), "look at the server, not at its clients: "); got != atServer {
			t.Errorf("%s: %s", code, f.Fixes[0].Text)
		}
		if said := f.Headline.String() + f.Impact.Text.String(); strings.Contains(said, "0.0 %") || !strings.Contains(said, "fails 5 of 5") {
			t.Errorf("%s: %s", code, said)
		}
	}
}

// Whose errors they are is told from those that were kept, each counted once.
func TestWhoseErrors(t *testing.T) {
	host := func(clients int64, kept ...string) *ruletest.Host {
		h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 100, RTs: []time.Duration{ms}})
		h.PacketStatement(recording.PacketStatement{Fingerprint: "select ?", Clients: clients, Count: 1000, Failed: 20, Code: "1054", RTSum: time.Second})
		for i, client := range kept {
			row := recording.PacketTransaction{Client: client, Connection: 1, FirstFrame: int64(1 + i), Failed: true, Code: "1054"}
			for range 2 {
				h.PacketTransaction(1, row)
			}
		}
		return h
	}
	const mine, other = "10.0.0.7", "10.0.0.8"
	several := func(n int, client string) (list []string) { return slices.Repeat([]string{client}, n) }
	for want, h := range map[string]*ruletest.Host{
		"for select ?, from one client":                                                host(1),
		"for select ?, from one client, 10.0.0.7":                                      host(1, several(20, mine)...),
		"for select ?, which 2 clients sent":                                           host(2, slices.Concat(several(5, mine), several(5, other))...),
		"for select ?, which 2 clients sent (most of 10 that were kept from 10.0.0.7)": host(2, slices.Concat(several(8, mine), several(2, other))...),
		"for select ?, which 2 clients sent (most from 10.0.0.7)":                      host(2, slices.Concat(several(18, mine), several(2, other))...),
	} {
		found := ruletest.Judge(t, h, errorAnswers, rule.Certain)
		if got := found[0].Evidence[1].What.String(); !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// A proof counts what the finding counts, and holds nothing that came from a
// packet.
func TestFilterOfErrors(t *testing.T) {
	count := func(codes ...string) (list []*codeCount) {
		for _, c := range codes {
			list = append(list, &codeCount{code: c, n: 1})
		}
		return list
	}
	http := &view.PacketService{Proto: "http"}
	for want, e := range map[string]failing{
		"--filter failed": {s: http, codes: count("500", "'; reboot; '")},
		`--filter 'failed && !(code in ["404", "409"])'`:                     {s: http, codes: count("500"), other: []string{"409", "404"}},
		`--filter 'failed && code in ["404"]'`:                               {s: http, usual: true, codes: count("404"), other: []string{"500"}},
		`--filter 'failed && error != "connection ended within the answer"'`: {s: http, codes: count("500"), cutShort: true},
	} {
		if got := e.filter().String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}

func TestLateCommit(t *testing.T) {
	transactions := func(n int64, beforeCommit, before, work time.Duration) func() *ruletest.Host {
		return func() *ruletest.Host {
			h := answering()
			statement := func(text string, count int64, idle, rt time.Duration) {
				row := recording.PacketStatement{Fingerprint: text, Command: "Query", Count: count, RTSum: 3 * time.Duration(count) * rt, RTP10: rt,
					IdleBefore: time.Duration(count) * idle, IdleP50: recording.Unknown, IdleP95: recording.Unknown}
				if text == "COMMIT" {
					row.IdleP50, row.IdleP95 = idle, idle
				}
				h.PacketStatement(row)
			}
			statement("BEGIN", n, 100*ms, ms/5)
			statement("UPDATE item SET n = n + ? WHERE id = ?", 2*n, before, work)
			statement("COMMIT", n, beforeCommit, ms/5)
			statement("ROLLBACK", n, 500*ms, ms/5)
			return h
		}
	}
	const mysql = "mysql 10.0.0.2:3306"
	ruletest.Check(t, lateCommit, []ruletest.Situation{
		{Name: "50 ms before COMMIT", Host: transactions(100, 50*ms, ms/2, ms), Want: rule.Certain, Kind: view.KindService, Subject: mysql, Low: 0.49, High: 0.51, Says: "wait 50 ms before COMMIT"},
		{Name: "at once", Host: transactions(100, ms/2, ms/2, ms)},
		{Name: "a client that is slow everywhere", Host: transactions(100, 50*ms, 20*ms, ms)},
		{Name: "the statements take longer", Host: transactions(100, 50*ms, ms/2, 30*ms)},
		{Name: "the statement that is sent with BEGIN takes longer", Host: func() *ruletest.Host {
			return transactions(100, 50*ms, ms/2, ms)().PacketStatement(recording.PacketStatement{Fingerprint: "BEGIN; SELECT v FROM report", Command: "Execute",
				Count: 100, RTSum: 8 * time.Second, RTP10: 70 * ms, IdleBefore: 10 * time.Second, IdleP50: recording.Unknown, IdleP95: recording.Unknown})
		}},
		{Name: "a few, by hand", Host: transactions(4, 3*time.Second, ms, ms)},
		{Name: "a scheduler's delay", Host: transactions(100, 9*ms, ms/2, ms)},
		{Name: "a distant client", Host: func() *ruletest.Host {
			h := ruletest.New(2, 10).PacketCapture(nil).Packets(ruletest.PacketService{Rate: 100, RTs: []time.Duration{ms}, Handshakes: 1, ClientRTT: 45 * ms})
			h.PacketStatement(recording.PacketStatement{Fingerprint: "UPDATE item SET n = ?", Count: 200, RTSum: 200 * ms, IdleBefore: 2 * time.Second})
			return h.PacketStatement(recording.PacketStatement{Fingerprint: "COMMIT", Count: 100, RTSum: 100 * ms, IdleBefore: 5 * time.Second, IdleP50: 50 * ms, IdleP95: 50 * ms})
		}},
		{Name: "one late among many", Host: func() *ruletest.Host {
			h := answering()
			h.PacketStatement(recording.PacketStatement{Fingerprint: "UPDATE item SET n = ?", Count: 200, RTSum: 200 * ms, IdleBefore: 100 * ms})
			return h.PacketStatement(recording.PacketStatement{Fingerprint: "COMMIT", Count: 100, RTSum: 100 * ms, IdleBefore: 9 * time.Second, IdleP50: ms / 2, IdleP95: ms})
		}},
		{Name: "no transactions", Host: func() *ruletest.Host {
			return answering().PacketStatement(recording.PacketStatement{Fingerprint: "SELECT ?", Count: 100, RTSum: 100 * ms, IdleBefore: 9 * time.Second})
		}},
	})
}
