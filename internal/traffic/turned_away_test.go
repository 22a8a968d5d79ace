package traffic

import (
	"strings"
	"testing"

	"rtrail/internal/packet/engine"
	"rtrail/internal/packet/proto"
	"rtrail/internal/packet/rt"
	"rtrail/internal/packet/summary"
)

// Clients that a full server turns away have asked nothing: there are errors, but
// no times, and no request is missing.
func TestTimesOfClientsTurnedAway(t *testing.T) {
	c := summary.New(1, summary.Options{})
	for range 3 {
		c.Worker(0).Transaction(&rt.Transaction{Proto: "mysql", Status: proto.Unpaired, Command: "Connect", Failed: true, Code: "1040", Start: 1_700_000_000e9, Idle: -1, Ack: -1})
	}
	var b strings.Builder
	if err := (Overview{Report: &engine.Report{}, Summary: c.Result(), Top: 5}).Print(&b); err != nil {
		t.Fatal(err)
	}
	_, statements, _ := strings.Cut(b.String(), "STATEMENTS")
	if !strings.Contains(strings.Join(strings.Fields(statements), " "), "- - 0 - - - - 3 - Connect") {
		t.Errorf("times that nobody knows:%s", statements)
	}
	if strings.Contains(b.String(), "left out") || strings.Contains(b.String(), "not captured") {
		t.Errorf("no request was left out:\n%s", b.String())
	}
}
