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
	text := printed(0, Overview{Report: &engine.Report{}, Summary: c.Result(), Top: 5}.Sums()...)
	_, statements, _ := strings.Cut(text, "STATEMENTS")
	if !strings.Contains(strings.Join(strings.Fields(statements), " "), "- - 0 - - - - 3 - 0 Connect") {
		t.Errorf("times that nobody knows:%s", statements)
	}
	if strings.Contains(text, "left out") || strings.Contains(text, "not captured") {
		t.Errorf("no request was left out:\n%s", text)
	}
}
