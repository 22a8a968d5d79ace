package traffic

import (
	"strings"
	"testing"
	"time"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/flow"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
	"rtrail/internal/packet/tcp"
)

// Clients that a full server turns away have asked nothing: there are errors, but
// no times, and no request is missing.
func TestTimesOfClientsTurnedAway(t *testing.T) {
	c := summary.New(1, summary.Options{})
	for range 3 {
		c.Worker(0).Transaction(&rt.Transaction{Proto: "mysql", Status: proto.Unpaired, Command: "Connect", Failed: true, Code: "1040", Start: 1_700_000_000e9, Idle: -1, Ack: -1})
	}
	text := printed(0, Overview{Report: &engine.Report{}, Summary: c.Result(), Top: 5}.Sums()...)
	_, statements, _ := strings.Cut(text, "STATEMENTS")
	if !strings.Contains(strings.Join(strings.Fields(statements), " "), "- - 0 - - - - 3 - Connect") {
		t.Errorf("times that nobody knows:%s", statements)
	}
	if strings.Contains(text, "left out") || strings.Contains(text, "not captured") {
		t.Errorf("no request was left out:\n%s", text)
	}
}

// connectionTo is one to a port, with requests or without.
func connectionTo(id uint64, port uint16, requests int, refused bool) rt.Connection {
	c := rt.Connection{Conn: &tcp.Conn{ID: id, Refused: refused}}
	c.Server.Port = port
	if refused {
		c.Ending, c.Closer.Reset = flow.Reset, true
	}
	if requests > 0 {
		c.Protocol, c.Requests = "http", rt.Requests{Count: uint32(requests), Sum: 20 * time.Millisecond, Max: 20 * time.Millisecond}
	}
	return c
}

// Connections that asked nothing take no line from those that did, and a port that
// answered is not among those without requests.
func TestConnectionsWithoutRequests(t *testing.T) {
	c := summary.New(1, summary.Options{})
	w := c.Worker(0)
	for i := range 4 {
		k := connectionTo(uint64(i+1), 9900+uint16(i), 0, true)
		w.Connection(&k)
	}
	for i := range 3 {
		k := connectionTo(uint64(i+10), 8088, 0, false)
		w.Connection(&k)
	}
	k := connectionTo(20, 8088, 12, false)
	w.Connection(&k)
	w.Transaction(&rt.Transaction{ID: 20, Server: k.Server, Proto: "http", Status: proto.Answered, Start: 1_700_000_000e9, RT: 20 * time.Millisecond, Frames: [4]uint64{1, 1, 2, 2}})
	o := Overview{Report: &engine.Report{}, Summary: c.Result(), Top: 3}
	text := strings.Join(strings.Fields(printed(0, o.Sums()...)), " ")
	for _, want := range []string{
		"without requests: 9900 -, 9901 -, 9902 -, 9903 -",
		"connect ended 20 ",
		"without requests: 7 connections (4 refused, 3 open), as 1 from ",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, printed(0, o.Sums()...))
		}
	}
}

// Statements of several ports are told apart by it; of one, the port says nothing.
func TestStatementsOfSeveralPorts(t *testing.T) {
	for want, ports := range map[bool][]uint16{false: {1883}, true: {1883, 1884}} {
		c := summary.New(1, summary.Options{})
		for _, port := range ports {
			x := rt.Transaction{Proto: "mqtt", Status: proto.Answered, Command: "CONNECT", Start: 1_700_000_000e9, RT: time.Millisecond, Frames: [4]uint64{1, 1, 2, 2}}
			x.Server.Port = port
			c.Worker(0).Transaction(&x)
		}
		text := printed(0, Overview{Report: &engine.Report{}, Summary: c.Result(), Top: 5}.statements())
		if got := strings.Contains(text, "1883"); got != want {
			t.Errorf("%v:\n%s", ports, text)
		}
	}
}
