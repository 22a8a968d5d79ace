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
)

// A port that has a row is not listed as one without requests, and equal statements of two
// ports are told apart, also where there is little room.
func TestServicesOfOnePort(t *testing.T) {
	c := summary.New(1, summary.Options{})
	for _, port := range []uint16{80, 81} {
		c.Worker(0).Transaction(&rt.Transaction{Proto: "http", Server: flow.Endpoint{Port: port}, Status: proto.Answered, Command: "GET", Fingerprint: "GET /x",
			RT: time.Millisecond, Serve: time.Millisecond, Start: 1_700_000_000e9, Idle: -1, Ack: -1, RequestPackets: 1, ResponsePackets: 1})
	}
	sum := c.Result()
	for _, port := range []uint16{80, 9997, 9998} {
		sum.Services[summary.Service{Server: flow.Endpoint{Port: port}}] = &summary.Total{}
	}
	text := printed(60, Overview{Report: &engine.Report{}, Summary: sum, Top: 10}.Sums()...)
	if !strings.Contains(text, "without requests: 9997 -, 9998 -\n") {
		t.Error(text)
	}
	_, statements, _ := strings.Cut(text, "STATEMENTS")
	if !strings.Contains(statements, " 80    GET /x") || !strings.Contains(statements, " 81    GET /x") {
		t.Error(statements)
	}
}
